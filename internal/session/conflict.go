package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// saying is a value that the person said, and the day. It is relayed if an agent passed it on: then it corrects what the
// person stated before on that day. Of two values that a merge found, nobody knows the order within a day.
type saying struct {
	value   memfile.Value
	day     string
	relayed bool
}

// sayings are the values that the person said to an agent, as memctl noted them in the person's own
// scopes: by key, the newest.
func sayings(memories []*contents.Memory, on Conditions) map[string]saying {
	list := map[string]saying{}
	for _, m := range memories {
		if m.Store.Scope == store.Project {
			continue // others wrote it, and may claim anything
		}
		for i := range m.Items {
			it := &m.Items[i]
			day, said := memfile.SaidOn(it.Source, it.By)
			if !said || day < list[it.Key].day {
				continue
			}
			if why := exclusionReason(it, on); why == "" || why == WhyOutranked {
				list[it.Key] = saying{it.Value, day, true}
			}
		}
	}
	return list
}

// text is the item's value as one harmless line. If the person said other values too, all are there, the newest first: nothing is
// overridden until the person decides.
func (c candidate) text() string {
	text := Defuse(c.Value.Plain())
	latest, merged := c.otherwise, []saying{{value: c.Value, day: c.Day()}}
	for _, r := range c.Conflict {
		_, said := memfile.SaidOn(r.Source, r.By)
		if (r.By == "" || said && c.scope != store.Project) && (latest == nil || r.Added > latest.day) {
			latest = &saying{r.Value, r.Added, said}
		}
		if r.By == "" {
			merged = append(merged, saying{value: r.Value, day: r.Added})
		}
	}
	switch {
	case latest == nil:
		return text
	case !latest.relayed: // a merge found them, and nobody knows which replaced another
		slices.SortStableFunc(merged, func(a, b saying) int { return cmp.Compare(b.day, a.day) })
		var values []string
		for _, s := range merged {
			values = append(values, Defuse(s.value.Plain()))
		}
		return strings.Join(values, "; or ") + fmt.Sprintf(" (%d values of a merge)", len(values))
	case latest.day < c.Day():
		return text + " (since " + Defuse(c.Day()) + "; before: " + Defuse(latest.value.Plain()) + ")"
	}
	return Defuse(latest.value.Plain()) + " (since " + Defuse(latest.day) + ", not yet confirmed; before: " + text + ")"
}
