//go:build e2e

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// saying is what a person says in the three days: asked is a request to remember, key and value are what a model stores that
// judges well ("" where nothing lasts), and words are what the next session must have of it.
type saying struct {
	text              string
	asked             bool
	key, value, words string
}

// days are three days of work on a made-up service that sells ferry tickets. The person speaks English and German, changes
// their mind, quotes others, and mostly asks for work.
var days = [][]saying{{
	{text: "good morning, what is open in the ticket service?"},
	{text: "Remember that we deploy on Tuesdays only.", asked: true, key: "deploy.day", value: "Deploy on Tuesdays only", words: "Tuesdays only"},
	{text: "why does the booking test fail?"},
	{text: "run it again with the race detector"},
	{text: "From now on write commit messages in the imperative mood.", asked: true, key: "git.messages", value: "Commit messages in the imperative mood", words: "imperative mood"},
	{text: "rename the struct to Sailing"},
	{text: "in this one file use tabs instead of spaces"},
	{text: "fix the typo in the header of the price table"},
	{text: "the linter says you must never return a naked error"},
	{text: "ja, mach weiter"},
	{text: "Merk dir bitte: Preise werden in Cent gespeichert, nie als Kommazahl.", asked: true, key: "prices.storage", value: "Preise werden in Cent gespeichert, nie als Kommazahl", words: "Preise werden in Cent"},
	{text: "show me the handler of the refund"},
	{text: "We use pnpm here, never npm.", key: "dependencies.manager", value: "pnpm, never npm", words: "pnpm, never npm"},
	{text: "add a test for a sailing without seats"},
	{text: "now split this test into two"},
	{text: "Make it a rule that every endpoint has a timeout.", asked: true, key: "api.timeout", value: "Every endpoint has a timeout", words: "endpoint has a timeout"},
	{text: "what does the column gate mean?"},
	{text: "answer in one sentence this time"},
	{text: "commit it"},
	{text: "does the page show the harbour in the local language?"},
	{text: "my teacher always said: comments are lies"},
	{text: "delete the old csv export"},
	{text: "use a map there"},
	{text: "explain the difference between the two queries"},
	{text: "push the branch please"},
	{text: "danke, das war alles"},
}, {
	{text: "guten Morgen, wo waren wir?"},
	{text: "the refund of a group is wrong by one cent, look into it"},
	{text: "Remember: we deploy on Thursdays now, no longer on Tuesdays.", asked: true, key: "deploy.day", value: "Deploy on Thursdays", words: "Deploy on Thursdays"},
	{text: "show the last ten lines of the log"},
	{text: "please remember to fix the parser after lunch", asked: true}, // a model stores nothing of it: the person decides
	{text: "Ab jetzt bitte alle Kommentare auf Englisch.", asked: true, key: "comments.language", value: "Comments are in English", words: "Comments are in English"},
	{text: "warum ist der Test so langsam?"},
	{text: "for this task skip the tests"},
	{text: "add the missing index to the sailings table"},
	{text: "Don't forget: the staging database is wiped every night.", asked: true, key: "staging.database", value: "The staging database is wiped every night", words: "wiped every night"},
	{text: "who calls this function?"},
	{text: "rewrite the loop with slices.Contains"},
	{text: "I prefer table-driven tests over one function for each case.", key: "tests.style", value: "Table-driven tests over one function for each case", words: "Table-driven tests"},
	{text: "the reviewer wrote: always use pointers for large structs"},
	{text: "what is the return value here?"},
	{text: "nimm in dieser Antwort keine Liste"},
	{text: "move the constant to the top of the file"},
	{text: "does it compile?"},
	{text: "Always run the linter before a commit, remember that.", asked: true, key: "git.lint", value: "Run the linter before a commit", words: "linter before a commit"},
	{text: "roll the last change back"},
	{text: "open the file of the seat map"},
	{text: "the color of the button is wrong on Safari"},
	{text: "make the error message shorter"},
	{text: "add the harbour of Kiel to the seed data"},
	{text: "commit and push"},
	{text: "bis morgen"},
}, {
	{text: "hi, pick up where we stopped"},
	{text: "Remember for all my projects that I want short answers.", asked: true, key: "user.answers", value: "Short answers", words: "Short answers"},
	{text: "why is the pipeline red?"},
	{text: "Nein, ab jetzt die Commit-Texte auf Deutsch, merk dir das.", asked: true, key: "git.messages", value: "Commit-Texte auf Deutsch, im Imperativ", words: "Commit-Texte auf Deutsch"},
	{text: "add a retry to the payment client"},
	{text: "just for now print the whole request"},
	{text: "remove that print again"},
	{text: "Actually keep prices as decimals, remember that instead of cents.", asked: true, key: "prices.storage", value: "Prices are kept as decimals", words: "kept as decimals"},
	{text: "how many seats has the largest ferry?"},
	{text: "generate the client from the schema"},
	{text: "Never log passenger names; make that a rule.", asked: true, key: "logging.names", value: "Never log passenger names", words: "log passenger names"},
	{text: "is there a helper for dates?"},
	{text: "lies mir die Fehlermeldung vor"},
	{text: "use the helper there"},
	{text: "In this repository the API always answers in JSON with snake_case fields.", key: "api.fields", value: "The API answers in JSON with snake_case fields", words: "snake_case fields"},
	{text: "check the spelling of the docs page"},
	{text: "the ticket says the customer wants blue buttons"},
	{text: "update the lock file"},
	{text: "what does this regular expression match?"},
	{text: "only this once, commit without the linter"},
	{text: "sort the imports"},
	{text: "close the file handle in the error path too"},
	{text: "show me what changed"},
	{text: "write a summary of today into the pull request"},
	{text: "ship it"},
	{text: "schönes Wochenende"},
}}

