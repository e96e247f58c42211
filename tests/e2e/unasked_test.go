//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// known are memories of a made-up project, each with the words of it that a request must have.
var known = []struct{ text, when, words string }{
	{"[gotcha] The payments webhook must answer within 3 seconds or Stripe retries it and bookings are charged twice", "double billing,callback handler", "payments webhook"},
	{"[gotcha] Translations live in Lokalise; edits in locales/*.json are overwritten every night", "", "Lokalise"},
	{"[convention] Files in migrations/*.sql have a twin with the suffix .down.sql", "rollback", "twin with the suffix"},
	{"[gotcha] The seed script takes 9 minutes; use make seed-small", "", "seed-small"},
	{"[lesson] Redis refuses writes once the snapshot disk is full; delete /var/dump first", "MISCONF", "Redis refuses"},
}

// everyday are prompts that none of them is about.
var everyday = []string{
	"run the tests", "fix the typo in the readme", "why does this not compile?", "rename that variable to total", "yes, go on",
	"add a test for the empty case", "what changed since yesterday?", "split this function in two", "commit it", "explain this regular expression",
	"remove the dead code in the parser", "make the button a little larger", "which file has the router?", "update the changelog", "use a map there instead of a slice",
	"that is not what I meant, try again", "the date is off by one day in the calendar", "add a comment about the reason", "show me the diff", "thanks, that is all",
}

// TestUnasked types a session in which a prompt, files and commands bring the memory that they are about, byte for byte as
// memctl printed it, and twenty ordinary prompts bring none.
func TestUnasked(t *testing.T) {
	for _, c := range []client{claudeClient(), codexClient()} {
		t.Run(c.name, func(t *testing.T) {
			r := newTrial(t, c)
			c.interactive(r.scratch)
			r.write(filepath.Join(r.repo, "locales", "de.json"), "{\"cancel\": \"abbrechen\"}\n")
			r.write(filepath.Join(r.repo, "migrations", "0001_users.sql"), "select 1;\n")
			r.write(filepath.Join(r.repo, "fill.sh"), "echo 'MISCONF Redis is configured to save snapshots, but the disk is full' >&2; exit 1\n")
			r.scratch.run("git", "add", ".")
			r.scratch.run("git", "commit", "-q", "-m", "begin")
			for _, k := range known {
				r.scratch.run("memctl", "remember", "-q", k.text, "--when", k.when)
			}
			answers := r.listen()
			term := r.terminal(append(slices.Clip(c.typed), map[string][]string{"claude": {"Read", "Edit", "Write"}}[c.name]...)...)
			const begin = "good morning"
			r.ask(term, begin)
			answers()
			r.meet(term, answers, "let the Stripe webhook handler write the receipt before it responds", known[0].words)
			if c.name == "claude" { // Codex calls no hook for a file
				file := filepath.Join(r.repo, "locales", "de.json")
				r.meet(term, answers, "change the label of that button", known[1].words,
					play{tool: "Read", input: object{"file_path": file}},
					play{tool: "Edit", input: object{"file_path": file, "old_string": "abbrechen", "new_string": "zurück"}})
				r.meet(term, answers, "add the column now", known[2].words,
					play{tool: "Write", input: object{"file_path": filepath.Join(r.repo, "migrations", "0002_age.sql"), "content": "select 2;\n"}})
			}
			r.meet(term, answers, "fill the database first", known[3].words, c.shell("echo bin/seed small minutes"))
			if c.name == "claude" { // Codex has no event for a failure
				r.meet(term, answers, "then the cache", known[4].words, c.shell("sh fill.sh"))
			}
			for _, text := range everyday {
				r.ask(term, text)
				if got := answers(); len(got) > 0 {
					t.Errorf("%q brings %q", text, got)
				}
			}
			body := last(r.talk(r.m.requests(c.endpoint), everyday[len(everyday)-1])).body
			for _, k := range known {
				t.Logf("the last request has %q %d times", k.words, strings.Count(body, k.words))
			}
			r.leave(term)
		})
	}
}

// meet types a prompt of which memctl has to hand over one memory, with these words: at the prompt itself, or as the model
// calls the tools. It is in the last request of the turn as memctl printed it, and in none before the turn.
func (r *trial) meet(term *terminal, answers func() []string, prompt, words string, tools ...play) {
	r.t.Helper()
	r.answer(prompt, tools...)
	before := r.m.requests(r.c.endpoint)
	r.ask(term, prompt)
	if len(tools) > 0 {
		term.until("answer after the tools", func() bool { return r.m.answered(prompt, len(tools)) })
		term.still()
	}
	got := answers()
	if len(got) != 1 || !strings.Contains(got[0], words) {
		r.t.Fatalf("%q brings %q, want one memory with %q", prompt, got, words)
	}
	for i, a := range append(before, last(r.talk(r.m.requests(r.c.endpoint), jsonText(prompt)))) {
		want := 0
		if i == len(before) {
			want = 1
		}
		if n := strings.Count(a.body, jsonText(got[0])); n != want {
			r.t.Errorf("%q: a request has %q %d times, want %d\n%s", prompt, got[0], n, want, a.body)
		}
	}
	r.t.Logf("%q: %q", prompt, got[0])
}

// listen puts a program in the place of memctl that notes what each hook prints. The function returns the texts for the
// agent since it was called last.
func (r *trial) listen() func() []string {
	r.t.Helper()
	dir := filepath.Join(r.home, "listening")
	log := filepath.Join(dir, "log")
	r.write(filepath.Join(dir, "memctl"), "#!/bin/sh\ntest \"$1\" = hook || exec '"+programs+"/memctl' \"$@\"\n'"+programs+"/memctl' \"$@\" | tee -a '"+log+"'\n")
	r.write(log, "")
	if err := os.Chmod(filepath.Join(dir, "memctl"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	for i, entry := range r.env {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok {
			r.env[i] = "PATH=" + dir + string(os.PathListSeparator) + rest
		}
	}
	read := 0
	return func() (texts []string) {
		r.t.Helper()
		data, err := os.ReadFile(log)
		if err != nil {
			r.t.Fatal(err)
		}
		for line := range strings.Lines(string(data[read:])) {
			var answer struct {
				HookSpecificOutput struct{ AdditionalContext string }
			}
			if err := json.Unmarshal([]byte(line), &answer); err != nil {
				r.t.Fatalf("%v: %s", err, line)
			}
			if text := answer.HookSpecificOutput.AdditionalContext; text != "" {
				texts = append(texts, text)
			}
		}
		read = len(data)
		return texts
	}
}
