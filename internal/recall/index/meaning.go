package index

import (
	"math/bits"

	"github.com/memctl/memctl/internal/recall/meaning"
)

// signBytes is the size of the signs of a vector: a bit for each number.
const signBytes = meaning.Size / 8

// addMeaning writes the vector of a doc's text, and its signs.
func (b *builder) addMeaning(vector []byte) {
	b.parts[secMeanings] = append(b.parts[secMeanings], vector...)
	b.parts[secSigns] = appendSigns(b.parts[secSigns], vector)
}

func appendSigns(list, vector []byte) []byte {
	for eight := 0; eight < len(vector); eight += 8 {
		signs := byte(0)
		for i, x := range vector[eight : eight+8] {
			signs |= x >> 7 << i
		}
		list = append(list, signs)
	}
	return list
}

// Cosine is how similar the text of doc n is to the one that the vector was made of, up to 1.
func (x *Index) Cosine(n int, vector []byte) (float64, error) {
	s := x.segmentOf(n)
	row, err := s.vectorOf(n - s.firstNumber)
	if err != nil {
		return 0, err
	}
	return meaning.Cosine(row, vector), nil
}

// Similar gives the docs whose vectors have the most signs in common with a vector, at least most of them if there are
// as many: a rough choice of what Cosine finds similar, at an eighth of its cost. may tells which docs count.
func (x *Index) Similar(vector []byte, most int, may func(doc int) bool) (docs []int, err error) {
	signs := appendSigns(nil, vector)
	low, high := littleEndian.Uint64(signs), littleEndian.Uint64(signs[8:])
	const none = meaning.Size + 1 // more signs than can differ
	differ := make([]uint8, x.docCount)
	var count [none + 1]int
	for _, s := range x.segments {
		list, err := s.file.readSection(secSigns)
		if err != nil {
			return nil, err
		}
		for n := range s.docCount {
			d := none
			if may(s.firstNumber + n) {
				row := list[signBytes*n : signBytes*(n+1)]
				d = bits.OnesCount64(low^littleEndian.Uint64(row)) + bits.OnesCount64(high^littleEndian.Uint64(row[8:]))
			}
			differ[s.firstNumber+n] = uint8(d)
			count[d]++
		}
	}
	limit, found := 0, count[0]
	for found < most && limit+1 < none {
		limit++
		found += count[limit]
	}
	docs = make([]int, 0, found)
	for n, d := range differ {
		if int(d) <= limit {
			docs = append(docs, n)
		}
	}
	return docs, nil
}
