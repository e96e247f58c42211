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

// TakesBack reports whether the rule takes an earlier text under another key back: it denies what
// that says, or gives another value for the same thing (tabs and spaces, English and Spanish, 80 and
// 100 columns). The rule must name nothing that the earlier text does not: "use spaces in Python" is
// an exception from "use tabs" and does not take it back. Only a rule that says itself that something
// changed ("now", "increased to", "I have never") may name more.
func (r Rule) TakesBack(key, text string) bool {
	if !r.mayTakeBack(key, text) {
		return false
	}
	earlier := newRule(key, text)
	shared, news := r.topics(earlier)
	switch {
	case !r.ofOneThing(earlier):
		return false
	case !r.said.turnsAgainst(earlier.said, shared):
		return false
	case len(news) == 0:
		return true
	}
	return (r.said.deniesAll || saysItChanged(r.text)) && len(shared) >= minTopic
}

// Opposes is TakesBack whatever the keys are about, for a rule that denies what the earlier text says or puts something in
// the place of a thing that it wants ("zerolog instead of slog").
func (r Rule) Opposes(key, text string) bool {
	if !r.mayTakeBack(key, text) {
		return false
	}
	earlier := newRule(key, text)
	shared, news := r.topics(earlier)
	mine, theirs := r.said.limits(), earlier.said.limits()
	lower := strings.ToLower(r.text)
	rejects := strings.Contains(lower, "instead of ") || strings.Contains(lower, "rather than ") || strings.Contains(lower, " not ")
	replaced := false
	for i, w := range r.said.order {
		if w = bare(w); i > 0 && rejects && slices.Contains(shared, w) && isDenied(mine[w]) && !isDenied(theirs[w]) {
			replaced = true
			news = slices.DeleteFunc(news, func(n string) bool { return n == bare(r.said.order[i-1]) })
		}
	}
	return len(news) == 0 && (replaced || len(shared) >= minShared && r.said.denies(earlier.said, shared))
}

// mayTakeBack is false for most texts that say something else, like mayRepeat.
func (r Rule) mayTakeBack(key, text string) bool {
	lower := strings.ToLower(text)
	return len(r.probes) < len(r.said.words) || // a synonym or another value may stand for a word
		slices.ContainsFunc(r.probes, func(p string) bool { return strings.Contains(lower, p) || strings.Contains(key, p) })
}

// topics are the words of the rule that the earlier one has too, in its text or its key, and those
// that it does not have. Values are neither: they are what may differ.
func (r Rule) topics(earlier Rule) (shared, news []string) {
	for _, w := range r.said.words {
		switch {
		case slices.Contains(earlier.said.words, w):
			shared = append(shared, w)
		case slices.Contains(earlier.key, w):
		case isNumber(w), weak()[w], alternatives()[w] != "", r.said.permits(w):
		default:
			news = append(news, w)
		}
	}
	return shared, news
}

// permits reports whether a word of the statement permits what the others say, as in "pushing to main is allowed".
func (s statement) permits(w string) bool {
	return permitting()[w] && !isDenied(s.limits()[w])
}

// turnsAgainst reports whether one of the statements denies a shared word that the other does not deny,
// or whether they have two values in the same place.
func (s statement) turnsAgainst(earlier statement, shared []string) bool {
	return s.denies(earlier, shared) || s.otherValue(earlier, s.limits(), earlier.limits()) || s.otherNumber(earlier)
}

