package index

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

// Likeness compares a question with what the docs of one segment are about. Of a segment
// without a basis of its own it compares texts, in the basis of the segment before it.
type Likeness struct {
	First, Docs int // the docs, by their numbers in the index
	rows        []byte
	basis       *segment
	question    latentVector
}

// Likenesses places a question in each segment's basis, and gives what can be compared
// with it, the oldest first.
func (x *Index) Likenesses(question []Weighted) ([]Likeness, error) {
	var list []Likeness
	var last Likeness // in the last basis
	known := false
	for _, s := range x.segments {
		rows, err := s.basis()
		if err != nil {
			return nil, err
		}
		if rows != nil {
			last = Likeness{basis: s}
			for _, t := range question {
				if err := s.place(&last.question, t.Term, t.Weight); err != nil {
					return nil, err
				}
			}
			known = unitVector(&last.question)
		}
		if known && (rows != nil || s.docs < latentLeast && !s.part) {
			last.First, last.Docs, last.rows = s.first, s.docs, rows
			list = append(list, last)
		}
	}
	return list, nil
}

// Placed reports whether the docs have places of their own, so that OfDoc compares them.
func (l *Likeness) Placed() bool { return l.rows != nil }

// OfDoc is how near the question lies to doc n, up to 1.
func (l *Likeness) OfDoc(n int) float32 {
	return dot(l.rows[latentDims*(n-l.First):latentDims*(n-l.First+1)], &l.question)
}

// OfText is how near the question lies to a text, up to 1; ok is false where the basis
// has none of its terms.
func (l *Likeness) OfText(a *Analyzer, text string) (near float64, ok bool, err error) {
	var v latentVector
	a.Analyze(text, func(t Token) {
		if err == nil {
			err = l.basis.place(&v, t.Term, 1)
		}
	})
	if err != nil || !unitVector(&v) {
		return 0, false, err
	}
	for k := range v {
		near += float64(v[k]) * float64(l.question[k])
	}
	return near, true, nil
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
