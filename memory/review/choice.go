package review

import (
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// chose says which value a choice kept, and what became of the others.
func (d Decision) chose() string {
	mine, others := d.Waiting.Options[0].Value, d.Waiting.Options[1:]
	key := policy.Inert(memory.Redacted(d.Waiting.Key))
	if d.Choice > 0 {
		return "Changed: " + key + " = " + shownValue(others[d.Choice-1].Value) + " (was: " + shownValue(mine) + ")"
	}
	var dropped []string
	for _, o := range others {
		dropped = append(dropped, memory.Quoted(shownValue(o.Value)))
	}
	return "Kept: " + key + " = " + shownValue(mine) + "; dropped " + strings.Join(dropped, ", ")
}

// shownValue is a value on one line, without what is secret.
func shownValue(v memfile.Value) string {
	return memory.OneLine(memfile.Str(memory.Redacted(v.Plain())))
}
