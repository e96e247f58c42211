package recall

import (
	"math"

	"github.com/memctl/memctl/recall/index"
)

// addSimilar puts the embedder's similarities beside the text's scores. Where there
// are none the text counts in full, and so does a similarity where the text brings less:
// a hit by its vector alone has all of it, and a word of the question beside it costs nothing.
func (s *search) addSimilar() error {
	if len(s.q.Similar) == 0 {
		return nil
	}
	for _, sim := range s.q.Similar {
		var docs []int
		if err := s.x.From(sim.Source, func(doc int) { docs = append(docs, doc) }); err != nil {
			return err
		}
		for _, n := range docs {
			if err := s.addSimilarDoc(n, sim); err != nil {
				return err
			}
		}
	}
	best := 0.0
	for i := range s.cands {
		best = max(best, s.cands[i].total)
	}
	for i := range s.cands {
		c := &s.cands[i]
		alone, err := s.wordsOnly(c)
		if err != nil {
			return err
		}
		if alone {
			c.total /= max(best, 1e-9)
			continue
		}
		c.total = max(s.r.Text*c.total/max(best, 1e-9)+s.r.Vector*c.parts.vector, c.parts.vector)
		if c.total < s.r.MinRank {
			c.total = 0
		}
	}
	s.sortCands()
	return nil
}

// wordsOnly reports whether a candidate has no vector because its source has none.
func (s *search) wordsOnly(c *candidate) (bool, error) {
	if s.q.WordsOnly == nil {
		return false, nil
	}
	d, err := s.x.Doc(c.doc)
	return err == nil && s.q.WordsOnly(index.Source{Scope: d.Scope, Path: d.Source}), err
}

func (s *search) addSimilarDoc(n int, sim Similar) error {
	if !s.mayHit(n) {
		return nil
	}
	d, err := s.x.Doc(n)
	if err != nil || d.ID != sim.ID {
		return err
	}
	c, err := s.candidate(n)
	if err == nil {
		c.parts.vector = min(max(sim.Score, 0), 1)
	}
	return err
}

// vectorOf counts the terms of a text, each by how rare it is.
func (s *search) vectorOf(text string) (map[string]float64, error) {
	v := map[string]float64{}
	s.cutter.Analyze(text, func(t index.Token) { v[t.Term]++ })
	sum := 0.0
	for text, n := range v {
		t := term{text: text}
		if err := s.read(&t); err != nil {
			return nil, err
		}
		v[text] = n * t.idf
		sum += v[text] * v[text]
	}
	for term := range v {
		v[term] /= math.Sqrt(sum)
	}
	return v, nil
}

func cosine(a, b map[string]float64) float64 {
	sum := 0.0
	for term, x := range a {
		sum += x * b[term]
	}
	return sum
}

// diversify orders hits anew (maximal marginal relevance): each next one is the one
// that is relevant and unlike those before.
func (s *search) diversify(hits []Hit, k int) ([]Hit, error) {
	if s.r.Diverse == 0 || len(hits) < 2 {
		return hits[:min(k, len(hits))], nil
	}
	vectors := make([]map[string]float64, len(hits))
	for i := range hits {
		var err error
		if vectors[i], err = s.vectorOf(hits[i].Text); err != nil {
			return nil, err
		}
	}
	like := make([]float64, len(hits)) // the most like one that was taken
	taken := make([]bool, len(hits))
	var out []Hit
	for len(out) < min(k, len(hits)) {
		next := -1
		value := 0.0
		for i := range hits {
			v := (1-s.r.Diverse)*hits[i].Score - s.r.Diverse*like[i]
			if !taken[i] && (next < 0 || v > value) {
				next, value = i, v
			}
		}
		taken[next] = true
		out = append(out, hits[next])
		for i := range hits {
			like[i] = max(like[i], cosine(vectors[i], vectors[next]))
		}
	}
	return out, nil
}
