package contents

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Verdict names the rules that keep a text from agents. Doors ask its methods and do not look at
// the list.
type Verdict struct {
	Withheld []string `json:"withheld,omitempty"`
}

// Hidden reports whether a rule keeps the text from agents.
func (v Verdict) Hidden() bool { return len(v.Withheld) > 0 }

// HiddenBy reports whether this rule keeps the text from agents.
func (v Verdict) HiddenBy(rule string) bool { return slices.Contains(v.Withheld, rule) }

// Secret reports whether the text must not be shown to anybody.
func (v Verdict) Secret() bool { return v.HiddenBy(policy.RuleSecret) }

// Rules lists the rules in one line, "" for none.
func (v Verdict) Rules() string { return strings.Join(v.Withheld, ", ") }

// Mark takes the place of a hidden text, or follows it; "" for one that is not hidden.
func (v Verdict) Mark() string {
	if !v.Hidden() {
		return ""
	}
	return "[withheld: " + v.Rules() + "]"
}

// And returns the verdict with the rules of another one, each rule once.
func (v Verdict) And(other Verdict) Verdict {
	rules := slices.Concat(v.Withheld, other.Withheld)
	slices.Sort(rules)
	return Verdict{slices.Compact(rules)}
}

// Refused is the verdict on a text that the policy refuses; a text that it accepts or holds is not hidden.
func Refused(r policy.Ruling) Verdict { return verdictOf(r, policy.Refuse) }

// Held is Refused for a text that the policy holds.
func Held(r policy.Ruling) Verdict { return verdictOf(r, policy.Hold) }

func verdictOf(r policy.Ruling, when policy.Verdict) Verdict {
	if r.Verdict != when {
		return Verdict{}
	}
	return Verdict{r.Rules()}
}

// hide adds a rule. The list may be shared, so it is copied.
func (v *Verdict) hide(rule string) {
	if !v.HiddenBy(rule) {
		v.Withheld = append(slices.Clip(v.Withheld), rule)
	}
}

// Reasons say why a reader is not handed a memory; none, and it is.
type Reasons uint16

// The reasons, in the order in which one of several is told.
const (
	Unread     Reasons = 1 << iota // no View has read it, so nobody is handed it
	Off                            // the person's own switch is off
	Untrusted                      // the person does not trust the repository
	Disabled                       // the scope is switched off in its file
	Gone                           // deleted
	Withheld                       // a rule keeps it from agents
	Outranked                      // a person's value of the key in another scope wins
	Unreviewed                     // the person trusts only what is reviewed
	Expired
	Low         // of low confidence
	Unconfirmed // tagged needs-confirmation
	OtherAgent  // the own conclusion of another agent of the team
)

const (
	// Doubts are the reasons that do not count for a reader who asks.
	Doubts = Low | Unconfirmed
	// Switches are the reasons that do not count for a person.
	Switches = Off | Disabled
	// ForAsking are the reasons that count for an agent that asks. For one that did not, all count.
	ForAsking = ^Doubts
	// ForPerson are the reasons that count for a person who asks.
	ForPerson = ^(Doubts | Switches | OtherAgent)
)

// Counts are the reasons that count for the reader.
func (r Reader) Counts() Reasons {
	return [...]Reasons{Hook: ^Reasons(0), Agent: ForAsking, Person: ForPerson}[r]
}

// UnconfirmedMark goes with what an agent concluded by itself, or a person doubts, where a reader asks for it.
const UnconfirmedMark = "(unconfirmed)"

// RuleOutranked is the rule of an item that is Outranked.
const RuleOutranked = "outranked"

// String is the first reason, "" for none.
func (r Reasons) String() string {
	names := [...]string{"unread", "disabled", "untrusted", "disabled", "deleted", "withheld", RuleOutranked, "unreviewed", "expired", memfile.Low, memfile.TagNeedsConfirmation, "other-agent"}
	if r == 0 {
		return ""
	}
	return names[bits.TrailingZeros16(uint16(r))]
}

// Judged is what a View says of an item or an entry.
type Judged struct {
	Verdict
	Bound  bool // withheld by a tombstone of the project, in a scope of the person's own
	judged bool
	out    Reasons
}

// Reasons says why the reader is not handed the record.
func (j *Judged) Reasons() Reasons {
	if !j.judged {
		return Unread
	}
	return j.out
}

// Doubt says to a reader who asked that nobody has confirmed the record; "" for a confirmed one.
func (j *Judged) Doubt() string {
	if j.out&Doubts != 0 {
		return UnconfirmedMark
	}
	return ""
}

// judge gives a record the reasons that it decides itself, and those of its memory. today is YYYY-MM-DD.
func (j *Judged) judge(l *labels.Labels, closed Reasons, today string, low bool) {
	j.judged, j.out = true, closed
	add := func(is bool, reason Reasons) {
		if is {
			j.out |= reason
		}
	}
	add(j.Hidden(), Withheld)
	add(l.Expired(today), Expired)
	add(low, Low)
	add(l.HasTag(memfile.TagNeedsConfirmation), Unconfirmed)
}
