package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/session"
)

// maxGeminiTranscript bounds the transcript that is read at a prompt, in bytes. Of a longer
// one it is not known whether it still holds a briefing.
const maxGeminiTranscript = 8 << 20

// lostBriefing is true of Gemini CLI after a compaction, after a rewind, and where the briefing was handed
// in at SessionStart, as memctl did before.
func lostBriefing(transcript string) bool {
	if !filepath.IsAbs(transcript) {
		return false
	}
	lost, ok := inTime(func() bool {
		data := readTranscript(transcript, maxGeminiTranscript)
		return data != nil && len(data) < maxGeminiTranscript && !holdsBriefing(data)
	})
	return ok && lost
}

// geminiMessage is a line of the transcript, and one of its lists of messages.
type geminiMessage struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"`
	Rewind  string          `json:"$rewindTo"`
	Set     struct {
		Messages []geminiMessage `json:"messages"`
	} `json:"$set"`
}

// holdsBriefing reads the transcript as Gemini CLI does when it resumes a session.
func holdsBriefing(transcript []byte) bool {
	var messages []geminiMessage
	for line := range bytes.Lines(transcript) {
		var m geminiMessage
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
		case m.Rewind != "":
			at := slices.IndexFunc(messages, func(was geminiMessage) bool { return was.ID == m.Rewind })
			messages = messages[:max(at, 0)]
		case m.Set.Messages != nil:
			messages = m.Set.Messages
		case m.ID != "":
			messages = append(messages, m)
		}
	}
	return slices.ContainsFunc(messages, geminiMessage.holdsBriefing)
}

func (m geminiMessage) holdsBriefing() bool {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return false // the model's own words
	}
	for i, part := range parts {
		if i > 0 && strings.HasPrefix(part.Text, "<hook_context>") && strings.Contains(part.Text, session.ReceiptMark) {
			return true
		}
	}
	return false
}
