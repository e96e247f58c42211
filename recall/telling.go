package recall

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/recall/index"
)

// commonOf and commonLeast say which words tell nothing: those that more than one of so
// many docs have, and more than so many docs. A small store is often about one thing,
// whose word every doc has.
const (
	commonOf    = 4
	commonLeast = 8
)

// nearEnough is the cosine from which an embedder's word alone counts: word vectors
// find everything a little alike.
const nearEnough = 0.6

// tellsEnough reports whether the doc has what Query.Least asks for.
func (s *search) tellsEnough(c *candidate) bool {
	if s.q.Least <= 0 || c.parts.vector >= nearEnough {
		return true
	}
	sum := 0
	for i := range s.terms[:s.asked] {
		t := &s.terms[i]
		if filler(t.text) || t.have > max(commonLeast, s.docs/commonOf) {
			continue
		}
		at, ok := slices.BinarySearchFunc(t.posts, c.doc, func(p index.Posting, doc int) int { return cmp.Compare(int(p.Doc), doc) })
		if !ok {
			continue
		}
		if sum++; t.posts[at].Head > 0 {
			sum++
		}
	}
	return sum >= s.q.Least
}
