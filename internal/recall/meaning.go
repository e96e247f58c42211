package recall

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

const (
	// maxComparedMeanings is how many docs are compared with the question closely, and maxFoundByMeaning how many of these become
	// candidates by their meaning alone.
	maxComparedMeanings = 500
	maxFoundByMeaning   = 100
)

// addMeaningScore adds to each doc's score how similar its meaning is to the question's. The less the words of the best doc
// answer, the more it counts. An embedder replaces it.
func (s *search) addMeaning() error {
	weight := s.ranking.Meaning * max(0, 1-s.answered)
	if weight == 0 || len(s.query.Similar) > 0 {
		return nil
	}
	vector := s.reader.Vector(s.query.Text)
	if !isKnown(vector) {
		return nil
	}
	if weight > minScoreShare*s.answered { // else no doc becomes a hit by its meaning alone
		if err := s.addSimilarTexts(vector); err != nil {
			return err
		}
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		cosine, err := s.index.Cosine(c.doc, vector)
		if err != nil {
			return err
		}
		c.onlyByMeaning = c.total == 0
		c.parts.meaning = weight * max(cosine, 0)
		if c.record.Tier == index.TierTurn {
			c.parts.meaning *= s.ranking.TurnMeaning
		}
		c.total += c.parts.meaning
	}
	s.sortCandidates()
	return nil
}

// addSimilarTexts makes candidates of the docs whose texts are most similar to a vector.
func (s *search) addSimilarTexts(vector []byte) error {
	docs, err := s.index.Similar(vector, maxComparedMeanings, s.mayBeHit)
	if err != nil {
		return err
	}
	type similar struct {
		doc    int
		cosine float64
	}
	var best []similar
	for _, doc := range docs {
		cosine, err := s.index.Cosine(doc, vector)
		if err != nil {
			return err
		}
		if cosine >= s.ranking.LeastSimilar {
			best = append(best, similar{doc, cosine})
		}
	}
	slices.SortFunc(best, func(a, b similar) int {
		if a.cosine != b.cosine {
			return cmp.Compare(b.cosine, a.cosine)
		}
		return s.readTied(a.doc).compare(s.readTied(b.doc)) // reads both records
	})
	for _, b := range best[:min(len(best), maxFoundByMeaning)] {
		if _, err := s.candidateFor(b.doc); err != nil {
			return err
		}
	}
	return nil
}

// isKnown reports whether the table has a word of the text with that vector.
func isKnown(vector []byte) bool {
	return slices.ContainsFunc(vector, func(x byte) bool { return x != 0 })
}
