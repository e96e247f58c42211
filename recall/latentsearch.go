package recall

import "slices"

const (
	// latentBest is how many docs of a segment become candidates by what they are
	// about alone.
	latentBest = 100
)

// Whole reports whether segments of one store, the oldest first, must be merged to one:
// where the store is analysed, or was before it grew. See latent.go.
func Whole(segments ...[]byte) (bool, error) {
	x, err := Open(segments...)
	if err != nil || len(x.segments) < 2 {
		return false, err
	}
	return x.Len() <= MaxAnalysed || x.segments[0].file.parts[secLatentDocs].size > 0, nil
}

// basis reads a segment's rows of docs; nil where it has none.
func (s *segment) basis() ([]byte, error) {
	if s.file.parts[secLatentDocs].size == 0 {
		return nil, nil
	}
	docs, err := s.file.all(secLatentDocs)
	if err == nil && (len(docs) != latentDims*s.docs || s.file.parts[secLatentTerms].size != termRow*s.terms) {
		err = corrupt("latent")
	}
	return docs, err
}

// place adds a term's vector to v, where the segment has the term.
func (s *segment) place(v *latentVector, term string, weight float64) error {
	f, err := s.lookUp(term)
	if err != nil || f.docs == 0 {
		return err
	}
	row, err := s.file.view(secLatentTerms, termRow*f.at, termRow)
	if err == nil {
		t := termVector(row)
		addScaled(v, &t, float32(weight))
	}
	return err
}

// latent adds what a doc is about to its score: how near it lies to the question's
// words among all that the store says (see latent.go). Where the question's own
// words are found together, it counts less.
func (s *search) latent() error {
	if s.r.Latent == 0 || len(s.q.Similar) > 0 || len(s.cands) == 0 {
		return nil
	}
	lacks := 1 - s.cover(s.cands[0].doc)
	scale := s.r.Latent * s.best() * lacks
	var basis *segment // the last one seen
	var q latentVector
	for _, seg := range s.x.segments {
		docs, err := seg.basis()
		if err != nil {
			return err
		}
		known := basis != nil
		if docs != nil {
			if q, known, err = s.placed(seg); err != nil {
				return err
			}
			basis = nil
			if known {
				basis = seg
			}
		}
		switch {
		case !known:
		case docs != nil:
			err = s.latentDocs(seg, docs, &q, scale)
		case seg.docs < latentLeast && !seg.part:
			err = s.latentSmall(seg, basis, &q, scale)
		}
		if err != nil {
			return err
		}
	}
	s.sortCands()
	return nil
}

// placed is where the question, and the words that were added to it, lie in a
// segment's basis.
func (s *search) placed(seg *segment) (q latentVector, ok bool, err error) {
	for _, t := range s.terms {
		if err := seg.place(&q, t.text, t.weight*t.idf); err != nil {
			return q, false, err
		}
	}
	return q, unitVector(&q), nil
}

// latentDocs compares the question with every doc of a segment that may be a hit.
func (s *search) latentDocs(seg *segment, rows []byte, q *latentVector, scale float64) error {
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
			return s.tie(a.doc, b.doc)
		})
		best = best[:min(len(best), latentBest)]
	}
	least := float32(0)
	for n := range seg.docs {
		sim := dot(rows[latentDims*n:latentDims*(n+1)], q)
		if sim <= least || !s.mayHit(seg.first+n) {
			continue
		}
		if best = append(best, near{seg.first + n, sim}); len(best) == 4*latentBest {
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
	for i := range s.cands {
		if n := s.cands[i].doc - seg.first; n >= 0 && n < seg.docs {
			s.cands[i].addLatent(float64(dot(rows[latentDims*n:latentDims*(n+1)], q)), scale)
		}
	}
	return nil
}

// latentSmall puts the candidates of a small store into the basis of another.
func (s *search) latentSmall(seg, basis *segment, q *latentVector, scale float64) error {
	for i := range s.cands {
		c := &s.cands[i]
		if c.doc < seg.first || c.doc >= seg.first+seg.docs {
			continue
		}
		d, err := seg.doc(c.doc - seg.first)
		if err != nil {
			return err
		}
		var v latentVector
		s.cutter.analyze(d.Text, func(t token) {
			if err == nil {
				err = basis.place(&v, t.term, 1)
			}
		})
		if err != nil {
			return err
		}
		if unitVector(&v) {
			sum := 0.0
			for k := range v {
				sum += float64(v[k]) * float64(q[k])
			}
			c.addLatent(sum, scale)
		}
	}
	return nil
}

func (c *candidate) addLatent(sim, scale float64) {
	c.parts.latent = scale * max(sim, 0)
	c.total += c.parts.latent
}

// dot is the cosine of a doc's row and a vector of length 1.
func dot(row []byte, q *latentVector) float32 {
	_ = row[latentDims-1]
	sum := float32(0)
	for k := range latentDims {
		sum += float32(int8(row[k])) * q[k]
	}
	return sum / 127
}
