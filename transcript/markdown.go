package transcript

import (
	"bytes"
	"strings"
	"time"
)

// block is a message of a Markdown history, as far as it was read.
type block struct {
	by         Speaker
	text       strings.Builder
	start, end int64
	time       time.Time
	calls      []*Call
}

// markdown is what the readers of the two Markdown histories share: a message goes on until
// the next heading.
type markdown struct {
	*Reader
	now *block // nil before the first heading
}

func (m *markdown) waiting() int64 {
	if m.now == nil {
		return -1
	}
	return m.now.start
}

// begin begins a message at this record.
func (m *markdown) begin(by Speaker, at time.Time) {
	m.now = &block{by: by, start: m.record.start, end: m.record.end, time: at}
}

// add adds a line to the message.
func (m *markdown) add(line []byte) {
	if m.now == nil {
		return
	}
	m.now.text.Write(line)
	m.now.text.WriteByte('\n')
	m.now.end = m.record.end
}

// turns ends the message and returns it, with the calls that stand in it.
func (m *markdown) turns() []Turn {
	b := m.now
	m.now = nil
	if b == nil {
		return nil
	}
	var list []Turn
	t := Turn{By: b.by, Time: b.time, Text: strings.TrimSpace(strings.ToValidUTF8(b.text.String(), "\uFFFD")), Session: m.session, Start: b.start, End: b.end}
	if b.by == Person && harnessTag(t.Text) {
		t.By = Harness
	}
	if t.Text != "" {
		list = append(list, t)
	}
	for _, call := range b.calls {
		t.By, t.Text, t.Call = Tool, "", call
		list = append(list, t)
	}
	return list
}

// specStory reads SpecStory's histories of several clients and editors.
type specStory struct{ markdown }

func (s *specStory) finish() { s.queue = append(s.queue, s.turns()...) }

func (s *specStory) decode(line []byte) bool {
	trimmed := bytes.TrimSpace(line)
	if head, ok := bytes.CutPrefix(trimmed, []byte("_**")); ok && bytes.HasSuffix(head, []byte("**_")) {
		s.finish()
		s.heading(string(head[:len(head)-3]))
		return true
	}
	if rest, ok := bytes.CutPrefix(trimmed, []byte("<!-- ")); ok && s.now == nil {
		if _, id, found := bytes.Cut(rest, []byte("Session ")); found {
			s.session.ID, _, _ = strings.Cut(string(id), " ")
		}
	}
	if string(trimmed) == "---" {
		line = nil // between messages
	}
	s.add(line)
	return true
}

// heading begins a message: User, or Agent with its model, and in newer versions the time.
func (s *specStory) heading(head string) {
	name, more, _ := strings.Cut(strings.TrimSuffix(head, ")"), " (")
	by := Assistant
	if name == "User" {
		by = Person
		if strings.Contains(more, "sidechain") {
			by = Harness
		}
	}
	const form = "2006-01-02 15:04:05Z"
	at, _ := time.Parse(form, more[max(0, len(more)-len(form)):])
	if s.session.Start.IsZero() {
		s.session.Start = at
	}
	s.begin(by, at)
}