// denies is turnsAgainst without the values.
func (s statement) denies(earlier statement, shared []string) bool {
	mine, theirs := s.limits(), earlier.limits()
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
	return here > 0 && there > 0 || (here+there)%2 == 1 || s.deniesAll && !earlier.deniesAll && len(shared) > 0
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
func (s statement) otherValue(earlier statement, mine, theirs map[string]string) bool {
	for _, a := range s.words {
		group := alternatives()[a]
		if group == "" || isDenied(mine[a]) || slices.Contains(earlier.words, a) {
			continue
		}
		for _, b := range earlier.words {
			if alternatives()[b] == group && !isDenied(theirs[b]) && !slices.Contains(s.words, b) {
				return true
			}
		}
	}
	return false
}

// otherNumber reports whether the statements have two numbers in the same place: with the same unit,
// or beside the same word.
func (s statement) otherNumber(earlier statement) bool {
	for i, a := range s.order {
		a = bare(a) // "over 40 lines"
		if !isNumber(a) || slices.Contains(earlier.words, a) || numbered()[neighbour(s.order, i, -1)] && !measures()[neighbour(s.order, i, 1)] {
			continue
		}
		for j, b := range earlier.order {
			switch b = bare(b); {
			case !isNumber(b) || slices.Contains(s.words, b) || unit(a) != unit(b):
			case unit(a) != "", neighbour(s.order, i, 1) == neighbour(earlier.order, j, 1), neighbour(s.order, i, -1) == neighbour(earlier.order, j, -1):
				return true
			}
		}
	}
	return false
}

// neighbour is the word next to the one at a place; at an edge, the word of the place itself, which is
// no number's neighbour.
func neighbour(order []string, at, step int) string {
	if at+step < 0 || at+step >= len(order) {
		return order[at]
	}
	return bare(order[at+step])
}

// bare is a word of an order without the turn before it.
func bare(w string) string { return w[strings.LastIndexByte(w, ' ')+1:] }

// numbered are words before a number that tells things apart, and is no value: "step 3". measures are words
// after one that is a value all the same: "wrap lines at 100 columns".
var (
	numbered = sync.OnceValue(func() map[string]bool {
		return meanings(`number step phase part section chapter issue ticket pr commit sprint release milestone week level case rule line page task`)
	})
	measures = sync.OnceValue(func() map[string]bool {
		return meanings(`columns characters chars lines words spaces bytes percent seconds minutes hours days`)
	})
)

func meanings(words string) map[string]bool {
	out := map[string]bool{}
	for w := range set(words) {
		out[meaning(w)] = true
	}
	return out
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

// saysItChanged reports whether a text tells of a change.
func saysItChanged(text string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if changes()[strings.Trim(w, closing)] {
			return true
		}
	}
	return false
}

// minRejected is how many words a rejection shares with what it rejects.
const minRejected = 2

// Rejects reports whether the rule says that what an earlier text proposes was tried and rejected:
// "we tried Redis for sessions and went back: too slow" rejects "keep sessions in Redis".
func (r Rule) Rejects(key, text string) bool {
	lower := " " + strings.Join(strings.FieldsFunc(strings.ToLower(r.text), notLetter), " ") + " "
	if !slices.ContainsFunc(rejections, func(p string) bool { return strings.Contains(lower, " "+p+" ") }) {
		return false
	}
	shared, _ := r.topics(newRule(key, text))
	return len(shared) >= minRejected
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }

// rejections are the phrases that say that something was tried and is not done.
var rejections = []string{
	"rejected", "ruled out", "decided against", "gave up on", "given up on", "abandoned", "went back to", "went back", "rolled back", "backed out", "reverted",
	"did not work", "didn't work", "does not work", "doesn't work", "was too slow", "failed because", "was a mistake", "caused more problems",
}

// deniesAll reports whether a text denies all that follows: "I have never met Kelly at a library".
func deniesAll(text string) bool {
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return slices.ContainsFunc([]string{"'ve never ", "have never ", "has never ", "had never ", "haven't ", "hasn't ", "have not ", "has not "}, func(p string) bool { return strings.Contains(lower, p) })
}

// changes are the words by which a statement says that something is not as it was.
var changes = sync.OnceValue(func() map[string]bool {
	return set(`now longer anymore recently increased decreased reduced raised lowered extended shortened
shifted moved rescheduled postponed adjusted updated changed switched grown grew improved reached replaced dropped instead
switch change move`)
})

// permitting are the words that permit something.
var permitting = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range set("allowed permitted fine ok okay acceptable") {
		out[meaning(w)] = true
	}
	return out
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
metric imperial
meters metres kilometers kilometres miles feet
lower lowercase upper uppercase capital`, "\n") {
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
