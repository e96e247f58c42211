package index

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
// A segment that is all of a store of latentLeast to MaxAnalysed docs has a basis of its
// own: a row of small numbers for each term and each doc. A basis depends on every doc,
// so such a store has one segment: a newer segment beside it would be analysed otherwise
// than an index that is built anew. Larger stores are not analysed, since they would be
// written anew after every change. The few docs of a smaller store are put into the basis
// of the store before it when they are looked at.

const (
	// latentDims is the number of dimensions: of 12, 30, 50 and 100 in a trial, 30
	// was best for 600 memories of 13 kinds.
	latentDims = 24
	// latentLeast is the number of docs under which there is nothing to learn.
	latentLeast = 40
	// MaxAnalysed is the number of docs over which a store is not analysed.
	MaxAnalysed  = 1000
	latentRounds = 5
	// termRow is a term's vector: its scale (4 bytes) and a byte each.
	termRow = 4 + latentDims
)

type latentVector = [latentDims]float32

// latentTerm is a term as the analysis sees it: its docs, and its weight in each.
type latentTerm []latentPost

type latentPost struct {
	doc    int32
	weight float32 // as a part of a row of length 1
}

// latent writes the rows of terms and docs; names are the terms in their order.
func (b *builder) latent(names []string) {
	if b.docs < latentLeast || b.docs > MaxAnalysed {
		return
	}
	l := &latentBuilder{docs: int(b.docs)}
	l.read(b, names)
	l.analyse()
	b.parts[secLatentTerms], b.parts[secLatentDocs] = l.rows(len(names))
}

type latentBuilder struct {
	docs  int
	terms []latentTerm // in the order of the dictionary
	where []latentVector
	sigma [latentDims]float64
}

// read takes the terms' docs and weights out of the postings.
func (l *latentBuilder) read(b *builder, names []string) {
	lengths := make([]float64, l.docs) // of each doc's row of weights, squared
	weights := make([][]float64, len(names))
	l.terms = make([]latentTerm, len(names))
	for i, name := range names {
		p := b.terms[name]
		l.terms[i], weights[i] = make(latentTerm, 0, p.docs), make([]float64, 0, p.docs)
		rare := Rarity(int(b.docs), int(p.docs))
		eachPosting(p.data, func(doc int, count uint64) {
			weight := rare
			if count > 1 {
				weight *= 1 + math.Log(float64(count))
			}
			lengths[doc] += weight * weight
			l.terms[i], weights[i] = append(l.terms[i], latentPost{doc: int32(doc)}), append(weights[i], weight)
		})
	}
	for i, list := range l.terms {
		for j := range list {
			list[j].weight = float32(weights[i][j] / math.Sqrt(lengths[list[j].doc]))
		}
	}
}

// eachPosting visits the docs of postings with how often the term is in each.
func eachPosting(data []byte, visit func(doc int, count uint64)) {
	doc := uint64(0)
	c := cursor{data: data}
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
		doc += v >> 2
		visit(int(doc), body+head)
	}
}

// analyse finds the strongest directions among the docs by subspace iteration. The
// start is by chance, of a fixed seed, so that the same docs give the same bytes.
func (l *latentBuilder) analyse() {
	random := rand.New(rand.NewPCG(1, 2))
	l.where = make([]latentVector, l.docs)
	for d := range l.docs {
		for k := range latentDims {
			l.where[d][k] = float32(random.NormFloat64())
		}
	}
	for range latentRounds {
		next := make([]latentVector, l.docs)
		for _, t := range l.terms {
			y := l.gather(t)
			for _, p := range t {
				addScaled(&next[p.doc], &y, p.weight)
			}
		}
		l.where = next
		l.orthonormalise()
	}
}

// gather is the sum of where a term's docs lie.
func (l *latentBuilder) gather(t latentTerm) (y latentVector) {
	for _, p := range t {
		addScaled(&y, &l.where[p.doc], p.weight)
	}
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
	var columns [latentDims][]float32
	for k := range columns {
		columns[k] = make([]float32, l.docs)
		for d := range l.docs {
			columns[k][d] = l.where[d][k]
		}
	}
	for k, col := range columns {
		for _, before := range columns[:k] {
			dot := 0.0
			for d, x := range col {
				dot += float64(x) * float64(before[d])
			}
			for d := range col {
				col[d] -= float32(dot * float64(before[d]))
			}
		}
		sum := 0.0
		for _, x := range col {
			sum += float64(x) * float64(x)
		}
		length := math.Sqrt(sum)
		l.sigma[k] = math.Sqrt(length)
		for d, x := range col {
			if length > 0 {
				x = float32(float64(x) / length)
			}
			l.where[d][k] = x
		}
		// The next columns are made orthogonal to this one as it is now.
		for d := range col {
			col[d] = l.where[d][k]
		}
	}
}

// rows are the bytes of the terms' and the docs' vectors. A doc's is the sum of its
// terms', each direction by its singular value to the power of -1.5, so that strong
// directions count more than weak ones and less than all; a term's is divided already.
func (l *latentBuilder) rows(terms int) (termRows, docRows []byte) {
	termRows = make([]byte, termRow*terms)
	docs := make([]latentVector, l.docs)
	for i, t := range l.terms {
		y := l.gather(t)
		putTermRow(termRows[termRow*i:], &y)
		for k, s := range l.sigma {
			if s > 1e-6 {
				y[k] *= float32(math.Pow(s, -1.5))
			}
		}
		for _, p := range t {
			addScaled(&docs[p.doc], &y, p.weight)
		}
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

// Rarity is a term's weight by how few of all docs have it (inverse document frequency).
func Rarity(all, have int) float64 {
	return math.Log(1 + (float64(all-have)+0.5)/(float64(have)+0.5))
}