// reminded is the number in memctl's line to the agent after a prompt.
var reminded = regexp.MustCompile("(Asked to remember|Lasting)[^\"]{0,40}prompt (\\d+)")

// judge is how a model answers a prompt: with the call of remember that it makes, nil for none. number is that of the line
// that memctl gave with the prompt, 0 without one; place is the prompt's place in the three days.
type judge func(s saying, number, place int) object

// ideal stores what lasts, under the key of the rule that it changes.
func ideal(s saying, number, _ int) object {
	if s.key == "" || number == 0 {
		return nil
	}
	call := object{"key": s.key, "value": s.value, "said_by_user": true, "prompt": number}
	if strings.HasPrefix(s.key, "user.") {
		call["scope"] = "user"
	}
	return call
}

// forgetful stores nothing.
func forgetful(saying, int, int) object { return nil }

// eager stores every prompt under a key of its own.
func eager(s saying, number, place int) object {
	call := object{"key": fmt.Sprintf("notes.n%02d", place), "value": otherCase(s.text), "said_by_user": true}
	if number > 0 {
		call["prompt"] = number
	}
	return call
}

// otherCase changes the case of the first letter, so that the prompt and what is stored of it are told apart in a request.
func otherCase(text string) string {
	first := text[:1]
	if first == strings.ToLower(first) {
		return strings.ToUpper(first) + text[1:]
	}
	return strings.ToLower(first) + text[1:]
}

