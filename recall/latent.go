package recall

import (
	"math"
	"math/rand/v2"
)

// Latent semantic analysis (Deerwester and others, 1990) of one store: terms that
// stand in the same docs, or beside the same terms, lie near each other in a few
// dimensions, and so do docs that share no word. It needs nothing but the store
// itself, and says most where memory is of several kinds of things and a question
// names its kind in other words.
//
// A segment of latentLeast docs or more has a basis of its own: a row of small
// numbers for each term and each doc. Docs of smaller segments are put into the basis
// of the segment before them when they are looked at.

const (
	// latentDims is the number of dimensions: of 12, 30, 50 and 100 in a trial, 30
	// was best for 600 memories of 13 kinds.
	latentDims = 24
	// latentLeast is the number of docs under which there is nothing to learn.
	latentLeast = 40
	// latentSample is how many docs the basis is made from at most; the others are
	// put into it.
	latentSample = 12000
	latentRounds = 5
	// termRow is a term's vector: its scale (4 bytes) and a byte each.
	termRow = 4 + latentDims
)

type latentVector = [latentDims]float32

// latentTerm is a term as the analysis sees it.
type latentTerm struct {
	posts *posting
	idf   float64
	at    int // its place in the dictionary
}

// latent writes the rows of terms and docs; names are the terms in their order.
func (b *builder) latent(names []string) {
	if b.docs < latentLeast {
		return
	}
	l := &latentBuilder{docs: int(b.docs), norms: make([]float64, b.docs)}
	for i, name := range names {
		p := b.terms[name]
		l.terms = append(l.terms, latentTerm{posts: p, idf: idf(int(b.docs), int(p.docs)), at: i})
	}
	l.normalise()
	l.analyse()
	b.parts[secLatentTerms], b.parts[secLatentDocs] = l.rows(len(names))
}

type latentBuilder struct {
	docs  int
	terms []latentTerm
	norms []float64 // by doc: one over the length of its row of weights
	every int       // of so many docs one makes the basis
	where []latentVector
	sigma [latentDims]float64
}

// each visits every so many-th doc of a term with its weight in it.
func (t *latentTerm) each(every int, visit func(doc int, weight float64)) {
	doc := uint64(0)
	c := cursor{data: t.posts.data}
	for len(c.data) > 0 {
		v := c.uvarint()
		body, head := uint64(1), uint64(0)
		switch v & 3 {
		case 1:
			body = c.uvarint()
		case 2:
			body, head = 0, 1
		case 3:
			body, head = c.uvarint(), c.uvarint()
		}
		if doc += v >> 2; doc%uint64(every) != 0 {
			continue
		}
		weight := t.idf
		if n := body + head; n > 1 {
			weight *= 1 + math.Log(float64(n))
		}
		visit(int(doc), weight)
	}
}

func (l *latentBuilder) normalise() {
	for i := range l.terms {
		l.terms[i].each(1, func(doc int, w float64) { l.norms[doc] += w * w })
	}
	for i, n := range l.norms {
		if n > 0 {
			l.norms[i] = 1 / math.Sqrt(n)
		}
	}
	l.every = 1 + (l.docs-1)/latentSample
}

// analyse finds the strongest directions among the docs by subspace iteration. The
// start is by chance, of a fixed seed, so that the same docs give the same bytes.
func (l *latentBuilder) analyse() {
	random := rand.New(rand.NewPCG(1, 2))
	l.where = make([]latentVector, l.docs)
	for d := 0; d < l.docs; d += l.every {
		for k := range latentDims {
			l.where[d][k] = float32(random.NormFloat64())
		}
	}
	for range latentRounds {
		next := make([]latentVector, l.docs)
		for i := range l.terms {
			t := &l.terms[i]
			y := l.gather(t)
			t.each(l.every, func(doc int, w float64) { addScaled(&next[doc], &y, float32(w*l.norms[doc])) })
		}
		l.where = next
		l.orthonormalise()
	}
}

// gather is the sum of where a term's docs lie.
func (l *latentBuilder) gather(t *latentTerm) (y latentVector) {
	t.each(l.every, func(doc int, w float64) { addScaled(&y, &l.where[doc], float32(w*l.norms[doc])) })
	return y
}

func addScaled(to, from *latentVector, f float32) {
	for k := range latentDims {
		to[k] += f * from[k]
	}
}

// orthonormalise makes the columns orthogonal and of length 1 (Gram-Schmidt), and
// keeps the lengths that they had: the squares of the singular values.
func (l *latentBuilder) orthonormalise() {
	for k := range latentDims {
		for j := range k {
			dot := 0.0
			for d := 0; d < l.docs; d += l.every {
				dot += float64(l.where[d][k]) * float64(l.where[d][j])
			}
			for d := 0; d < l.docs; d += l.every {
				l.where[d][k] -= float32(dot * float64(l.where[d][j]))
			}
		}
		sum := 0.0
		for d := 0; d < l.docs; d += l.every {
			sum += float64(l.where[d][k]) * float64(l.where[d][k])
		}
		length := math.Sqrt(sum)
		l.sigma[k] = math.Sqrt(length)
		if length == 0 {
			continue
		}
		for d := 0; d < l.docs; d += l.every {
			l.where[d][k] = float32(float64(l.where[d][k]) / length)
		}
	}
}

// rows are the bytes of the terms' and the docs' vectors. A doc's is the sum of its
// terms', each direction by its singular value to the power of -1.5, so that strong
// directions count more than weak ones and less than all; a term's is divided already.
func (l *latentBuilder) rows(terms int) (termRows, docRows []byte) {
	termRows = make([]byte, termRow*terms)
	docs := make([]latentVector, l.docs)
	for i := range l.terms {
		t := &l.terms[i]
		y := l.gather(t)
		putTermRow(termRows[termRow*t.at:], &y)
		for k, s := range l.sigma {
			if s > 1e-6 {
				y[k] *= float32(math.Pow(s, -1.5))
			}
		}
		t.each(1, func(doc int, w float64) { addScaled(&docs[doc], &y, float32(w*l.norms[doc])) })
	}
	docRows = make([]byte, latentDims*l.docs)
	for d := range docs {
		unitVector(&docs[d])
		for k, x := range docs[d] {
			docRows[latentDims*d+k] = byte(int8(math.Round(float64(x) * 127)))
		}
	}
	return termRows, docRows
}

func putTermRow(row []byte, v *latentVector) {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	le.PutUint32(row, math.Float32bits(most/127))
	if most == 0 {
		return
	}
	for k, x := range v {
		row[4+k] = byte(int8(math.Round(float64(x / most * 127))))
	}
}

func termVector(row []byte) (v latentVector) {
	scale := math.Float32frombits(le.Uint32(row))
	if scale != scale || scale > 1e6 || scale < 0 {
		return v
	}
	for k := range v {
		v[k] = scale * float32(int8(row[4+k]))
	}
	return v
}

func unitVector(v *latentVector) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		*v = latentVector{}
		return false
	}
	f := float32(1 / math.Sqrt(sum))
	for k := range v {
		v[k] *= f
	}
	return true
}
