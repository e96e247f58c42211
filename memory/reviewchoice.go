package memory

import (
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Choice returns the values that a person chooses between: theirs, and the others. There
// are no others where the decision is no choice between values.
func (w Waiting) Choice() (mine memfile.Value, others []memfile.Value) {
	if w.Stated != nil {
		return w.Stated.Value, []memfile.Value{w.Value}
	}
	for _, rival := range w.Conflict {
		others = append(others, rival.Value)
	}
	return w.Value, others
}

// chose says which value a choice kept, and what became of the others.
func (d Decision) chose() string {
	mine, others := d.Waiting.Choice()
	key := policy.Inert(redacted(d.Waiting.Key))
	if d.Choice > 0 {
		return "Changed: " + key + " = " + shownValue(others[d.Choice-1]) + " (was: " + shownValue(mine) + ")"
	}
	var dropped []string
	for _, v := range others {
		dropped = append(dropped, quoted(shownValue(v)))
	}
	return "Kept: " + key + " = " + shownValue(mine) + "; dropped " + strings.Join(dropped, ", ")
}

// shownValue is a value on one line, without what is secret.
func shownValue(v memfile.Value) string { return oneLine(memfile.Str(redacted(v.Plain()))) }
