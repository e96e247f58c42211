// Package memfile reads and changes memory files: Markdown in which exactly
// one fenced YAML block, the document, is the source of truth.
//
// It is pure: bytes in, bytes out. No disk, no clock, no network.
//
// Words. An item is one entry of saved_memory.items, named by its key. A
// tombstone is one entry of deletions. A problem is one thing that is wrong
// with a file, at one place; a problem that is damage means that the file has
// no sound document and can only be used after recovery.
package memfile

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
)

// MaxFileBytes and MaxBlockBytes are the sizes above which a memory file and
// its block are not parsed. MaxKeyBytes caps a key that memctl writes.
const (
	MaxFileBytes  = 4 << 20
	MaxBlockBytes = 1 << 20
	MaxKeyBytes   = 128
	MaxDepth      = 64
)

// FileName is the memory file's name at a store's root.
const FileName = "memories.md"

// TagNeedsConfirmation is carried by every item of low confidence.
const TagNeedsConfirmation = "needs-confirmation"

// The three confidences, and who set an item last (By; empty is a person).
const (
	Low, Medium, High = labels.Low, labels.Medium, labels.High
	ByRelayed         = "relayed"
	ByAutomatic       = "automatic"
)

// SourceByHand is the source of an item of which the file says neither a source nor a confidence, nor who set it or when. It
// counts as relayed, with medium confidence.
const SourceByHand = "edited by hand"

// ImportedFrom begins the source of what was read from a file.
const ImportedFrom = "imported from "

// Document is what the block says, with defaults filled in.
type Document struct {
	Version   int    // 1 where the block names none
	Updated   string // day, as written
	Settings  Settings
	Items     []Item      // in the order of the file
	Deletions []Tombstone // in the order of the file
	// Unknown are the fields that memctl does not know: beside saved_memory, in it, and in its settings.
	Unknown [3][]Field
}

// Settings are the effective switches: a missing one is true, one that is no
// boolean is false (and a problem).
type Settings struct {
	Enabled        bool
	AnnounceWrites bool
}

// AllOn are the settings of a memory that says nothing about them.
var AllOn = Settings{Enabled: true, AnnounceWrites: true}

// Switch is one of the settings.
type Switch struct {
	Name string // in files and in answers
	At   *bool  // its place in the Settings
}

// Switches lists the settings in the order in which a memory file has them.
func (s *Settings) Switches() [2]Switch {
	return [...]Switch{{"enabled", &s.Enabled}, {"announce_writes", &s.AnnounceWrites}}
}

// Switch is the place of the setting of that name, nil for an unknown one.
func (s *Settings) Switch(name string) *bool {
	for _, sw := range s.Switches() {
		if sw.Name == name {
			return sw.At
		}
	}
	return nil
}

// Item is one entry of saved_memory.items. Days are text, "2006-01-02" in UTC
// when memctl wrote them.
type Item struct {
	labels.Labels
	Key      string
	Value    Value
	Added    string
	Updated  string // day of the last change of value
	Conflict []Rival
	Extra    []Field     // fields memctl does not know, in the file's order
	Allow    []Allowance // from comments inside the item; patch.Rewrite adds those that name the item's value
	Line     int         // 1-based line in the file; 0 for an item that is not in a file
	Column   int
}

// Rival is another value for an item, set aside in its conflict field.
type Rival struct {
	Value         Value  `json:"value"`
	Added         string `json:"added,omitempty"`
	labels.Labels        // of which labels.OtherValues are written
}

// Tombstone is one entry of deletions.
type Tombstone struct {
	Key      string   // "" where the deletion was by value
	Value    *Value   // what was forgotten, as earlier versions kept it; nil where the tombstone holds none
	Hashes   []string // by which the text is recognised: see TextHashes
	Removed  string
	Reason   string
	Conflict []Rival
	Extra    []Field
	Line     int
	Column   int
}

// Allowance is one comment "# memctl:allow RULE DIGEST WHY" inside an item.
type Allowance struct {
	Rule   string
	Digest string // first 8 hex digits of the SHA-256 of the item's Value.Canonical()
	Why    string
}

// Lower sets the confidence to low, with the tag that low always carries.
func Lower(l *labels.Labels) {
	l.Confidence = Low
	if !l.HasTag(TagNeedsConfirmation) {
		l.Tags = append(slices.Clone(l.Tags), TagNeedsConfirmation)
	}
}

// WithoutDoubt returns tags without needs-confirmation.
func WithoutDoubt(tags []string) []string {
	return slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return t == TagNeedsConfirmation })
}

// Rival returns the item's value as a rival of another one.
func (it Item) Rival() Rival {
	return Rival{Value: it.Value.Clone(), Added: it.Day(), Labels: it.Labels.WithUse(labels.OtherValues)}
}

// Day is the item's day: Updated, else Added.
func (it Item) Day() string {
	if it.Updated != "" {
		return it.Updated
	}
	return it.Added
}

// Severity of a problem.
type Severity string

// An error makes validate fail; a warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing wrong with a file, at one place.
type Problem struct {
	Rule     string // stable name, such as "yaml-syntax"
	Severity Severity
	File     string // the name given to Parse
	Line     int    // 1-based
	Column   int    // 1-based, in bytes
	Key      string // the item's key where there is one
	Message  string // lower case, no full stop; never repeats text that may be secret
	Hint     string // the way out, as a short sentence; "" where commands are the way
	Damage   bool   // there is no sound document: recovery is needed
}

// Error says that the problem keeps the file from being read.
func (p Problem) Error() string { return "its file cannot be read: " + p.Message }

// SaidPrefix begins the source of what memctl itself noted of a person's prompt; the day follows.
const SaidPrefix = "said "

// SaidOn returns the day on which the person said a value to an agent, where memctl itself noted it.
// source and by are those of the item or of the rival.
func SaidOn(source, by string) (day string, ok bool) {
	day, ok = strings.CutPrefix(source, SaidPrefix)
	return day, ok && by != ""
}

// agentMark begins the end of a source that names the agent of a managed team that concluded a memory.
const agentMark = " (agent "

// OwnSource marks the source of what the agent of a managed team concluded by itself.
func OwnSource(source, agent string) string {
	if agent == "" {
		return source
	}
	return source + agentMark + agent + ")"
}

// OwnAgent returns the agent whose own conclusion a memory is, and the source without its name; "" for a
// memory of all agents.
func OwnAgent(source, by string) (agent, rest string) {
	i := strings.LastIndex(source, agentMark)
	if by != ByAutomatic || i < 0 || !strings.HasSuffix(source, ")") {
		return "", source
	}
	return source[i+len(agentMark) : len(source)-1], source[:i]
}
