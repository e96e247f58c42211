package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/recall/index"
)

// buildTable writes a table of related words, and of how common words are, 0 to 1.
// Words that have no row of their own may stand in others' rows.
func buildTable(related map[string][]index.WeightedTerm, common map[string]float64) ([]byte, error) {
	known := map[string]bool{}
	for word, list := range related {
		known[word] = true
		for _, r := range list {
			known[r.Term] = true
		}
	}
	words := make([]string, 0, len(known))
	for w := range known {
		words = append(words, w)
	}
	slices.Sort(words)
	le := binary.LittleEndian
	var heads, names, rows []byte
	for _, w := range words {
		heads = le.AppendUint32(le.AppendUint32(heads, uint32(len(names))), uint32(len(rows)))
		names = append(names, w...)
		list := slices.Clone(related[w])
		slices.SortFunc(list, func(a, b index.WeightedTerm) int { return cmp.Compare(a.Term, b.Term) })
		rows = append(rows, byte(min(max(common[w], 0), 1)*255))
		last := 0
		for _, r := range list {
			if r.Weight < 0 || r.Weight > 1 {
				return nil, fmt.Errorf("%q: %q: the weight %g is not between 0 and 1", w, r.Term, r.Weight)
			}
			at, _ := slices.BinarySearch(words, r.Term)
			rows = append(binary.AppendUvarint(rows, uint64(at-last)), byte(r.Weight*255))
			last = at
		}
	}
	heads = le.AppendUint32(le.AppendUint32(heads, uint32(len(names))), uint32(len(rows)))
	return slices.Concat(le.AppendUint32(nil, uint32(len(words))), heads, names, rows), nil
}
