package similar

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// minTopic is how many words two statements have to share to be about the same thing, where the later
// one says itself that something changed.
const minTopic = 3

// TakenBack reports whether a later text under another key takes the rule back: it denies what the
// rule says, or gives another value for the same thing (tabs and spaces, English and Spanish, 80 and
// 100 columns). The later text must name nothing that the rule does not: "use spaces in Python" is an
// exception from "use tabs" and does not take it back. Only a text that says itself that something
// changed ("now", "increased to", "I have never") may name more.
func (r Rule) TakenBack(key, text string) bool {
	later := newRule(key, text)
	shared, news := r.topics(later)
	switch {
	case !r.said.turnsAgainst(later.said, shared):
		return false
	case len(news) == 0:
		return true
	}
	return saysItChanged(text) && len(shared) >= minTopic
}

// topics are the words of the later rule that this one has too, in its text or its key, and those that
// only the later one has. Values are neither: they are what may differ.
func (r Rule) topics(later Rule) (shared, news []string) {
	for _, w := range later.said.words {
		switch {
		case slices.Contains(r.said.words, w):
			shared = append(shared, w)
		case slices.Contains(r.key, w):
		case isNumber(w), weak()[w], alternatives()[w] != "":
		default:
			news = append(news, w)
		}
	}
	return shared, news
}

// turnsAgainst reports whether the later statement denies a shared word that this one does not deny,
// or the other way round, or has another value in the same place.
func (s statement) turnsAgainst(later statement, shared []string) bool {
	mine, theirs := s.limits(), later.limits()
	here, there := 0, 0 // how many shared words each of the two denies alone
	for _, w := range shared {
		a, b := mine[w], theirs[w]
		switch {
		case a == "before" && b == "after", a == "after" && b == "before":
			return true
		case isDenied(a) && !isDenied(b):
			here++
		case isDenied(b) && !isDenied(a):
			there++
		}
	}
	// "never commit without tests" denies both words of "commit with tests", and agrees with it.
	if here > 0 && there > 0 || (here+there)%2 == 1 || later.deniesAll && !s.deniesAll && len(shared) > 0 {
		return true
	}
	return s.otherValue(later, mine, theirs) || s.otherNumber(later)
}

// limits are the turns before each word: "not", "before" or "".
func (s statement) limits() map[string]string {
	out := map[string]string{}
	for _, w := range s.order {
		at := strings.LastIndexByte(w, ' ')
		out[w[at+1:]] = w[:max(at, 0)]
	}
	return out
}

func isDenied(limit string) bool {
	return strings.Count(" "+limit+" ", " "+denied+" ")%2 == 1
}

// otherValue reports whether the statements want two words that exclude each other.
func (s statement) otherValue(later statement, mine, theirs map[string]string) bool {
	for _, a := range s.words {
		group := alternatives()[a]
		if group == "" || isDenied(mine[a]) || slices.Contains(later.words, a) {
			continue
		}
		for _, b := range later.words {
			if alternatives()[b] == group && !isDenied(theirs[b]) && !slices.Contains(s.words, b) {
				return true
			}
		}
	}
	return false
}

// otherNumber reports whether a number of the later statement stands where this one has another:
// with the same unit, or beside the same word.
func (s statement) otherNumber(later statement) bool {
	for i, b := range later.order {
		if !isNumber(b) || slices.Contains(s.words, b) {
			continue
		}
		for j, a := range s.order {
			if !isNumber(a) || slices.Contains(later.words, a) {
				continue
			}
			if unit(a) != "" && unit(a) == unit(b) || unit(a) == unit(b) && (beside(s.order, j, 1) == beside(later.order, i, 1) || beside(s.order, j, -1) == beside(later.order, i, -1)) {
				return true
			}
		}
	}
	return false
}

// beside is the word next to the one at a place; of an edge, a text that is equal to none.
func beside(order []string, at, step int) string {
	if at+step < 0 || at+step >= len(order) {
		return strings.Repeat(" ", at+2)
	}
	w := order[at+step]
	return w[strings.LastIndexByte(w, ' ')+1:]
}

// isNumber reports whether a word is a number, an amount or a version.
func isNumber(w string) bool {
	w = strings.TrimLeft(w, "$€£v")
	return w != "" && '0' <= w[0] && w[0] <= '9'
}

// unit is what a number is of, where it is written as one word: "ms" of "250ms".
func unit(w string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == '.' || r == ',' {
			return -1
		}
		return r
	}, w)
}

// saysItChanged reports whether a text tells of a change, or denies an experience.
func saysItChanged(text string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if changes()[strings.Trim(w, closing)] {
			return true
		}
	}
	return false
}

// deniesAll reports whether a text denies all that follows: "I have never met Kelly at a library".
func deniesAll(text string) bool {
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return slices.ContainsFunc([]string{"'ve never ", "have never ", "has never ", "had never ", "haven't ", "hasn't ", "have not ", "has not "}, func(p string) bool { return strings.Contains(lower, p) })
}

// changes are the words by which a statement says that something is not as it was.
var changes = sync.OnceValue(func() map[string]bool {
	return set(`now never longer anymore haven't hasn't recently increased decreased reduced raised lowered extended shortened
shifted moved rescheduled postponed adjusted updated changed switched grown grew improved reached replaced dropped instead
switch change move`)
})

// weak are words that do not tell what a rule is about, beside the filler.
var weak = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range set(`write make create set give want like let go switch change move stick say now under at most least max
maximum minimum up longer more anymore any some case`) {
		out[meaning(w)] = true
	}
	return out
})

// alternatives are words of which a rule wants one at a time: by word, the first of its group.
var alternatives = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for group := range strings.SplitSeq(`tabs spaces
single double
npm pnpm yarn bun deno
pip uv poetry conda pipenv
jest vitest mocha jasmine
pytest unittest
postgres postgresql mysql sqlite mariadb mongodb
english spanish german french italian portuguese russian chinese japanese korean dutch polish czech turkish
castellano inglés español deutsch englisch anglais français
camelCase camelcase snake_case kebab pascalcase
railway heroku vercel netlify render
rebase squash
short long
brief detailed
concise verbose
formal informal
light dark
windows macos linux
zsh bash fish powershell
react vue svelte angular
docker podman
github gitlab bitbucket
eslint biome
black ruff yapf
rest graphql
vim emacs vscode
british american
metric imperial`, "\n") {
		first := ""
		for w := range strings.FieldsSeq(group) {
			if first == "" {
				first = w
			}
			out[w], out[meaning(w)] = first, first
		}
	}
	return out
})
