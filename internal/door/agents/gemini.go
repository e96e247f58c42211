package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// gemini is the Gemini CLI. Tried with 0.61.0. Its hooks have the form of Claude
// Code's, and other names for some events.
type gemini struct{}

func (gemini) Name() string  { return "gemini" }
func (gemini) Title() string { return "Gemini CLI" }

func (gemini) Settings(m Machine) string { return m.settingsFolder("", ".gemini") }

func (g gemini) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, g.Settings(m), []string{"settings.json"}, []string{".gemini", "settings.json"})
	if err != nil {
		return nil, err
	}
	hooks := grouped(g.Name(), scope, briefing.EventSessionStart, "BeforeAgent", "PreCompress", "AfterAgent", EventSessionEnd)
	hooks.timeout = limit("timeout", "5000") // milliseconds
	if scope == ForUser {
		policy := managed.Block{Begin: "# memctl:begin", End: "# memctl:end", Body: "[[rule]]\nmcpName = \"" + serverName + "\"\ntoolName = [\"" +
			strings.Join(everydayTools(), `", "`) + "\"]\ndecision = \"allow\"\npriority = 100\n"}
		return []File{{Path: path, What: "hooks, mcp server", Mode: mode, Editor: both{hooks, stdioServer()}},
			{Path: filepath.Join(g.Settings(m), "policies", "memctl.toml"), What: "permissions", Mode: mode, Editor: marked{policy},
				Offer: "allow memctl's tools without asking"}}, nil
	}
	return []File{{Path: path, What: "hooks", Mode: mode, Editor: hooks}}, nil
}

func (g gemini) Servers(m Machine) []File {
	return servers(stdioServer(), g.Settings(m), "settings.json", m.Root, ".gemini/settings.json")
}

func (gemini) Remark(string) string { return "" }

// Event takes BeforeAgent for the place of a start's context. Gemini CLI puts the context of
// SessionStart before the person's first prompt, in one message, and leaves out of a resumed
// session each message that begins with a hook's context. BeforeAgent's comes after the prompt.
func (gemini) Event(own string) string {
	switch own {
	case briefing.EventSessionStart:
		return EventSessionOpened
	case "BeforeAgent":
		return briefing.EventPrompt
	case "PreCompress":
		return "" // it comes before every request of the model, compaction or not
	case "AfterAgent":
		return EventStop
	}
	return known(own)
}

func (gemini) Answer(own, text string) any { return contextAnswer(own, text) }

// maxGeminiTranscript bounds the transcript that is read at a prompt, in bytes. Of a longer
// one it is not known whether it still holds a briefing.
const maxGeminiTranscript = 8 << 20

// lostBriefing is true after a compaction, after a rewind, and where the briefing was handed
// in at SessionStart, as memctl did before.
func (gemini) lostBriefing(transcript string) bool {
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