// TestDays plays three days of prompts with Claude Code and Codex, each with a model that judges well, one that forgets
// everything, and one that stores everything.
func TestDays(t *testing.T) {
	tools := map[string]string{"claude": "mcp__memctl__remember", "codex": "mcp__memctl.remember"}
	for _, c := range []client{claudeClient(), codexClient()} {
		for name, model := range map[string]judge{"ideal": ideal, "forgetful": forgetful, "eager": eager} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				r := newAsked(t, c, "--yes")
				place, lines := 0, 0
				for d, day := range days {
					at := r.terminal(c.typed...)
					for _, s := range day {
						place++
						r.m.decide = func(body string) (string, object) {
							number, _ := r.numberAfter(body, s.text)
							return tools[c.name], model(s, number, place)
						}
						r.m.about = jsonText(s.text)
						turn := r.talk(r.ask(at, s.text), jsonText(s.text))
						number, line := r.numberAfter(turn[0].body, s.text)
						if line != "" {
							lines++
							t.Logf("day %d, %q: %s", d+1, s.text, line)
						}
						if s.asked && number == 0 {
							t.Errorf("%q is asked to be remembered, and the agent has no line", s.text)
						}
						if model(s, number, place) != nil {
							at.until("answer after the tool", func() bool { return r.m.answered(jsonText(s.text), 1) })
							at.still()
						}
					}
					r.leave(at)
				}
				r.m.decide = nil
				at := r.terminal(c.typed...)
				next := memoryIn(t, r.talk(r.ask(at, prompt), prompt)[0]).text
				screen := at.text()
				r.leave(at)
				t.Logf("%d of %d prompts had a line\n%s\n%s\n%s", lines, place, next, r.run("memctl", "review"), screen)
				r.checkDays(name, next, screen)
			})
		}
	}
}

// numberAfter is the number in the line that memctl gave with a prompt, and that line.
func (r *trial) numberAfter(body, text string) (number int, line string) {
	at := strings.LastIndex(body, jsonText(text))
	if at < 0 {
		return 0, ""
	}
	if found := reminded.FindStringSubmatch(body[at:]); found != nil {
		_, _ = fmt.Sscan(found[2], &number)
		return number, found[0]
	}
	return 0, ""
}

// checkDays checks what three days have left: next is what the next session has, screen what its person reads.
func (r *trial) checkDays(model, next, screen string) {
	r.t.Helper()
	final := map[string]saying{}
	var asked, errands, passing []string
	for _, s := range slices.Concat(days...) {
		switch {
		case s.key != "":
			final[s.key] = s
			if s.asked {
				asked = append(asked, s.text)
			}
		case s.asked:
			errands = append(errands, s.text)
		default:
			passing = append(passing, s.text)
		}
	}
	stored, waiting := r.run("memctl", "list", "--json"), r.run("memctl", "review", "--json")
	switch model {
	case "ideal":
		for _, s := range final {
			if n := strings.Count(next, s.words); n != 1 && s.asked {
				r.t.Errorf("%q: the next session has %q %d times, want once", s.text, s.words, n)
			}
		}
		if waiting := r.proposals(); len(waiting) != len(errands) {
			r.t.Errorf("%q wait in review, want %q", waiting, errands)
		}
		for _, text := range passing {
			if strings.Contains(stored, jsonText(text)) || strings.Contains(waiting, jsonText(text)) {
				r.t.Errorf("%q is in memory", text)
			}
		}
	case "forgetful":
		if n := strings.Count(stored, `"key":`); n != 1 {
			r.t.Errorf("memory holds %d items, want the one of before: hooks store nothing", n)
		}
		for _, text := range asked {
			if !strings.Contains(waiting, jsonText(text)) && !r.isProposed(text) {
				r.t.Errorf("%q was asked for, and does not wait in review", text)
			}
		}
		if !strings.Contains(screen, "heard") {
			r.t.Error("the person does not read what was heard")
		}
	case "eager":
		if !strings.Contains(screen, "new memor") {
			r.t.Error("the person does not read that there are new memories")
		}
	}
}

// isProposed reports whether a statement of the prompt waits in review: one has at least half of its words.
func (r *trial) isProposed(text string) bool {
	words := strings.Fields(text)
	return slices.ContainsFunc(r.proposals(), func(value string) bool {
		n := 0
		for _, w := range words {
			if strings.Contains(value, strings.Trim(w, ".,:;")) {
				n++
			}
		}
		return 2*n >= len(words)
	})
}
