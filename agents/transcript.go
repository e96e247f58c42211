package agents

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/session"
)

const (
	// transcriptBytes is how much of a transcript's end is read.
	transcriptBytes = 64 << 10
	// transcriptTime bounds the reading: a transcript may lie on a slow disk.
	transcriptTime = 200 * time.Millisecond
	// recentMessages is how many of the last messages are given.
	recentMessages = 4
	// messageBytes caps each of them.
	messageBytes = 4 << 10
)

// recent gives the last messages of the session, oldest first; none where the
// transcript cannot be read in time.
func (c Call) recent() []string {
	if !filepath.IsAbs(c.Transcript) {
		return nil
	}
	list, _ := inTime(func() []string { return lastMessages(readTranscript(c.Transcript, transcriptBytes)) })
	return list
}

// inTime returns what f makes of a transcript; ok is false where it takes too long.
func inTime[T any](f func() T) (got T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case got = <-done:
		return got, true
	case <-time.After(transcriptTime):
		return got, false
	}
}

// readTranscript reads the end of a regular file, up to that many bytes; nil where there is
// none.
func readTranscript(name string, most int64) []byte {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := safefile.ReadTail(root, filepath.Base(name), most)
	if err != nil {
		return nil
	}
	return data
}

// transcriptLine is a line of a transcript as Claude Code writes it, with the
// message inside, and as Codex does, with the payload inside.
type transcriptLine struct {
	Type    string            `json:"type"`
	Meta    bool              `json:"isMeta"` // what Claude Code adds by itself
	Message transcriptMessage `json:"message"`
	Payload transcriptMessage `json:"payload"`
}

type transcriptMessage struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a text, or a list of parts
}

// lastMessages are the last messages of a person and an agent among a
// transcript's lines, oldest first. What is no such message is passed over:
// a torn line, a tool's output, and what memctl itself handed in.
func lastMessages(data []byte) []string {
	var list []string
	for len(data) > 0 && len(list) < recentMessages {
		line := data
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			line, data = data[i+1:], data[:i]
		} else {
			data = nil
		}
		if text := messageText(line); text != "" {
			list = append(list, text)
		}
	}
	slices.Reverse(list)
	return list
}

// messageText is the text of one line's message; "" for none.
func messageText(line []byte) string {
	var l transcriptLine
	if json.Unmarshal(line, &l) != nil || l.Meta {
		return ""
	}
	m := l.Message
	if l.Type == "response_item" && l.Payload.Type == "message" {
		m = l.Payload
	}
	if m.Role != "user" && m.Role != "assistant" {
		return ""
	}
	text := contentText(m.Content)
	if strings.Contains(text, session.Preamble) {
		return ""
	}
	return text[:min(len(text), messageBytes)]
}

// contentText joins the texts of a message's content.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}
