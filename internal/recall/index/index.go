package index

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Index is a base segment and the newer ones that change it, seen as one. It may
// be searched by several goroutines.
type Index struct {
	segments []*segment
	docs     int      // in all segments, the gone ones too
	gone     []uint64 // a bit for each doc whose source a newer segment drops; nil where none
	goneDocs int
	spread   map[uint64][]int // the docs of each group that is in several segments, in their order
}

// maxSegments is how many segments one index may have.
const maxSegments = 16

// Open reads an index from its segments, the oldest first. The bytes must not
// change while the index is in use. The error wraps ErrCorrupt, or says that it is of another version; in
// both cases the way out is to build anew. Blocks are checked as they are read, so
// Search can find damage too.
func Open(segments ...[]byte) (*Index, error) {
	x, err := openAll(segments)
	if err != nil {
		return nil, err
	}
	if err := x.bury(); err != nil {
		return nil, err
	}
	return x, x.joinGroups()
}

// openAll opens segments, the oldest first, and puts nothing together.
func openAll(segments [][]byte) (*Index, error) {
	x := &Index{}
	if len(segments) > maxSegments {
		return nil, errors.New("the index has too many segments")
	}
	for _, data := range segments {
		s, err := openSegment(data)
		if err != nil {
			return nil, err
		}
		s.first = x.docs
		x.docs += s.docs
		x.segments = append(x.segments, s)
	}
	return x, nil
}

// Len is the number of docs that can be found.
func (x *Index) Len() int { return x.docs - x.goneDocs }

// Numbers is the highest doc number plus 1: docs that are gone keep their numbers.
func (x *Index) Numbers() int { return x.docs }

// Terms is the number of terms in the texts of all docs that can be found.
func (x *Index) Terms() uint64 {
	var terms uint64
	for _, s := range x.segments {
		terms += s.words
	}
	for n := 0; n < x.docs && x.gone != nil; n++ {
		if x.Gone(n) {
			terms -= uint64(x.Length(n))
		}
	}
	return terms
}

// Length is the number of terms in the text of doc n.
func (x *Index) Length(n int) int {
	s := x.segmentOf(n)
	return s.length(n - s.first)
}

// Record reads what ranking needs of doc n.
func (x *Index) Record(n int) (Record, error) {
	s := x.segmentOf(n)
	return s.record(n - s.first)
}

// Tier reads the tier of doc n.
func (x *Index) Tier(n int) (Tier, error) {
	s := x.segmentOf(n)
	b, err := s.file.view(secRecords, recordBytes*(n-s.first)+4, 1)
	if err != nil {
		return 0, err
	}
	return Tier(b[0]), nil
}

// Rarity is a term's weight by how few of all docs have it (inverse document frequency).
func Rarity(all, have int) float64 {
	return math.Log(1 + (float64(all-have)+0.5)/(float64(have)+0.5))
}

// Posting is a term in a doc.
type Posting struct {
	Doc        int32
	Body, Head uint16 // how often it stands in the text and in the labels
	Length     uint16 // the number of terms in the text
}

