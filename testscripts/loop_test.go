package testscripts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/program"
)

// TestWhatIsAskedArrives plays prompts of a session with an agent that stores some of what it is asked. The rest waits, and the next
// start says so.
func TestWhatIsAskedArrives(t *testing.T) {
	memctl, err := program.Memctl()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Stdin = filepath.Join(dir, "repo"), strings.NewReader(stdin)
		c.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "MEMCTL_CAPTURE=rules", "MEMCTL_NOW=2026-11-21T09:00:00Z",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=cli")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o700); err != nil {
		t.Fatal(err)
	}
	run("", "git", "init", "-q")
	run("", memctl, "init", "-q")
	run("", memctl, "add", "-q", "deps.manager", "use pnpm", "--scope", "private")
	hook := func(event map[string]string) (person, agent string) {
		t.Helper()
		input, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			SystemMessage string
			Output        struct {
				Context string `json:"additionalContext"`
			} `json:"hookSpecificOutput"`
		}
		if out := run(string(input), memctl, "hook", "--agent", "claude"); out != "" {
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return answer.SystemMessage, answer.Output.Context
	}
	if err := os.WriteFile(filepath.Join(dir, "repo", ".mcp.json"), []byte(`{"mcpServers":{"memctl":{"command":"memctl","args":["mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var heard, stored []string
	number := regexp.MustCompile("prompt ([0-9]+)")
	for _, p := range []struct {
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
		person, agent := hook(map[string]string{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": p.text})
		if person != "" {
			t.Errorf("%s: a line to the person: %s", p.text, person)
		}
		if p.key != "" {
			args := []string{memctl, "add", "-q", p.key, p.value}
			if n := number.FindStringSubmatch(agent); n != nil && p.asked == "" {
				args = append(args, "--prompt", n[1])
			}
			run("", append([]string{"env", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1"}, args...)...)
			stored = append(stored, p.value)
		}
		if p.asked != "" {
			heard = append(heard, p.asked)
		}
	}
	hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "exit"})
	person, briefing := hook(map[string]string{"session_id": "s2", "hook_event_name": "SessionStart", "source": "startup"})
	waiting := run("", memctl, "review", "--list")
	if n := strings.Count(person, "memctl heard "); n != len(heard) {
		t.Errorf("the start names %d statements, not %d: %s", n, len(heard), person)
	}
	for _, text := range heard {
		if !strings.Contains(person, `heard "`+text) || !strings.Contains(waiting, text) || strings.Contains(briefing, text) {
			t.Errorf("%s: the start should say that it waits, and it should wait: %s\n%s", text, person, waiting)
		}
	}
	for _, text := range stored {
		if strings.Count(briefing, text) != 1 && text != "make builds everything" { // nobody said that
			t.Errorf("%s: it should be in the next session once:\n%s", text, briefing)
		}
	}
	if i, j := strings.Index(briefing, "use npm"), strings.Index(briefing, "use pnpm"); i < 0 || j < i {
		t.Errorf("the new value should be first in\n%s", briefing)
	}
	run("", memctl, "confirm", "deps.manager")
	if got := run("", memctl, "show", "deps.manager", "--scope", "private"); !strings.Contains(got, "use npm") || strings.Contains(got, "use pnpm") {
		t.Errorf("confirm does not take the new value: %s", got)
	}
}
