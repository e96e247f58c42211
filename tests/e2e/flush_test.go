//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// flushMark begins the line that asks the agent to store memories before a compaction.
const flushMark = "This conversation will soon be compacted"

// nearlyFull are numbers of tokens at which memctl asks, and the client does not compact yet.
var nearlyFull = map[string]int{"claude": 177_000, "codex": 238_000}

// TestFlushAsk fills the context of a session in a terminal. With memctl.flush.ask, memctl's answer at
// Stop lets the agent go on for one turn, in which it stores something.
func TestFlushAsk(t *testing.T) {
	for _, c := range []client{claudeClient(), codexClient()} { // Stop of the others cannot let the agent go on
		t.Run(c.name, func(t *testing.T) {
			r := newTrial(t, c)
			c.interactive(r.scratch)
			r.scratch.run("git", "config", "--global", "memctl.flush.ask", "true")
			r.answer(flushMark, c.shell(filepath.Join(programs, "memctl")+" note 'the heron was seen before the compaction'"))
			term := r.terminal(c.typed...)
			if body := last(r.talk(r.ask(term, prompt), prompt)).body; strings.Contains(body, flushMark) {
				t.Error("the agent is asked with an empty context")
			}
			r.m.spend(nearlyFull[c.name])
			before := len(r.m.requests(c.endpoint))
			r.ask(term, next)
			if c.name == "claude" { // at Stop, the turn may not be in its transcript yet: the next Stop asks
				r.m.spend(nearlyFull[c.name])
				r.ask(term, "go on")
			}
			term.until("question of memctl's", func() bool { return r.sent(before, flushMark) })
			term.until("note", func() bool { return strings.Contains(r.run("memctl", "list", "--tier", "note"), "heron") })
			term.still()
			if again := last(r.talk(r.ask(term, "a third prompt"), "a third prompt")).body; strings.LastIndex(again, flushMark) > strings.LastIndex(again, "a third prompt") {
				t.Errorf("the agent is asked again\n%s", again)
			}
			r.leave(term)
			if n := strings.Count(r.run("memctl", "list", "--tier", "note"), "heron"); n != 1 {
				t.Errorf("memory has %d notes, want 1", n)
			}
			if waiting := r.proposals(); len(waiting) > 0 {
				t.Errorf("memctl's own words became %v", waiting)
			}
		})
	}
}
