package capture

import (
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/transcript"
)

// maxPrevious is how many bytes of the agent's last message are kept, from its end.
const maxPrevious = 4 << 10

// Message is one message of a person to an agent.
type Message struct {
	Text     string
	Previous string // the end of the agent's message before it, or ""
	Agent    string // the client's name, "" where it is not known
	Session  string
	Place    string // the repository that it was said in, in the caller's terms; statements about one say nothing of another
	ID       string // the client's name for the message, or ""
	Time     time.Time
	// Typed reports whether the message may be taken for one that a person typed.
	Typed bool
}

// Saying is one statement with the message that it was made in.
type Saying struct {
	Statement
	Sentence string // as the person wrote it
	Message  Message
}

// Repeated is a statement with all the sayings that made it, oldest first.
type Repeated struct {
	Key     string // of the first saying
	Last    Saying // the newest wording; of an explicit request, where there is one
	Sayings []Saying
}

// Sessions is the number of sessions that the statement was made in.
func (r Repeated) Sessions() int {
	seen := map[string]bool{}
	for _, s := range r.Sayings {
		seen[s.Message.Session] = true
	}
	return len(seen)
}

// Heard collects the statements of many messages. The zero value is ready to use.
type Heard struct {
	Messages int // how many were heard
	seen     map[[2]string]bool
	said     []Saying
}

// Hear looks for statements in a message. A message that a client wrote again, or that repeats
// another one of its session, is not counted twice.
func (h *Heard) Hear(m Message) {
	if h.seen == nil {
		h.seen = map[[2]string]bool{}
	}
	names := [][2]string{{m.Session, m.Text}}
	if m.ID != "" {
		names = append(names, [2]string{"id " + m.ID, m.Text}) // a resumed session may copy the messages of another one
	}
	for _, name := range names {
		if h.seen[name] {
			return
		}
	}
	for _, name := range names {
		h.seen[name] = true
	}
	h.Messages++
	own := OwnWords(m.Text)
	for _, st := range Find(own, m.Previous).Statements {
		h.said = append(h.said, Saying{Statement: st, Sentence: m.Text[st.From:st.To], Message: m})
	}
}

// Statements merges the sayings of one statement into one row. The rows are ordered by the time of their first message.
func (h *Heard) Statements() []Repeated {
	var rows []*Repeated
	spaces := map[string][]*Repeated{} // by the first part of the key: others cannot meet
	rowOf := func(s Saying) *Repeated {
		space, _, _ := strings.Cut(s.Key, ".")
		if i := slices.IndexFunc(spaces[space], func(r *Repeated) bool { return r.isSameStatement(s) }); i >= 0 {
			return spaces[space][i]
		}
		r := &Repeated{Key: s.Key, Last: s}
		spaces[space], rows = append(spaces[space], r), append(rows, r)
		return r
	}
	sayings := slices.Clone(h.said)
	slices.SortStableFunc(sayings, func(a, b Saying) int { return a.Message.Time.Compare(b.Message.Time) })
	for _, s := range sayings {
		rowOf(s).add(s)
	}
	out := make([]Repeated, len(rows))
	for i, r := range rows {
		out[i] = *r
	}
	return out
}

// isSameStatement reports whether a saying makes the same statement, about the same person or repository.
func (r *Repeated) isSameStatement(s Saying) bool {
	if r.Last.Person != s.Person || !s.Person && r.Last.Message.Place != s.Message.Place {
		return false
	}
	return Same(r.Key, r.Last.Text, s.Key, s.Text)
}

// Same reports whether two texts under two keys state the same rule.
func Same(key, text, otherKey, other string) bool {
	return sameWords(text, other) || sameRule(key, otherKey) && spelling.SameText(text, other)
}

// add counts one more saying. The newest wording is shown, unless only an older one asks to
// remember it.
func (r *Repeated) add(s Saying) {
	r.Sayings = append(r.Sayings, s)
	if s.Explicit || !r.Last.Explicit {
		r.Last = s
	}
}

