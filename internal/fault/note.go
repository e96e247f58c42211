package fault

import (
	"slices"
)

// Note tells the person about an act that went on. Scripts and programs read the code, which people do not see.
type Note struct {
	Code string // a stable name, such as "lock-file"
	Text string // a sentence for the person
}

// NewNote returns a note. cmd/testdata/notes.txt lists every note that the source makes.
func NewNote(code, text string) Note { return Note{code, text} }

func (n Note) String() string { return n.Text }

// MarshalText makes a note in JSON its text.
func (n Note) MarshalText() ([]byte, error) { return []byte(n.Text), nil }

// Noted is the part of an answer that has its notes. In JSON the notes are texts, and the codes are beside them.
type Noted struct {
	Notes     []Note   `json:"notes,omitzero"` // for the person, such as "git still has the value"
	NoteCodes []string `json:"note_codes,omitzero"`
}

// AddNoteCodes fills in NoteCodes. Who prints the answer as JSON calls it.
func (n *Noted) AddNoteCodes() {
	n.NoteCodes = nil
	for _, note := range n.Notes {
		n.NoteCodes = append(n.NoteCodes, note.Code)
	}
}

// Texts returns the sentences of the notes.
func Texts(notes []Note) (list []string) {
	for _, note := range notes {
		list = append(list, note.Text)
	}
	return list
}

// The severities of a finding. Only SeverityError makes a check fail.
const (
	SeverityOK      = "ok"
	SeverityNote    = "note"
	SeverityWarning = "warning"
	SeverityError   = "error"
)

// Finding is one thing that a check or the policy found, as every door prints it.
type Finding struct {
	Topic    string `json:"topic,omitempty"` // the line of memctl status that it belongs to
	Rule     string `json:"rule"`
	Severity string `json:"severity,omitempty"` // "" in the answer to a write, whose verdict says it
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`   // 1-based
	Column   int    `json:"column,omitempty"` // 1-based, in bytes
	Key      string `json:"key,omitempty"`
	Where    string `json:"where,omitempty"` // the field of the record
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"` // the way out: a command or a sentence
}

// HasErrors reports whether one of the findings is an error.
func HasErrors(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == SeverityError })
}
