package recall

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/meaning"
)

const (
	// relatedWordWeight is what a related word counts beside the question's own.
	relatedWordWeight = 0.5
	// minAnswered is the score of what is found by its subject alone, without a
	// word of the question.
	minAnswered = 0.05
	// wordsForFullSupport is the number of the question's words from which a hit is supported in full, and minWordCosine the cosine from
	// which a word supports another one.
	wordsForFullSupport = 2
	minWordCosine       = 0.35
)

// rateAnswer decides whether all hits are weak, and makes the scores say how far the best doc answers the question: without
// that the best one always has 1, even where all it shares with the question is a name. What an embedder finds has such
// a score already.
func (s *search) rateAnswer() error {
	s.weak = s.namesAreUnknown()
	if len(s.candidates) == 0 || s.candidates[0].total == 0 || len(s.query.Similar) > 0 {
		return nil
	}
	best := s.candidates[0]
	s.answered = max(s.coveredShare(best.doc), minAnswered)
	if s.relatedBits != nil {
		s.answered = max(s.answered, relatedWordWeight*s.shareOfTerms(s.hasBits[best.doc]|s.relatedBits[best.doc]))
	}
	for i := range s.candidates {
		s.candidates[i].rescale(s.answered / best.total)
	}
	return nil
}

func (c *candidate) rescale(by float64) {
	c.total *= by
	p := &c.parts
	for _, part := range []*float64{&p.words, &p.near, &p.group, &p.day, &p.speaker, &p.when, &p.phrase, &p.answer} {
		*part *= by
	}
}

// matchedWords are the question's words that stand in a doc, and those that do not, less
// the ones that every question is asked with.
func (s *search) matchedWords(doc int) (matched, missing []string) {
	bit := map[string]uint64{}
	for i, t := range s.terms[:s.questionTerms] {
		bit[t.text] = 1 << i
	}
	for _, word := range strings.Fields(s.query.Text) {
		var of uint64
		s.analyzer.Analyze(word, func(t index.Token) {
			of |= bit[t.Term]
			delete(bit, t.Term) // a word that comes again is named once
		})
		word = strings.TrimFunc(word, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case of&s.hasBits[doc] != 0:
			matched = append(matched, word)
		case of&s.contentBits != 0:
			missing = append(missing, word)
		}
	}
	return matched, missing
}

// hasSupport reports whether a doc has enough of the question to be an answer. A word of the question counts in full if the doc or a
// neighbour has it or a related one, and otherwise as far as a word of the doc means the same. The similarity of both texts is
// added. A word that neither the table of meanings nor a memory knows does not count.
func (s *search) hasSupport(c *candidate, d *index.Doc) (bool, error) {
	if s.ranking.Support == 0 || len(s.query.Similar) > 0 {
		return true, nil
	}
	similar, err := s.index.Cosine(c.doc, s.reader.Vector(s.query.Text))
	if err != nil {
		return false, err
	}
	has := s.termsNear(c.doc)
	if s.relatedBits != nil {
		has |= s.relatedBits[c.doc]
	}
	var vectors [][]byte // of the doc's words
	for word := range strings.FieldsSeq(d.ID + " " + d.Category + " " + d.Text) {
		vectors = append(vectors, s.reader.Vector(word))
	}
	found, all := 0.0, 0.0
	for i, t := range s.terms[:s.questionTerms] {
		share := 0.0
		if has&(1<<i) != 0 {
			share = 1
		} else if vector := s.reader.Vector(cmp.Or(t.word, t.text)); isKnown(vector) {
			for _, v := range vectors {
				share = max(share, (meaning.Cosine(vector, v)-minWordCosine)/(1-minWordCosine))
			}
		} else if t.docCount == 0 {
			continue
		}
		found, all = found+t.weight*share, all+t.weight
	}
	return found/max(min(all, wordsForFullSupport), 1e-9)+max(similar, 0) >= s.ranking.Support, nil
}
