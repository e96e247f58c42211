package recall

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

const (
	// meaningSearched is how many docs are compared with the question closely, and meaningBest how many of these become
	// candidates by their meaning alone.
	meaningSearched = 500
	meaningBest     = 100
)

// addMeaning adds to each doc's score how similar its meaning is to the question's. The less the words of the best doc
// answer, the more it counts. An embedder replaces it.
func (s *search) addMeaning() error {
	weight := s.r.Meaning * max(0, 1-s.answered)
	if weight == 0 || len(s.q.Similar) > 0 {
		return nil
	}
	vector := s.reader.Vector(s.q.Text)
	if !isKnown(vector) {
		return nil
	}
	if weight > cutoff*s.answered { // else no doc becomes a hit by its meaning alone
		if err := s.addSimilarTexts(vector); err != nil {
			return err
		}
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		cosine, err := s.x.Cosine(c.doc, vector)
		if err != nil {
			return err
		}
		c.byMeaning = c.total == 0
		c.parts.meaning = weight * max(cosine, 0)
		if c.rec.Tier == index.TierTurn {
			c.parts.meaning *= s.r.TurnMeaning
		}
		c.total += c.parts.meaning
	}
	s.sortCands()
	return nil
}

// addSimilarTexts makes candidates of the docs whose texts are most similar to a vector.
func (s *search) addSimilarTexts(vector []byte) error {
	docs, err := s.x.Similar(vector, meaningSearched, s.mayHit)
	if err != nil {
		return err
	}
	type similar struct {
		doc    int
		cosine float64
	}
	var best []similar
	for _, doc := range docs {
		cosine, err := s.x.Cosine(doc, vector)
		if err != nil {
			return err
		}
		if cosine >= s.r.LeastSimilar {
			best = append(best, similar{doc, cosine})
		}
	}
	slices.SortFunc(best, func(a, b similar) int {
		if a.cosine != b.cosine {
			return cmp.Compare(b.cosine, a.cosine)
		}
		return s.tied(a.doc).compare(s.tied(b.doc)) // reads both records
	})
	for _, b := range best[:min(len(best), meaningBest)] {
		if _, err := s.candidate(b.doc); err != nil {
			return err
		}
	}
	return nil
}

// isKnown reports whether the table has a word of the text with that vector.
func isKnown(vector []byte) bool {
	return slices.ContainsFunc(vector, func(x byte) bool { return x != 0 })
}
