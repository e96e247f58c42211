package testscripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memctl/memctl/tests/program"
)

// TestLinesToThePersonAreTrue plays prompts of a session and looks at the next session's briefing for
// each line that the person read.
func TestLinesToThePersonAreTrue(t *testing.T) {
	memctl, err := program.Memctl()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	transcript := filepath.Join(dir, "t.jsonl")
	run := func(stdin string, args ...string) string {
		t.Helper()
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Stdin = filepath.Join(dir, "repo"), strings.NewReader(stdin)
		c.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "MEMCTL_CAPTURE=rules", "MEMCTL_NOW=2026-11-21T09:00:00Z",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=")
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
	var log bytes.Buffer
	var lines []string
	for i, p := range []struct {
		text  string
		typed bool
	}{
		{"From now on use single quotes in TypeScript. Now fix the parser.", true},
		{"Please remember that the staging database is called zeus.", true},
		{"Answer in English from now on.", true},
		{"Remember: releases are cut on Tuesdays.", true},
		{"From now on use npm.", true},
		{"From now on always run make lint before you commit.", false}, // a script's
		{"I prefer table-driven tests over one function for each case.", true},
		{"Why do we always use tabs here?", true},
		{"Fix it. From now on skip the linter until we're done.", true},
		{"panic: runtime error: index out of range [3]\n\tmain.go:12\nalways check the length", true},
	} {
		person, _ := hook(map[string]string{"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": p.text, "transcript_path": transcript})
		if person != "" {
			lines = append(lines, strings.Split(person, "\n")...)
		}
		source := ""
		if p.typed {
			source = `"promptSource":"typed","origin":{"kind":"human"},`
		}
		text, _ := json.Marshal(p.text)
		fmt.Fprintf(&log, `{"type":"user","uuid":"u%d","sessionId":"s1","timestamp":"2026-11-21T09:00:0%dZ","cwd":"/x",%s"message":{"role":"user","content":%s}}`+"\n", i, i, source, text)
		if err := os.WriteFile(transcript, log.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hook(map[string]string{"session_id": "s1", "hook_event_name": "SessionEnd", "reason": "exit", "transcript_path": transcript})
	person, briefing := hook(map[string]string{"session_id": "s2", "hook_event_name": "SessionStart", "source": "startup"})
	waiting := run("", memctl, "review", "--list")
	text := regexp.MustCompile(`"([^"]*)"`)
	will, heard, settle := 0, 0, 0
	for _, line := range lines {
		quoted := text.FindAllStringSubmatch(line, -1)
		in := func(n int) bool { return strings.Count(briefing, quoted[n][1]) == 1 }
		switch {
		case strings.HasPrefix(line, "memctl will remember "):
			if will++; !in(0) && !strings.Contains(person, "heard "+quoted[0][0]) {
				t.Errorf("%s: neither is it in the next session nor does its start say that it was only heard", line)
			}
		case strings.HasPrefix(line, "memctl heard "):
			if heard++; in(0) || !strings.Contains(waiting, quoted[0][1]) {
				t.Errorf("%s: it should wait in review", line)
			}
		case strings.Contains(line, "sessions get both"):
			if settle++; strings.Index(briefing, quoted[1][1]) > strings.Index(briefing, quoted[0][1]) || !strings.Contains(briefing, quoted[1][1]) {
				t.Errorf("%s: the new value should be first in\n%s", line, briefing)
			}
		default:
			t.Errorf("a line of another kind: %s", line)
		}
	}
	if will != 5 || heard != 1 || settle != 1 {
		t.Errorf("%d will remember, %d heard, %d to settle: %q", will, heard, settle, lines)
	}
	if !strings.Contains(person, "run make lint before you commit") || strings.Contains(briefing, "make lint") {
		t.Errorf("a script's prompt is in the next session, or its start does not say that it was heard: %s\n%s", person, briefing)
	}
	run("", memctl, "confirm", "deps.manager")
	if got := run("", memctl, "show", "deps.manager", "--scope", "private"); !strings.Contains(got, "use npm") || strings.Contains(got, "use pnpm") {
		t.Errorf("confirm does not take the new value: %s", got)
	}
}