// Turns adds the person's messages of a transcript. complete fills in what the transcript does
// not say, and reports whether the message counts. Turns returns the transcript's last session.
func (h *Heard) Turns(r *transcript.Reader, complete func(*Message, transcript.Turn) bool) transcript.Session {
	previous := ""
	for t := range r.Turns() {
		switch {
		case strings.TrimSpace(t.Text) == "":
		case t.By == transcript.Assistant:
			previous = t.Text[max(0, len(t.Text)-maxPrevious):]
		case t.By == transcript.Person:
			m := Message{Text: t.Text, Previous: previous, Agent: agentOf(t.Session.Format), Session: t.Session.ID, ID: t.ID, Time: t.Time, Typed: t.Typed}
			if m.Time.IsZero() {
				m.Time = t.Session.Start
			}
			if complete(&m, t) {
				h.Hear(m)
			}
			previous = ""
		}
	}
	return r.Session()
}

// agentOf is the name of the client that writes the format, "" of a format that several write.
func agentOf(f transcript.Format) string {
	switch f {
	case transcript.Claude, transcript.Codex, transcript.Gemini, transcript.Copilot:
		return string(f)
	}
	return ""
}

// Paragraphs splits a text at empty lines and before list items, but not within a fence. An item
// comes without its marker: it states something by itself, as a line of notes does.
func Paragraphs(text string) (list []string) {
	var b strings.Builder
	fence := ""
	end := func() {
		if p := strings.TrimSpace(b.String()); p != "" {
			list = append(list, p)
		}
		b.Reset()
	}
	for line := range strings.Lines(text) {
		mark := strings.TrimSpace(line)
		switch {
		case mark == "" && fence == "":
			end()
			continue
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "" && (strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~")):
			fence = mark[:3]
		case fence == "":
			if item := withoutMarker(mark); item != mark {
				end()
				line = item + "\n"
			}
		}
		b.WriteString(line)
	}
	end()
	return list
}

// withoutMarker is a line without the marker of a list item that it begins with.
func withoutMarker(line string) string {
	marker, item, found := strings.Cut(line, " ")
	number := strings.TrimRight(marker, ".)")
	switch {
	case !found:
	case marker == "-", marker == "*", marker == "+", number != marker && number != "" && strings.Trim(number, "0123456789") == "":
		return strings.TrimSpace(item)
	}
	return line
}

// ReadMost reads a text of at most MaxInput bytes. Errors: those of the reader; fault.Format.
func ReadMost(name string, in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, MaxInput+1))
	if err != nil {
		return "", err
	}
	data, err = plainText(File{Name: name, Data: data}, "")
	return string(data), err
}

const (
	// maxSaid is how much of a message is looked at, in bytes. A longer one is a paste.
	maxSaid = 32 << 10
	// maxTypedChars and maxTypedLines are up to what size a message can hold a wish that
	// becomes an item by itself: a longer one may be a pasted text.
	maxTypedChars = 600
	maxTypedLines = 2
)

// IsPasted reports whether a message may be a pasted text, so that nothing in it becomes an item
// by itself.
func IsPasted(message string) bool {
	return utf8.RuneCountInString(message) > maxTypedChars || strings.Count(strings.TrimSpace(message), "\n") >= maxTypedLines
}

// Said looks for lasting statements in a person's message, after it took out what are not
// the person's own words: code, quotations, logs, what the harness added. previous is the end of
// what the agent said before, or "". The places in the answer are those of the message.
func Said(message, previous string) Found {
	return Find(OwnWords(message), previous)
}

// ScopeOf is the scope of a statement of a person that names none, with its key or "": user if it is about the person or
// how agents talk to them, else private. Nothing of it goes to the project's file unasked. Outside a
// repository there is no private scope, and the caller takes user.
func ScopeOf(key, statement string) string {
	if aboutPerson(key, statement) {
		return userScope
	}
	return privateScope
}

// OwnWords is the message with spaces in place of what are not the person's own words: code,
// quotations, logs, what the harness added.
func OwnWords(message string) string {
	message = message[:min(len(message), maxSaid)]
	var own strings.Builder
	at := 0
	for _, s := range transcript.Own(message) {
		blank(&own, message[at:s.From])
		own.WriteString(message[s.From:s.To])
		at = s.To
	}
	blank(&own, message[at:])
	return own.String()
}

// blank writes as many bytes as the text has: line ends, so that no sentence goes on over what
// was taken out, and spaces within a line.
func blank(to *strings.Builder, text string) {
	for i := range len(text) {
		if text[i] == '\n' {
			to.WriteByte('\n')
		} else {
			to.WriteByte(' ')
		}
	}
}

// AsksToRemember reports whether the person may ask to keep something, whatever it is: "yes, remember that".
func AsksToRemember(message string) bool { return hasRequest(OwnWords(message)) }
