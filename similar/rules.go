package similar

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// minShared is the number of distinctive words that two texts under different keys have in
// common: a text of one word says nothing without its key.
const minShared = 2

// Rule is a text under a key, read once to be compared with many.
type Rule struct {
	key    []string // the meanings of its words
	said   statement
	probes []string // beginnings of words that a repeat has, as long as no synonym stands for them
}

// NewRule reads a rule.
func NewRule(key, text string) Rule {
	r := newRule(key, text)
	for _, w := range r.said.words {
		switch {
		case isSynonym()[w] || strings.Contains(w, "'"):
		case exact(w):
			r.probes = append(r.probes, strings.ToLower(w))
		default: // an ending may have changed its last letters
			r.probes = append(r.probes, w[:max(min(2, len(w)), min(4, len(w)-1))])
		}
	}
	return r
}

func newRule(key, text string) Rule {
	r := Rule{said: readStatement(text)}
	for _, w := range keyWords(key) {
		r.key = append(r.key, meaning(w))
	}
	return r
}

// Restated reports whether another text under the rule's own key states the same rule: the
// two texts have the same distinctive words, numbers and names in the same order, and the same
// words in them are denied, come before something or are an exception. A word that the key
// has may be missing. "api on 8080, web on 3000" is another rule than the other way round.
func (r Rule) Restated(text string) bool {
	return r.agrees(Rule{key: r.key, said: readStatement(text)}, 1)
}

// Repeats reports whether a text under another key states the same rule. It does not where
// each key names something that neither text does: "backend.tests" and "frontend.tests" are
// two things with the same rule. Where the text has no word of the two keys, as "30 seconds"
// of a timeout, none of them may name anything else.
func (r Rule) Repeats(key, text string) bool {
	if !r.mayRepeat(key, text) {
		return false
	}
	other := newRule(key, text)
	if !r.agrees(other, minShared) && !r.turnedRound(other, minShared) {
		return false
	}
	return r.ofOneThing(other)
}

// ofOneThing reports whether the keys of two rules may name one thing.
func (r Rule) ofOneThing(other Rule) bool {
	if !r.named(r) && !r.named(other) {
		return r.covers(other) && other.covers(r)
	}
	return r.covers(other) || other.covers(r)
}

// mayRepeat is false for most texts that say something else. It costs a thirtieth of reading
// them, and an add compares its text with every item.
func (r Rule) mayRepeat(key, text string) bool {
	lower := strings.ToLower(text)
	for _, p := range r.probes {
		if !strings.Contains(lower, p) && !strings.Contains(key, p) {
			return false
		}
	}
	return true
}

// agrees reports whether the texts of two rules have the same words in the same order, and so
// many of them.
func (r Rule) agrees(other Rule, shared int) bool {
	mine, theirs := r.common(other)
	return slices.Equal(mine.order, theirs.order) && len(mine.words) >= shared
}

// turnedRound reports whether one of the texts is the other one in the passive: "wrap errors"
// and "errors are wrapped" have the same words in another order. So do "staging before
// production" and "production before staging", in which nothing is passive, and texts whose
// numbers or names changed places.
func (r Rule) turnedRound(other Rule, shared int) bool {
	if r.said.passive == other.said.passive {
		return false
	}
	mine, theirs := r.common(other)
	if !slices.Equal(mine.names, theirs.names) || len(mine.words) < shared {
		return false
	}
	slices.Sort(mine.order)
	slices.Sort(theirs.order)
	return slices.Equal(mine.order, theirs.order)
}

// common are the two statements, each without what the other's key says for it.
func (r Rule) common(other Rule) (mine, theirs statement) {
	return r.said.without(other.key, other.said), other.said.without(r.key, r.said)
}

// named reports whether the rule's text has a word of the other's key.
func (r Rule) named(other Rule) bool {
	return slices.ContainsFunc(r.said.words, func(w string) bool { return slices.Contains(other.key, w) })
}

