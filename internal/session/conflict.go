package session

import (
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

// text is the item's value as one harmless line. If the person said another value too, both are
// there, the newer one first: nothing is overridden until the person decides.
func (c candidate) text() string {
	text := Defuse(c.Value.Plain())
	latest := c.otherwise
	for _, r := range c.Conflict {
		_, said := memfile.SaidOn(r.Source, r.By)
		if (r.By == "" || said && c.scope != store.Project) && (latest == nil || r.Added > latest.day) {
			latest = &saying{r.Value, r.Added, said}
		}
	}
	if latest == nil {
		return text
	}
	newer, day, older := Defuse(latest.value.Plain()), latest.day, text
	if latest.day < c.Day() || latest.day == c.Day() && !latest.relayed {
		newer, day, older = text, c.Day(), newer
	}
	if !latest.relayed { // a merge found both, and nobody knows which replaced the other
		return newer + "; or " + older + " (two values of a merge)"
	}
	mark := ""
	if newer != text {
		mark = ", not yet confirmed"
	}
	return newer + " (since " + Defuse(day) + mark + "; before: " + older + ")"
}
