package rules

import (
	"strings"
	"sync"
)

// class is what a phrase tells about a clause.
type class int

// The classes. A clause can be of several.
const (
	asks      class = iota // asks to remember: "remember that", "from now on"
	hints                  // may ask to remember: "in the future", "keep in mind"
	ruleFile               // wants a note in a rules file: "add a rule", "update AGENTS.md"
	durable                // always, never, every time
	whole                  // all, every, each, any
	repeated               // said before: "as I said", "I told you", "again"
	complains              // "why did you", "you keep", "stop doing"
	forbids                // don't, avoid, no more, must not
	prefers                // I prefer, my preference
	likes                  // I like, I want you to, I tend to
	uses                   // we use, I'm using
	machine                // I'm on, runs on, is deployed on
	self                   // I'm a, my name, I don't know
	agent                  // you, the agent, its names
	repo                   // code, tests, commits, files and the like
	tool                   // names of tools and languages
	style                  // how the agent answers: language, length, emojis
	product                // what the product shows: button, page, user
	temporary              // for now, this time
	question               // asks something
	inquiry                // begins with why, how, what
	must                   // should, must, need to
	oneOff                 // a task: let's, can you, please, now
	tells                  // tells what happened: I tried, it failed
	orders                 // begins with a working verb: use, run, keep
	because                // since, because, so
	contrast               // instead of, rather than, not
	workflow               // before a commit, after each change, when you
	fact                   // is a, lives in, stays, belongs to
	done                   // yes, ok, thanks: an answer
	decides                // decided, chose, settled on
	version                // a version or a path
	numClasses
)

// A table has one class a line: its name, then phrases separated by commas. A phrase is
// words; "*" stands for up to two words between, "^" for the beginning of a clause.
type phrase struct {
	class class
	words []string
	first bool
}

// tables are all phrases by their first word, and the words that a clause is split or named by.
type tables struct {
	phrases                             map[string][]phrase
	conjunctions, introductions, filler map[string]bool
	namespaces                          map[string]string // a word, and the namespace that it means
}

// compiled reads the tables once, when they are first needed.
var compiled = sync.OnceValue(func() *tables {
	t := &tables{phrases: make(map[string][]phrase, 1500), namespaces: map[string]string{},
		conjunctions: set(conjunctions), introductions: set(introductions), filler: set(filler)}
	for _, table := range []string{english, otherLanguages} {
		each(table, func(name, text string) {
			if p := readPhrase(name, text); len(p.words) > 0 {
				t.phrases[p.words[0]] = append(t.phrases[p.words[0]], p)
			}
		})
	}
	each(namespaces, func(name, text string) {
		for _, w := range wordsOf(text, 0) {
			t.namespaces[w.form] = name
		}
	})
	return t
})

// each calls found with each phrase of a table and the name of its line.
func each(table string, found func(name, text string)) {
	for line := range strings.Lines(table) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		for text := range strings.SplitSeq(list, ",") {
			if text = strings.TrimSpace(text); text != "" {
				found(name, text)
			}
		}
	}
}

func readPhrase(name, text string) phrase {
	p := phrase{class: classNames[name]}
	text, p.first = strings.CutPrefix(text, "^")
	for _, w := range strings.Fields(text) {
		if w == "*" {
			p.words = append(p.words, w)
			continue
		}
		for _, one := range wordsOf(w, 0) {
			p.words = append(p.words, one.form)
		}
	}
	return p
}

var classNames = map[string]class{
	"asks": asks, "hints": hints, "ruleFile": ruleFile, "durable": durable, "whole": whole, "repeated": repeated, "complains": complains,
	"forbids": forbids, "prefers": prefers, "likes": likes, "uses": uses, "machine": machine, "self": self, "agent": agent, "repo": repo,
	"tool": tool, "style": style, "product": product, "temporary": temporary, "question": question, "inquiry": inquiry, "must": must,
	"oneOff": oneOff, "tells": tells, "orders": orders, "because": because, "contrast": contrast, "workflow": workflow,
	"fact": fact, "done": done, "decides": decides,
}

// classes is a set of them.
type classes uint64

func (c classes) has(k class) bool { return c&(1<<k) != 0 }

// classify finds the classes of a clause.
func classify(words []word) classes {
	table := compiled().phrases
	var found classes
	asked := 0 // words up to here are a request to remember, and nothing else: "ab jetzt" is not "jetzt"
	for i, w := range words {
		for _, p := range table[w.form] {
			if p.class == asks && (!p.first || i == 0) && p.matches(words[i:]) {
				found |= 1 << asks
				asked = max(asked, i+len(p.words))
			}
		}
		if i < asked {
			continue
		}
		for _, p := range table[w.form] {
			if !found.has(p.class) && (!p.first || i == 0) && p.matches(words[i:]) {
				found |= 1 << p.class
			}
		}
		if isVersion(w.form) {
			found |= 1 << version
		}
	}
	return found
}

// matches reports whether the phrase begins at the first word.
func (p phrase) matches(words []word) bool {
	at := 0
	for i := 0; i < len(p.words); i++ {
		if p.words[i] == "*" {
			i++
			skipped := 0
			for at < len(words) && words[at].form != p.words[i] && skipped < 2 {
				at, skipped = at+1, skipped+1
			}
		}
		if at >= len(words) || words[at].form != p.words[i] {
			return false
		}
		at++
	}
	return true
}

// isVersion reports whether a word is a version, a path or a file.
func isVersion(w string) bool {
	digit := strings.ContainsAny(w, "0123456789")
	switch {
	case strings.ContainsAny(w, "/\\"):
		return true
	case strings.Contains(w, "."):
		return true
	}
	return digit && len(w) > 1 && (w[0] == 'v' || w[0] < '0' || w[0] > '9')
}
