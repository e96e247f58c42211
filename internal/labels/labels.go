// Package labels has the labels that items and entries share.
package labels

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Labels describe a memory: where it comes from, how sure it is, where it applies and how
// it is treated. Days are text, "2006-01-02". The JSON names are those of the queue, of
// exports and of answers.
type Labels struct {
	Source     string   `json:"source,omitempty"`
	Confidence string   `json:"confidence,omitempty"` // low, medium or high
	Tags       []string `json:"tags,omitzero"`
	Seen       string   `json:"seen,omitempty"`    // day of the last signal
	Signals    int      `json:"signals,omitempty"` // how often it was told; 0 counts as 1
	Expires    string   `json:"expires,omitempty"` // from this day it is neither shown to agents nor counted
	Pinned     bool     `json:"pinned,omitempty"`
	Locked     bool     `json:"locked,omitempty"`
	Paths      []string `json:"paths,omitempty"`    // globs; an entry has none
	Commands   []string `json:"commands,omitempty"` // globs of commands at which an agent is told of it
	Ask        bool     `json:"ask,omitempty"`      // the person is asked before such a command or such a change of a file
	When       []string `json:"when,omitempty"`     // words of later requests, files and errors that the text does not have
	By         string   `json:"by,omitempty"`       // who set it last: "" for a person, else relayed or automatic
}

// Form is how a label reads in a file. Its type says the rest: Text is also that of plain
// lists, numbers and flags.
type Form uint8

// The forms.
const (
	Text Form = iota
	Level
	Day
	Globs
	Writer
	Quoted // text in double quotes, which other readers of entries would take for a time or a number
	Time   // of an entry, RFC 3339
	Role   // of an entry
)

// Use says where a label is used, in bits.
type Use uint8

// The uses.
const (
	Exported      Use = 1 << iota // it leaves with the text in an export
	Entries                       // entries can have it
	Applicability                 // it says where or until when the memory applies
	OtherValues                   // another value of an item has it
)

// Field is one label of a memory, or another field of its file.
type Field struct {
	Name string // in files and in answers
	Form Form
	At   any // its place in the record: *string, *[]string, *int or *bool
	Use  Use
}

// Text returns the label as a person reads it; "" for no signals.
func (f Field) Text() string {
	switch at := f.At.(type) {
	case *string:
		return *at
	case *[]string:
		return strings.Join(*at, ", ")
	case *bool:
		return strconv.FormatBool(*at)
	case *int:
		if *at != 0 {
			return strconv.Itoa(*at)
		}
	}
	return ""
}

// Fields lists the labels in the order in which a memory file has them.
func (l *Labels) Fields() [13]Field {
	return [...]Field{
		{"source", Text, &l.Source, Exported | Entries | OtherValues},
		{"confidence", Level, &l.Confidence, Exported | Entries | OtherValues},
		{"tags", Text, &l.Tags, Exported | Entries},
		{"seen", Day, &l.Seen, Entries | OtherValues},
		{"signals", Text, &l.Signals, Entries | OtherValues},
		{"expires", Day, &l.Expires, Exported | Entries | Applicability},
		{"pinned", Text, &l.Pinned, Entries},
		{"locked", Text, &l.Locked, Entries},
		{"paths", Globs, &l.Paths, Exported | Applicability},
		{"commands", Globs, &l.Commands, Exported | Entries | Applicability},
		{"ask", Text, &l.Ask, Entries},
		{"when", Text, &l.When, Exported | Entries | Applicability},
		{"by", Writer, &l.By, Entries | OtherValues},
	}
}

// WithUse returns the labels of a use: for Entries those that an entry can have, for Exported those
// that leave in an export.
func (l Labels) WithUse(use Use) Labels {
	for _, f := range l.Fields() {
		if f.Use&use == 0 {
			reflect.ValueOf(f.At).Elem().SetZero()
		}
	}
	return l
}

// Same reports whether both have the same labels of a use; of 0 all labels.
func Same(a, b Labels, use Use) bool {
	other := b.Fields()
	for i, f := range a.Fields() {
		list, lists := f.At.(*[]string)
		if f.Use&use == use && (lists && !slices.Equal(*list, *other[i].At.(*[]string)) || !lists && f.Text() != other[i].Text()) {
			return false
		}
	}
	return true
}

// AppliesEverywhere reports whether the memory applies to all files and commands.
func (l Labels) AppliesEverywhere() bool { return len(l.Paths)+len(l.Commands) == 0 }

// IsStated reports whether a person wrote or confirmed the memory: no agent set it last.
func (l Labels) IsStated() bool { return l.By == "" }

// Expired reports whether the memory is past its day; today is "2006-01-02".
func (l Labels) Expired(today string) bool { return l.Expires != "" && l.Expires <= today }

// HasTag reports whether the memory carries the tag.
func (l Labels) HasTag(tag string) bool { return slices.Contains(l.Tags, tag) }

// Clone returns a copy that shares nothing with l.
func (l Labels) Clone() Labels {
	l.Tags, l.Paths, l.Commands, l.When = slices.Clone(l.Tags), slices.Clone(l.Paths), slices.Clone(l.Commands), slices.Clone(l.When)
	return l
}

// The confidences, from the lowest.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// ConfidenceRank orders confidences: 1 for low, 2 for medium, 3 for high, and 0 for any other text.
func ConfidenceRank(confidence string) int {
	switch confidence {
	case High:
		return 3
	case Medium:
		return 2
	case Low:
		return 1
	}
	return 0
}

// ConfidenceAt returns the confidence of a rank; low below 1, high above 3.
func ConfidenceAt(rank int) string {
	return [...]string{Low, Low, Medium, High}[min(max(rank, 0), 3)]
}
