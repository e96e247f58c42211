package recall

import (
	"strings"
	"unicode"

	"github.com/memctl/memctl/recall/index"
)

const (
	// akinCounts is what a related word counts beside the question's own.
	akinCounts = 0.5
	// leastAnswered is the score of what is found by its subject alone, without a
	// word of the question.
	leastAnswered = 0.05
)

// scale makes the scores say how far the best hit answers the question: among hits
// the best has always 1, even where all it shares with the question is a name. What an
// embedder finds has such a score already.
func (s *search) scale(hits []Hit, first int) {
	if len(hits) == 0 || len(s.q.Similar) > 0 {
		return
	}
	answered := max(s.cover(first), leastAnswered)
	if s.akin != nil {
		answered = max(answered, akinCounts*s.share(s.has[first]|s.akin[first]))
	}
	for i := range hits {
		hits[i].Score *= answered
	}
}

// words are the question's words that stand in a doc, and those that do not, less
// the ones that every question is asked with.
func (s *search) words(doc int) (matched, missing []string) {
	bit := map[string]uint64{}
	var asking uint64
	for i, t := range s.terms[:s.asked] {
		bit[t.text] = 1 << i
		if filler(t.text) {
			asking |= 1 << i
		}
	}
	for _, word := range strings.Fields(s.q.Text) {
		var of uint64
		s.cutter.Analyze(word, func(t index.Token) {
			of |= bit[t.Term]
			delete(bit, t.Term) // a word that comes again is named once
		})
		word = strings.TrimFunc(word, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case of&s.has[doc] != 0:
			matched = append(matched, word)
		case of&^asking != 0:
			missing = append(missing, word)
		}
	}
	return matched, missing
}
