package recall

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/meaning"
)

const (
	// akinCounts is what a related word counts beside the question's own.
	akinCounts = 0.5
	// leastAnswered is the score of what is found by its subject alone, without a
	// word of the question.
	leastAnswered = 0.05
	// enoughWords is the number of the question's words from which a hit is supported in full, and leastAlike the cosine from
	// which a word supports another one.
	enoughWords = 2
	leastAlike  = 0.35
)

// rate decides whether all hits are weak, and makes the scores say how far the best doc answers the question: without
// that the best one always has 1, even where all it shares with the question is a name. What an embedder finds has such
// a score already.
func (s *search) rate() error {
	s.weak = s.namesAreUnknown()
	if len(s.candidates) == 0 || s.candidates[0].total == 0 || len(s.q.Similar) > 0 {
		return nil
	}
	best := s.candidates[0]
	s.answered = max(s.cover(best.doc), leastAnswered)
	if s.akin != nil {
		s.answered = max(s.answered, akinCounts*s.share(s.has[best.doc]|s.akin[best.doc]))
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

// words are the question's words that stand in a doc, and those that do not, less
// the ones that every question is asked with.
func (s *search) words(doc int) (matched, missing []string) {
	bit := map[string]uint64{}
	for i, t := range s.terms[:s.asked] {
		bit[t.text] = 1 << i
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
		case of&s.content != 0:
			missing = append(missing, word)
		}
	}
	return matched, missing
}

// supports reports whether a doc has enough of the question to be an answer. A word of the question counts in full if the doc or a
// neighbour has it or a related one, and otherwise as far as a word of the doc means the same. The similarity of both texts is
// added. A word that neither the table of meanings nor a memory knows does not count.
func (s *search) supports(c *candidate, d *index.Doc) (bool, error) {
	if s.r.Support == 0 || len(s.q.Similar) > 0 {
		return true, nil
	}
	similar, err := s.x.Cosine(c.doc, s.reader.Vector(s.q.Text))
	if err != nil {
		return false, err
	}
	has := s.hasNear(c.doc)
	if s.akin != nil {
		has |= s.akin[c.doc]
	}
	var vectors [][]byte // of the doc's words
	for word := range strings.FieldsSeq(d.ID + " " + d.Category + " " + d.Text) {
		vectors = append(vectors, s.reader.Vector(word))
	}
	found, all := 0.0, 0.0
	for i, t := range s.terms[:s.asked] {
		share := 0.0
		if has&(1<<i) != 0 {
			share = 1
		} else if vector := s.reader.Vector(cmp.Or(t.word, t.text)); isKnown(vector) {
			for _, v := range vectors {
				share = max(share, (meaning.Cosine(vector, v)-leastAlike)/(1-leastAlike))
			}
		} else if t.have == 0 {
			continue
		}
		found, all = found+t.weight*share, all+t.weight
	}
	return found/max(min(all, enoughWords), 1e-9)+max(similar, 0) >= s.r.Support, nil
}
