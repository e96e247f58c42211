package testscripts

import (
	"strings"
	"testing"
)

// TestWhatIsAskedArrives plays prompts of a session with an agent that stores some of what it is asked. The rest waits, and the next
// start says so.
func TestWhatIsAskedArrives(t *testing.T) {
	p := newPlay(t)
	p.run("", "memctl", "add", "-q", "deps.manager", "use pnpm", "--scope", "private")
	var heard, stored []string
	for _, said := range []struct {
		text, key, value string // what the agent stores of it; "" for nothing
		asked            string // what memctl heard; "" for nothing
	}{
		{"From now on use single quotes in TypeScript. Now fix the parser.", "style.quotes", "single quotes in TypeScript", ""},
		{"Merk dir: Antworten bitte auf Deutsch.", "reply.language", "Answer in German", ""},
		{"Please remember that the staging database is called zeus.", "", "", "the staging database is called zeus"},
		{"Remember: releases are cut on Tuesdays.", "build.tool", "make builds everything", "releases are cut on Tuesdays"},
		{"From now on use npm.", "deps.manager", "use npm", ""},
		{"Why do we always use tabs here?", "", "", ""},
		{"panic: runtime error: index out of range [3]\n\tmain.go:12\nalways check the length", "", "", ""},
	} {
		person, agent := p.hook(map[string]string{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": said.text})
		if person != "" {
			t.Errorf("%s: a line to the person: %s", said.text, person)
		}
		if said.key != "" {
			args := []string{"env", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1", "memctl", "add", "-q", said.key, said.value}
			if n := reminder.FindStringSubmatch(agent); n != nil && said.asked == "" {
				args = append(args, "--prompt", n[1])
			}
			p.run("", args...)
			stored = append(stored, said.value)
		}
		if said.asked != "" {
			heard = append(heard, said.asked)
		}
	}
	p.hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "exit"})
	person, briefing := p.hook(map[string]string{"session_id": "s2", "hook_event_name": "SessionStart", "source": "startup"})
	waiting := p.run("", "memctl", "review", "--list")
	if n := strings.Count(person, "memctl heard "); n != len(heard) {
		t.Errorf("the start names %d statements, not %d: %s", n, len(heard), person)
	}
	for _, text := range heard {
		if !strings.Contains(person, `heard "`+text) || !strings.Contains(waiting, text) || strings.Contains(briefing, text) {
			t.Errorf("%s: the start should say that it waits, and it should wait: %s\n%s", text, person, waiting)
		}
	}
	for _, text := range stored {
		want := 1
		if text == "make builds everything" { // nobody said that: it waits
			want = 0
		}
		if strings.Count(briefing, text) != want || want == 0 && !strings.Contains(waiting, text) {
			t.Errorf("%s: it should be in the next session %d times:\n%s\n%s", text, want, briefing, waiting)
		}
	}
	if i, j := strings.Index(briefing, "use npm"), strings.Index(briefing, "use pnpm"); i < 0 || j < i {
		t.Errorf("the new value should be first in\n%s", briefing)
	}
	p.run("", "memctl", "confirm", "deps.manager")
	if got := p.run("", "memctl", "show", "deps.manager", "--scope", "private"); !strings.Contains(got, "use npm") || strings.Contains(got, "use pnpm") {
		t.Errorf("confirm does not take the new value: %s", got)
	}
}
