// Package policy rules on what may be stored and shown. Pure: no disk, clock, network.
package policy

import "github.com/memctl/memctl/memfile"

// Verdict is the ruling on a candidate, in order of severity.
type Verdict uint8

// The verdicts.
const (
	Accept Verdict = iota
	Hold           // not in the file; waits in the queue for review
	Refuse
)

func (v Verdict) String() string { return [...]string{"accept", "hold", "refuse"}[v] }

// Finding is one reason, at one place. It never repeats a secret.
type Finding struct {
	Rule    string // secret, personal-data, instruction-like, transcript, hidden-text, too-long, not-durable, not-useful, not-specific, …
	Kind    string // what of the rule: "aws-access-key", "payment-card"; may be ""
	Where   string // key, value, value.issue, value[0], source, tags[0], reason, message
	Message string // names the kind and the way out; never the text
	Hint    string
	Verdict Verdict // what this finding alone leads to (Accept: a note, such as not-durable on an automatic write, which lowers confidence)
	Line    int     // for ScanBytes: 1-based
	Column  int     // for ScanBytes
}

// Candidate is something proposed for memory, or an item that stands in a file.
type Candidate struct {
	Key       string
	Value     memfile.Value
	Source    string
	Tags      []string
	Paths     []string
	Reason    string         // of a tombstone
	Message   string         // of the commit
	Other     []memfile.Text // any further strings that would be stored
	Scope     string         // project, private, user, store
	Automatic bool           // the four tests durable/useful/specific apply (automatic and, for not-durable, never to explicit)
	Allow     []memfile.Allowance
	Raw       bool // salvaged or on load: the same rules, but key-form is not judged
}

// Ruling is the policy's answer.
type Ruling struct {
	Verdict  Verdict
	Findings []Finding
	Lower    bool // a doubt about durable alone: an automatic item becomes low
}

// Rules lists the names of findings that withhold an item: those that hold or refuse.
func (r Ruling) Rules() []string { panic("stub") }

// Rule rules on one candidate.
func Rule(c Candidate) Ruling { panic("stub") }

// FromItem makes the candidate for an item on load or in validate.
func FromItem(it memfile.Item, scope string) Candidate { panic("stub") }

// Scan looks for secrets in bytes that memctl did not write, all of them. Findings carry line and column.
func Scan(src []byte) []Finding { panic("stub") }

// Redact replaces each secret that Scan finds with "[redacted: KIND]".
func Redact(src []byte) []byte { panic("stub") }

// Version names the rules: it changes whenever a verdict could. It keys caches of verdicts.
func Version() string { panic("stub") }

// Inert makes text safe to print as part of one plain line: control, bidirectional and zero-width characters
// go, line breaks and tabs become spaces, terminal escapes vanish.
func Inert(s string) string { panic("stub") }
