package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Withheld counts what a result keeps from its reader. Commands print the count.
type Withheld struct {
	WithheldCount int `json:"-"`
}

// CountWithheld is how much the result keeps from its reader.
func (w Withheld) CountWithheld() int { return w.WithheldCount }

// KeyForAgent is the key of what is withheld, as an agent may have it.
func KeyForAgent(key string, hidden contents.Verdict) string {
	other := func(rule string) bool { return rule != RuleForgotten && rule != contents.RuleOutranked }
	if slices.ContainsFunc(hidden.Withheld, other) || Objected(key) {
		return ""
	}
	return key
}

// Objected reports whether the policy objects to a string that stands alone.
func Objected(text string) bool {
	return policy.Rule(policy.Candidate{OtherTexts: []memfile.Text{{Where: "field", Text: text}}, Raw: true}).Verdict != policy.Accept
}

// AsError makes an error for a person of a refusal that has no write.
func AsError(key string, err error) error {
	var r *Refusal
	if !errors.As(err, &r) {
		return err
	}
	cause := r.Findings[0].Message
	if about := About(r.Findings[0], key); about != "" {
		cause = about + ": " + cause
	}
	return &fault.Error{Code: r.Findings[0].Rule, Status: 1, Cause: cause, Hints: r.Hints, Err: r}
}

// Redacted keeps a key that is itself a secret out of what is printed and
// committed.
func Redacted(key string) string { return string(policy.Redact([]byte(key))) }

// Count is a number with its noun: "1 item", "2 items".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// Quoted is a text between quotes on one line, without what is secret.
func Quoted(s string) string { return `"` + policy.Inert(Redacted(s)) + `"` }

// QuotedPath is quoted for a path of a file that others may have named. What the policy
// objects to is not repeated, because an agent may be the reader.
func QuotedPath(name string) string {
	if policy.RulePath(name).Verdict != policy.Accept {
		return "a file whose path is withheld (memctl validate names it)"
	}
	return Quoted(name)
}

// ScopeFlag ends a command that is about the memory of a scope: it names one that commands
// do not take by themselves.
func ScopeFlag(scope string) string {
	if scope == store.User || scope == store.Private {
		return " --scope " + scope
	}
	return ""
}

// ShownText is a memory's text as a line that says which one it is; what agents do
// not get is not repeated.
func ShownText(v contents.Verdict, text string) string {
	return cmp.Or(v.Mark(), OneLine(memfile.Str(text)))
}

// Beginning is a text that was, cut to fit into a line beside others.
func Beginning(text string) string {
	return policy.Cut(policy.Inert(text), 60)
}

// OneLine is a text for one printed line, cut where it would fill the screen.
func OneLine(v memfile.Value) string {
	return policy.Cut(policy.Inert(v.Plain()), 200)
}

// UndoHint names the command that takes the write back: undo, which needs a
// history, else the act that does the opposite, where there is one.
func UndoHint(out txn.Outcome, opposite, key string) string {
	if command := UndoCommand(out, opposite, key); command != "" {
		return " (undo: " + command + ")"
	}
	return ""
}

// UndoCommand reverses a write: undo where there is a history, else the act that does the
// opposite; "" where there is none.
func UndoCommand(out txn.Outcome, opposite, key string) string {
	switch {
	case out.Why != txn.WhyNoRepository:
		return "memctl undo"
	case opposite != "":
		return "memctl " + strings.TrimSpace(opposite+" "+key)
	}
	return ""
}

// MatchesID reports whether what a person gave is an id, or the beginning of one.
func MatchesID(id, given string) bool {
	const least = 6
	return id == given || len(given) >= least && strings.HasPrefix(id, strings.ToLower(given)) && strings.Trim(strings.ToLower(given), "0123456789abcdef-") == ""
}

// UTCDay is the day of a time in UTC, "" for none.
func UTCDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// Union are both lists, each word once.
func Union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// LosesLines reports whether an entry is of the kind that loses lines: a summary or a
// note.
func LosesLines(e entry.Entry) bool { return e.Tier() == entry.Summary || e.Tier() == entry.Note }

// ShortID is the beginning of an id, as it is printed and can be given back.
func ShortID(id string) string {
	return entry.ShortID(Redacted(entry.SanitizedID(id)))
}
