//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestCharacter plays what an agent does with skills and context files.
func TestCharacter(t *testing.T) {
	for _, c := range []client{claudeClient(), codexClient()} {
		for name, play := range map[string]func(*trial){"skill": playSkill, "context file": playContextFile, "first run": playFirstRun} {
			t.Run(c.name+"/"+name, func(t *testing.T) { play(newTrial(t, c)) })
		}
	}
}

// deployment is a skill, and deployed what its program prints.
const (
	deployment = "---\nname: deploy\ndescription: Deploy the service to staging.\n---\n\nRun `sh {baseDir}/run.sh`.\n"
	deployed   = "the heron has landed"
)

// playSkill has more skills than a briefing lists. The model searches one, reads it and runs
// what it says.
func playSkill(r *trial) {
	r.write(filepath.Join(r.repo, "skills", "deploy", "SKILL.md"), deployment)
	r.write(filepath.Join(r.repo, "skills", "deploy", "run.sh"), "echo the heron has $(printf landed)\n")
	for _, bird := range strings.Fields("auk bee cob daw emu fox gnu hen ibis jay kea lark mew nene owl pie quail rook smew tit urubu") {
		r.write(filepath.Join(r.repo, "skills", bird, "SKILL.md"), "---\nname: "+bird+"\ndescription: Draw this bird.\n---\n\nUse a pen.\n")
	}
	search := "mcp__memctl__skill_search"
	args := r.c.first(prompt)
	if r.c.name == "codex" {
		search = "mcp__memctl.skill_search"
	} else {
		args = append(args, "--mcp-config", `{"mcpServers":{"memctl":{"command":"memctl","args":["mcp"]}}}`, "--strict-mcp-config", "--allowedTools", "mcp__memctl__skill_search")
	}
	said := regexp.MustCompile("`(sh [^`\\\\]*run\\.sh)`")
	run := r.c.shell("")
	run.inputOf = func(body string) object {
		input := object{}
		for name, value := range run.input {
			input[name] = value
			if found := said.FindStringSubmatch(body); value == "" && found != nil {
				input[name] = found[1]
			}
		}
		return input
	}
	r.answer(prompt, play{tool: search, input: object{"query": "how do I deploy to staging"}}, play{tool: search, input: object{"query": "deploy"}}, run)
	requests := r.talk(r.play(args), prompt)
	if first := requests[0].body; strings.Contains(first, "Deploy the service to staging") || !strings.Contains(first, "skill_search") {
		r.t.Errorf("the first request lists the skill, or does not name the search\n%s", first)
	}
	if len(requests) < 4 || !strings.Contains(requests[1].body, "Deploy the service to staging") {
		r.t.Fatalf("the search does not find the skill\n%s", last(requests).body)
	}
	if body := last(requests).body; !strings.Contains(body, deployed) {
		r.t.Errorf("the program of the skill did not run\n%s", body)
	}
}

// playContextFile gives a session a context file that is larger than the client's limit.
func playContextFile(r *trial) {
	const begin, end = "You are a heron, and you wait.", "At the end you fly."
	r.write(filepath.Join(r.repo, "soul"), begin+"\n"+strings.Repeat("Stand still in the reeds.\n", 700)+end+"\n")
	r.scratch.run("memctl", "context", "edit", "SOUL.md", "--from", "soul")
	r.scratch.run("git", "config", "memctl.context", "true")
	first := r.talk(r.session(prompt), prompt)
	again := r.talk(r.resume(next), next)
	for _, a := range append(first, again...) {
		for _, words := range []string{begin, end, "[...truncated, read "} {
			if n := strings.Count(a.body, words); n != 1 {
				r.t.Errorf("%q is %d times in a request", words, n)
			}
		}
		if size := len(utf16.Encode([]rune(memoryIn(r.t, a).text))); size > 10000 || size < 9000 {
			r.t.Errorf("the briefing has %d characters", size)
		}
	}
	checkBriefed(r.t, first)
}

// playFirstRun ends a first run as an agent that only writes files does: it empties
// BOOTSTRAP.md.
func playFirstRun(r *trial) {
	r.scratch.run("memctl", "context", "init", "-q")
	r.scratch.run("git", "config", "memctl.context", "true")
	file := filepath.Join(r.home, "data", "memctl", "user", "memories", "context", "default", "users", "me", "BOOTSTRAP.md")
	if !isFile(file) {
		r.t.Fatalf("there is no %s", file)
	}
	r.answer(prompt, r.c.shell(": > '"+file+"'"))
	requests := r.talk(r.session(prompt), prompt)
	text := memoryIn(r.t, requests[0]).text
	first, other := strings.Index(text, "BOOTSTRAP.md\""), strings.Index(text, "SOUL.md\"")
	if first < 0 || other < first || strings.Index(text, "<context_file") > first {
		r.t.Errorf("BOOTSTRAP.md is not the first file\n%s", text)
	}
	text = memoryIn(r.t, r.talk(r.session(next), next)[0]).text
	if strings.Contains(text, "BOOTSTRAP.md\"") || !strings.Contains(text, "SOUL.md\"") {
		r.t.Errorf("the second session is not handed the files without BOOTSTRAP.md\n%s", text)
	}
	if !isFile(file) {
		r.t.Errorf("the emptied file was deleted")
	}
}
