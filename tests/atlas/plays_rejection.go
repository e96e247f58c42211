package main

import (
	"fmt"
	"strings"
)

// rejectionPlays are those about values that a person has rejected.
func rejectionPlays() map[string]play {
	return map[string]play{
		"tombstone.laundering_sequence": {
			played: "the person forgets a value and states another; agents restate the first, under its key and another one, in two sessions", run: laundering,
		},
		"tombstone.survives_ttl_and_prune": {
			played: "three years later, after `compact`, `doctor`, `git gc` and new indexes, an agent states the value again", run: survivesPrune,
		},
		"tombstone.key_normalization_attack": {
			played: "the value with other case, spaces, invisible and look-alike letters, quotes; and a paraphrase", run: normalization,
		},
		"tombstone.reextraction_stays_inactive": {
			played: "an agent imports the source of the value again, and the person says it in a prompt", run: reextraction,
		},
		"tombstone.no_second_memory_unit": {
			played: "the same; what is stored and what waits is counted before and after", open: "the write is refused (consulted)", run: noSecondUnit,
		},
		"correction.retraction_without_replacement": {
			played: "the person takes back what an agent had stored, and the agent forgets it; the source is imported again", run: retraction,
		},
	}
}

const rejected, neighbour = "the build always runs with ninja here", "the tests always run with gotestsum here"

// reject stores two values and forgets one of them.
func reject(w *world) {
	w.do("add", "build.tool", rejected)
	w.do("add", "test.tool", neighbour)
	w.do("forget", "build.tool")
}

// inactive checks that the value reaches nobody and the neighbour does.
func inactive(w *world, when string) {
	const question = "what do the build and the tests run with?"
	start := w.start()
	got := w.reaches(question)
	switch {
	case strings.Contains(start, "with ninja"):
		w.want(false, "%s, the value reaches a session", when)
	case strings.Contains(got, "with ninja"):
		w.want(false, "%s, a search gives it", when)
	}
	w.want(strings.Contains(got, neighbour), "%s, the neighbour does not reach a session", when)
}

func laundering(w *world) {
	reject(w)
	w.do("add", "build.tool", "the build always runs with bazel here")
	for _, restate := range []struct {
		how  string
		args []string
	}{
		{"concluded by an agent on two days, under its key", []string{"add", "--auto", "build.tool", rejected}},
		{"concluded by an agent on two days, under another key", []string{"add", "--auto", "build.driver", rejected}},
		{"passed on as the person's words under its key", []string{"add", "build.tool", rejected}},
		{"passed on as the person's words under another key", []string{"add", "build.engine", rejected}},
	} {
		for range 2 {
			w.start()
			w.agent(restate.args...)
			w.later(1)
		}
		inactive(w, restate.how)
		// The person rejects it once more before the next way.
		w.try("forget", restate.args[len(restate.args)-2])
		w.do("add", "build.tool", "the build always runs with bazel here")
	}
}

func survivesPrune(w *world) {
	reject(w)
	w.later(3 * 366)
	w.jobs()
	for _, key := range []string{"build.tool", "build.driver"} {
		_, ok := w.agent("add", key, rejected)
		w.want(!ok, "%s is stored again", key)
	}
	_, ok := w.agent("remember", rejected)
	w.want(!ok, "it is stored again as a fact")
	inactive(w, "after three years")
}

func normalization(w *world) {
	reject(w)
	for name, text := range map[string]string{
		"case":       strings.ToUpper(rejected),
		"spaces":     "  the build   always\truns with  ninja here ",
		"invisible":  "the bu\u200bild always runs with nin\u200dja here",
		"look-alike": "the build \u0430lw\u0430ys runs with ninj\u0430 here",
		"full width": "the build always runs with \uff4e\uff49\uff4e\uff4a\uff41 here",
		"quotes":     `"the build always runs with ninja here."`,
		"list mark":  "- **the build always runs with ninja here**",
	} {
		answer, ok := w.agent("add", "build.driver", text)
		w.want(!ok, "%s is stored: %s", name, strings.TrimSpace(answer))
		answer, ok = w.agent("remember", text)
		w.want(!ok, "%s is stored as a fact: %s", name, strings.TrimSpace(answer))
	}
	inactive(w, "after the variants")
	_, ok := w.agent("add", "build.engine", "compile everything through the ninja generator")
	found, _ := w.try("recall", "ninja generator")
	w.want(ok && strings.Contains(found, "compile everything"), "a paraphrase is refused too")
}

const source = "# Notes\n\n- " + rejected + "\n- releases are cut on Thursdays\n"

// extractAgain feeds the source by the ways that take something out of a text.
func extractAgain(w *world) {
	w.write("notes.md", source)
	w.agent("import", "notes.md", "--yes")
	w.start()
	w.prompt("from now on " + rejected)
	w.jobs()
}

func reextraction(w *world) {
	reject(w)
	extractAgain(w)
	inactive(w, "after the import")
	w.want(strings.Contains(w.reaches("when are releases cut?"), "Thursdays"), "the import did not store the rest")
}

func noSecondUnit(w *world) {
	reject(w)
	count := func() int {
		n := strings.Count(w.do("list", "--json")+w.do("review", "--json"), "with ninja")
		for _, file := range files(w.repo, "with ninja") {
			if !strings.HasPrefix(file, ".git/") && file != "notes.md" {
				n++
			}
		}
		return n
	}
	before := count()
	extractAgain(w)
	w.want(count() == before, "%d more places have it", count()-before)
	w.want(strings.Contains(w.reaches("when are releases cut?"), "Thursdays"), "the import did not store the rest")
}

func retraction(w *world) {
	const sister, rest = "the person's sister works as a doctor", "the person's office is in Lisbon"
	for i, text := range []string{sister, rest} {
		w.prompt("remember that " + text)
		answer, ok := w.tool("remember", map[string]any{"value": text, "said_by_user": true, "prompt": i + 1, "scope": "user"})
		w.want(ok, "the agent cannot store it: %s", answer)
	}
	w.want(strings.Contains(w.reaches("what does the sister do?"), "doctor"), "it is not found before")
	w.prompt("I misspoke, I have no sister: forget that")
	answer, ok := w.tool("forget", map[string]any{"target": sister, "said_by_user": true})
	w.want(ok, "the agent cannot forget it: %s", answer)
	w.write("notes.md", fmt.Sprintf("# Ada\n\n- %s\n- %s\n- the person likes tea\n", sister, rest))
	w.agent("import", "notes.md", "--yes")
	w.jobs()
	got := w.reaches("what does the person's sister do, and where is the office?")
	w.want(!strings.Contains(got, "doctor"), "it is found again")
	w.want(strings.Contains(got, "Lisbon"), "the rest is not found")
}
