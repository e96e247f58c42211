package recall

import (
	"slices"

	"github.com/memctl/memctl/recall/index"
)

// latentBest is how many docs of a segment become candidates by what they are about
// alone.
const latentBest = 100

// addLatent adds what a doc is about to its score: how near it lies to the question's
// words among all that the store says (see index.Likeness). Where the question's own
// words are found together, it counts less.
func (s *search) addLatent() error {
	if s.r.Latent == 0 || len(s.q.Similar) > 0 || len(s.candidates) == 0 {
		return nil
	}
	lacks := 1 - s.cover(s.candidates[0].doc)
	scale := s.r.Latent * s.best() * lacks
	question := make([]index.Weighted, len(s.terms))
	for i, t := range s.terms {
		question[i] = index.Weighted{Term: t.text, Weight: t.weight * t.idf}
	}
	list, err := s.x.Likenesses(question)
	if err != nil {
		return err
	}
	for i := range list {
		compare := s.latentTexts
		if list[i].Placed() {
			compare = s.latentDocs
		}
		if err := compare(&list[i], scale); err != nil {
			return err
		}
	}
	s.sortCands()
	return nil
}

// latentDocs compares the question with every doc that may be a hit.
func (s *search) latentDocs(like *index.Likeness, scale float64) error {
	type near struct {
		doc int
		sim float32
	}
	var best []near
	keep := func() {
		slices.SortFunc(best, func(a, b near) int {
			if a.sim != b.sim {
				if a.sim > b.sim {
					return -1
				}
				return 1
			}
			return s.tied(a.doc).compare(s.tied(b.doc))
		})
		best = best[:min(len(best), latentBest)]
	}
	least := float32(0)
	for n := like.First; n < like.First+like.Docs; n++ {
		sim := like.OfDoc(n)
		if sim <= least || !s.mayHit(n) {
			continue
		}
		if best = append(best, near{n, sim}); len(best) == 4*latentBest {
			keep()
			least = best[len(best)-1].sim
		}
	}
	keep()
	for _, b := range best {
		if _, err := s.candidate(b.doc); err != nil {
			return err
		}
	}
	for i := range s.candidates {
		if n := s.candidates[i].doc; n >= like.First && n < like.First+like.Docs {
			s.candidates[i].addLatent(float64(like.OfDoc(n)), scale)
		}
	}
	return nil
}

// latentTexts compares the question with the texts of a small store's candidates.
func (s *search) latentTexts(like *index.Likeness, scale float64) error {
	for i := range s.candidates {
		c := &s.candidates[i]
		if c.doc < like.First || c.doc >= like.First+like.Docs {
			continue
		}
		d, err := s.x.Doc(c.doc)
		if err != nil {
			return err
		}
		sim, ok, err := like.OfText(s.cutter, d.Text)
		if err != nil {
			return err
		}
		if ok {
			c.addLatent(sim, scale)
		}
	}
	return nil
}

func (c *candidate) addLatent(sim, scale float64) {
	c.parts.latent = scale * max(sim, 0)
	c.total += c.parts.latent
}
