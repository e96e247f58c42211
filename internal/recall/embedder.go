package recall

import "github.com/memctl/memctl/internal/recall/index"

// MaxSimilar is how many docs an embedder's channel takes from a store: enough for every answer, so that the first hits do
// not depend on how many are wanted.
const MaxSimilar = 200

// addSimilar combines the embedder's similarities with the text's scores. A doc without a vector
// keeps its text's score. No combined score is below the similarity alone, so a doc never loses by
// having a word of the question.
func (s *search) addSimilar() error {
	if len(s.query.Similar) == 0 {
		return nil
	}
	for _, sim := range s.query.Similar {
		var docs []int
		if err := s.index.VisitSource(sim.Source, func(doc int) { docs = append(docs, doc) }); err != nil {
			return err
		}
		for _, n := range docs {
			if err := s.addSimilarDoc(n, sim); err != nil {
				return err
			}
		}
	}
	best := 0.0
	for i := range s.candidates {
		best = max(best, s.candidates[i].total)
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		alone, err := s.hasNoVector(c)
		if err != nil {
			return err
		}
		if alone {
			c.total /= max(best, 1e-9)
			continue
		}
		c.total = max(s.ranking.Text*c.total/max(best, 1e-9)+s.ranking.Vector*c.parts.vector, c.parts.vector)
		if c.total < s.ranking.Relevance {
			c.total = 0
		}
	}
	s.sortCandidates()
	return nil
}

// hasNoVector reports whether a candidate has no vector because its source has none.
func (s *search) hasNoVector(c *candidate) (bool, error) {
	if s.query.HasNoVectors == nil {
		return false, nil
	}
	d, err := s.index.Doc(c.doc)
	return err == nil && s.query.HasNoVectors(index.Source{Scope: d.Scope, Path: d.Source}), err
}

func (s *search) addSimilarDoc(n int, sim Similar) error {
	if !s.mayBeHit(n) {
		return nil
	}
	d, err := s.index.Doc(n)
	if err != nil || d.ID != sim.ID {
		return err
	}
	c, err := s.candidateFor(n)
	if err == nil {
		c.parts.vector = min(max(sim.Score, 0), 1)
	}
	return err
}