// covers reports whether the rule names all that the other's key does.
func (r Rule) covers(other Rule) bool {
	for _, w := range other.key {
		if !vague()[w] && !slices.Contains(r.key, w) && !slices.Contains(r.said.words, w) && !slices.Contains(other.said.words, w) {
			return false
		}
	}
	return true
}

// statement is what a text says, without the words that only hold its sentences together.
type statement struct {
	words []string // distinctive words, sorted: stems, or names as they are written
	order []string // the words as they come, each with what limits it: "not push", "before commit"
	names []string // those of them that count as they are written: numbers, names of code
	// passive: the text has a form of "be", or says what should be.
	passive bool
}

// without leaves out the words of a key that the other statement does not have.
func (s statement) without(key []string, other statement) statement {
	var left statement
	for _, w := range s.order {
		last := w[strings.LastIndexByte(w, ' ')+1:]
		if w == last && slices.Contains(key, w) && !slices.Contains(other.words, w) {
			continue
		}
		left.order = append(left.order, w)
		if slices.Contains(s.names, last) {
			left.names = append(left.names, last)
		}
		if !slices.Contains(left.words, last) {
			left.words = append(left.words, last)
		}
	}
	return left
}

// read takes a text apart.
func readStatement(text string) statement {
	var s statement
	turn := ""   // waits for the word that it limits
	before := "" // the last word
	add := func(word string) {
		s.words = append(s.words, word)
		s.order = append(s.order, strings.TrimLeft(turn+" "+word, " "))
		turn = ""
	}
	tokens := strings.Fields(conditionLast(pullRequests.Replace(text)))
	for i, token := range tokens {
		if label(tokens[i:]) {
			add(before + "-" + strings.ToLower(token[:1]))
			continue
		}
		quoted := len(token) > 2 && token[0] == '`' && strings.Trim(token[1:], closing) != "" && strings.Contains(token[1:], "`")
		for _, word := range split(unmarked(token)) {
			folded := fold(word)
			before = folded
			if folded == "longer" && turn == denied {
				continue // "no longer" is one denial
			}
			if t := turns()[folded]; t != "" && !quoted || strings.HasSuffix(folded, "n't") {
				turn = turned(turn, cmp.Or(t, denied))
				continue
			}
			stem := folded
			if exact(word) {
				s.names = append(s.names, stem)
			} else {
				stem = meaning(folded)
				s.passive = s.passive || passives()[folded]
			}
			if quoted || !filler()[folded] && !filler()[stem] {
				add(stem)
			}
		}
	}
	if turn != "" {
		s.order = append(s.order, turn)
	}
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	return s
}

// conditionLast brings a condition that stands before its rule behind it: "before a commit, run
// the tests" is "run the tests before a commit".
func conditionLast(text string) string {
	first, _, _ := strings.Cut(text, " ")
	switch strings.ToLower(first) {
	case "before", "after", "when", "whenever", "if", "while", "during", "until", "unless", "except":
		if condition, rule, ok := strings.Cut(text, ", "); ok && !strings.Contains(rule, ", ") {
			return strings.TrimRight(rule, ".!") + " " + condition
		}
	}
	return text
}

// label reports whether the first of these tokens is a letter that tells two things apart, as
// in "server a" and "part b". An "a" is one where a verb comes after it, or nothing.
func label(tokens []string) bool {
	letter := strings.TrimRight(tokens[0], closing)
	last := len(tokens) == 1 || letter != tokens[0]
	if len(letter) != 1 || !unicode.IsLetter(rune(letter[0])) || letter == "I" && !last {
		return false
	}
	return !strings.EqualFold(letter, "a") || last || slices.Contains([]string{"is", "was", "has", "does", "must", "should", "will", "and", "or", "to", "in", "of"}, tokens[1])
}

// turned is a turn after another one before the same word: "rather than" is one, and "not
// before" has both.
func turned(turn, next string) string {
	if turn == "" || turn == next {
		return next
	}
	return turn + " " + next
}
