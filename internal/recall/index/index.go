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
	segments     []*segment
	docCount     int      // in all segments, the dropped ones too
	dropped      []uint64 // a bit for each doc whose source a newer segment drops; nil where none
	droppedCount int
	groupsAcross map[uint64][]int // the docs of each group that is in several segments, in their order
}

// maxSegments is how many segments one index may have.
const maxSegments = 16

// Open reads an index from its segments, the oldest first. The bytes must not
// change while the index is in use. The error wraps ErrCorrupt, or says that it is of another version; in
// both cases the way out is to build anew. Blocks are checked as they are read, so
// Search can find damage too.
func Open(segments ...[]byte) (*Index, error) {
	x, err := openSegments(segments)
	if err != nil {
		return nil, err
	}
	if err := x.markDropped(); err != nil {
		return nil, err
	}
	return x, x.joinGroups()
}

// openSegments opens segments, the oldest first, and puts nothing together.
func openSegments(segments [][]byte) (*Index, error) {
	x := &Index{}
	if len(segments) > maxSegments {
		return nil, errors.New("the index has too many segments")
	}
	for _, data := range segments {
		s, err := openSegment(data)
		if err != nil {
			return nil, err
		}
		s.firstNumber = x.docCount
		x.docCount += s.docCount
		x.segments = append(x.segments, s)
	}
	return x, nil
}

// Len is the number of docs that can be found.
func (x *Index) Len() int { return x.docCount - x.droppedCount }

// NumberCount is the highest doc number plus 1: dropped docs keep their numbers.
func (x *Index) NumberCount() int { return x.docCount }

// TextTerms is the number of terms in the texts of all docs that can be found.
func (x *Index) TextTerms() uint64 {
	var terms uint64
	for _, s := range x.segments {
		terms += s.textTerms
	}
	for n := 0; n < x.docCount && x.dropped != nil; n++ {
		if x.IsDropped(n) {
			terms -= uint64(x.Length(n))
		}
	}
	return terms
}

// Length is the number of terms in the text of doc n.
func (x *Index) Length(n int) int {
	s := x.segmentOf(n)
	return s.length(n - s.firstNumber)
}

// Record reads what ranking needs of doc n.
func (x *Index) Record(n int) (Record, error) {
	s := x.segmentOf(n)
	return s.readRecord(n - s.firstNumber)
}

// Tier reads the tier of doc n.
func (x *Index) Tier(n int) (Tier, error) {
	s := x.segmentOf(n)
	b, err := s.file.readRange(secRecords, recordBytes*(n-s.firstNumber)+4, 1)
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
	Doc              int32
	InText, InLabels uint16 // how often it stands in the text and in the labels
	Length           uint16 // the number of terms in the text
}

// Postings lists the docs that have the term and can be found.
func (x *Index) Postings(term string) ([]Posting, error) {
	var list []Posting
	for _, s := range x.segments {
		posts, docs, err := s.findTerm(term)
		if err != nil {
			return nil, err
		}
		list = slices.Grow(list, docs)
		err = s.visitPostings(posts, func(doc, body, head int) {
			if x.dropped == nil || !x.IsDropped(s.firstNumber+doc) {
				list = append(list, Posting{int32(s.firstNumber + doc), uint16(body), uint16(head), uint16(s.length(doc))})
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
		if err := s.visitSource(source, func(doc int) { visit(s.firstNumber + doc) }); err != nil {
			return err
		}
	}
	return nil
}

// CountsSource reports whether Index.Counts has a doc of the source.
func (x *Index) CountsSource(source Source) (counts bool) {
	err := x.VisitSource(source, func(n int) {
		r, err := x.Record(n)
		counts = counts || err == nil && !x.IsDropped(n) && r.isCounted()
	})
	return counts && err == nil
}

// Texts gives the texts of a source's docs that can be found.
func (x *Index) Texts(source Source) (texts []string, err error) {
	var failed error
	err = x.VisitSource(source, func(n int) {
		if x.IsDropped(n) || failed != nil {
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
		for n := range x.docCount {
			if x.IsDropped(n) {
				continue
			}
			d, err := x.Doc(n)
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// IsDropped reports whether a newer segment drops doc n.
func (x *Index) IsDropped(n int) bool { return x.dropped != nil && x.dropped[n/64]&(1<<(n%64)) != 0 }

// Doc reads doc n.
func (x *Index) Doc(n int) (Doc, error) {
	s := x.segmentOf(n)
	return s.readDoc(n - s.firstNumber)
}

// segmentOf is the segment that doc n is in.
func (x *Index) segmentOf(n int) *segment {
	i := len(x.segments) - 1
	for x.segments[i].firstNumber > n {
		i--
	}
	return x.segments[i]
}

// markDropped marks the docs of older segments that newer ones drop.
func (x *Index) markDropped() error {
	for i, s := range x.segments {
		drops, err := s.droppedSources()
		if err != nil {
			return err
		}
		for _, older := range x.segments[:i] {
			bury := func(doc int) { x.dropDoc(older.firstNumber + doc) }
			for _, source := range drops {
				if err := older.visitSource(source, bury); err != nil {
					return err
				}
			}
			if err := s.visitSharedSources(older, func(source Source) error { return older.visitSource(source, bury) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) dropDoc(n int) {
	if x.dropped == nil {
		x.dropped = make([]uint64, (x.docCount+63)/64)
	}
	if !x.IsDropped(n) {
		x.dropped[n/64] |= 1 << (n % 64)
		x.droppedCount++
	}
}

// joinGroups puts together the docs of each group that is in several segments.
func (x *Index) joinGroups() error {
	if len(x.segments) == 1 {
		return nil
	}
	in := map[uint64]int{} // by group: a segment that has it
	x.groupsAcross = map[uint64][]int{}
	for i, s := range x.segments {
		s.visitGroups(func(group uint64, _, _ int) {
			if known, ok := in[group]; ok && known != i {
				x.groupsAcross[group] = nil
			}
			in[group] = i
		})
	}
	if len(x.groupsAcross) == 0 {
		return nil
	}
	for _, s := range x.segments {
		s.visitGroups(func(group uint64, from, to int) {
			if list, ok := x.groupsAcross[group]; ok {
				for n := s.firstNumber + from; n < s.firstNumber+to; n++ {
					if !x.IsDropped(n) {
						list = append(list, n)
					}
				}
				x.groupsAcross[group] = list
			}
		})
	}
	for group, list := range x.groupsAcross {
		if err := x.sortDocs(list); err != nil {
			return fmt.Errorf("group %x: %w", group, err)
		}
	}
	return nil
}

// sortDocs orders docs as one segment would.
func (x *Index) sortDocs(list []int) error {
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
	return s.groupOf(n - s.firstNumber)
}

// VisitNeighbours gives the docs that stand up to reach places before and after doc n in
// its group, with their distance: below 0 for those before.
func (x *Index) VisitNeighbours(n, reach int, visit func(doc, distance int)) {
	s := x.segmentOf(n)
	group := s.groupOf(n - s.firstNumber)
	if group == 0 {
		return
	}
	if list, ok := x.groupsAcross[group]; ok {
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
		for d := n - s.firstNumber + step; d >= 0 && d < s.docCount && s.groupOf(d) == group && max(distance, -distance) < reach; d += step {
			if !x.IsDropped(s.firstNumber + d) {
				distance += step
				visit(s.firstNumber+d, distance)
			}
		}
	}
}