// Postings lists the docs that have the term and can be found.
func (x *Index) Postings(term string) ([]Posting, error) {
	var list []Posting
	for _, s := range x.segments {
		posts, docs, err := s.find(term)
		if err != nil {
			return nil, err
		}
		list = slices.Grow(list, docs)
		err = s.each(posts, func(doc, body, head int) {
			if x.gone == nil || !x.Gone(s.first+doc) {
				list = append(list, Posting{int32(s.first + doc), uint16(body), uint16(head), uint16(s.length(doc))})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// VisitSource visits the docs of a source, the gone ones too.
func (x *Index) VisitSource(source Source, visit func(doc int)) error {
	for _, s := range x.segments {
		if err := s.visitSource(source, func(doc int) { visit(s.first + doc) }); err != nil {
			return err
		}
	}
	return nil
}

// CountsSource reports whether Index.Counts has a doc of the source.
func (x *Index) CountsSource(source Source) (counts bool) {
	err := x.VisitSource(source, func(n int) {
		r, err := x.Record(n)
		counts = counts || err == nil && !x.Gone(n) && r.isCounted()
	})
	return counts && err == nil
}

// Texts gives the texts of a source's docs that can be found.
func (x *Index) Texts(source Source) (texts []string, err error) {
	var failed error
	err = x.VisitSource(source, func(n int) {
		if x.Gone(n) || failed != nil {
			return
		}
		var d Doc
		if d, failed = x.Doc(n); failed == nil {
			texts = append(texts, d.Text)
		}
	})
	return texts, cmp.Or(err, failed)
}

// Docs gives every doc that can be found, to build segments from. It stops at the
// first error.
func (x *Index) Docs() iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		for n := range x.docs {
			if x.Gone(n) {
				continue
			}
			d, err := x.Doc(n)
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// Gone reports whether a newer segment drops doc n.
func (x *Index) Gone(n int) bool { return x.gone != nil && x.gone[n/64]&(1<<(n%64)) != 0 }

// Doc reads doc n.
func (x *Index) Doc(n int) (Doc, error) {
	s := x.segmentOf(n)
	return s.doc(n - s.first)
}

// segmentOf is the segment that doc n is in.
func (x *Index) segmentOf(n int) *segment {
	i := len(x.segments) - 1
	for x.segments[i].first > n {
		i--
	}
	return x.segments[i]
}

// bury marks the docs of older segments that newer ones drop.
func (x *Index) bury() error {
	for i, s := range x.segments {
		drops, err := s.drops()
		if err != nil {
			return err
		}
		for _, older := range x.segments[:i] {
			bury := func(doc int) { x.buryDoc(older.first + doc) }
			for _, source := range drops {
				if err := older.visitSource(source, bury); err != nil {
					return err
				}
			}
			if err := s.eachShared(older, func(source Source) error { return older.visitSource(source, bury) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) buryDoc(n int) {
	if x.gone == nil {
		x.gone = make([]uint64, (x.docs+63)/64)
	}
	if !x.Gone(n) {
		x.gone[n/64] |= 1 << (n % 64)
		x.goneDocs++
	}
}

// joinGroups puts together the docs of each group that is in several segments.
func (x *Index) joinGroups() error {
	if len(x.segments) == 1 {
		return nil
	}
	in := map[uint64]int{} // by group: a segment that has it
	x.spread = map[uint64][]int{}
	for i, s := range x.segments {
		s.eachGroup(func(group uint64, _, _ int) {
			if known, ok := in[group]; ok && known != i {
				x.spread[group] = nil
			}
			in[group] = i
		})
	}
	if len(x.spread) == 0 {
		return nil
	}
	for _, s := range x.segments {
		s.eachGroup(func(group uint64, from, to int) {
			if list, ok := x.spread[group]; ok {
				for n := s.first + from; n < s.first+to; n++ {
					if !x.Gone(n) {
						list = append(list, n)
					}
				}
				x.spread[group] = list
			}
		})
	}
	for group, list := range x.spread {
		if err := x.sort(list); err != nil {
			return fmt.Errorf("group %x: %w", group, err)
		}
	}
	return nil
}

// sort orders docs as one segment would.
func (x *Index) sort(list []int) error {
	docs := make(map[int]*Doc, len(list))
	for _, n := range list {
		d, err := x.Doc(n)
		if err != nil {
			return err
		}
		docs[n] = &d
	}
	slices.SortStableFunc(list, func(a, b int) int { return compareDocs(docs[a], docs[b]) })
	return nil
}

// Group tells groups apart: docs that stand together have one number. It is 0 for a doc that stands alone.
func (x *Index) Group(n int) uint64 {
	s := x.segmentOf(n)
	return s.groupOf(n - s.first)
}

// Around gives the docs that stand up to reach places before and after doc n in
// its group, with their distance: below 0 for those before.
func (x *Index) Around(n, reach int, visit func(doc, distance int)) {
	s := x.segmentOf(n)
	group := s.groupOf(n - s.first)
	if group == 0 {
		return
	}
	if list, ok := x.spread[group]; ok {
		i := slices.Index(list, n)
		for j := max(0, i-reach); j <= min(len(list)-1, i+reach); j++ {
			if j != i {
				visit(list[j], j-i)
			}
		}
		return
	}
	for _, step := range []int{-1, 1} {
		distance := 0
		for d := n - s.first + step; d >= 0 && d < s.docs && s.groupOf(d) == group && max(distance, -distance) < reach; d += step {
			if !x.Gone(s.first + d) {
				distance += step
				visit(s.first+d, distance)
			}
		}
	}
}
