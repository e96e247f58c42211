package index

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sort"
)

// Index is a base segment and the newer ones that change it, seen as one. It may
// be searched by several goroutines.
type Index struct {
	segments []*segment
	docs     int      // in all segments, the gone ones too
	gone     []uint64 // a bit for each doc whose source a newer segment drops; nil where none
	goneDocs int
	groups   []group
	groupAt  [][]int32 // by segment: the index's number of each group; nil where it is the same
}

// group is the docs that stand together, in their order.
type group struct {
	first, count int   // where they lie side by side in one segment
	docs         []int // where they do not
	terms        int   // in the texts of those that are not gone
	alone        bool  // no group: docs without one
}

// maxSegments is how many segments one index may have.
const maxSegments = 16

// Open reads an index from its segments, the oldest first. The bytes must not
// change while the index is in use. The error wraps ErrCorrupt or ErrVersion; in
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

// Numbers is how many numbers docs have, from 0 on: those that are gone keep theirs.
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

// From visits the docs of a source, the gone ones too.
func (x *Index) From(source Source, visit func(doc int)) error {
	for _, s := range x.segments {
		if err := s.from(source, func(doc int) { visit(s.first + doc) }); err != nil {
			return err
		}
	}
	return nil
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

// Check reads every block and every doc: the checked sweep.
func (x *Index) Check() error {
	for _, s := range x.segments {
		for section := range sections {
			if _, err := s.file.all(section); err != nil {
				return err
			}
		}
		for n := range s.docs {
			if _, err := s.doc(n); err != nil {
				return err
			}
		}
	}
	return nil
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
		if i == 0 {
			continue
		}
		drops, err := s.drops()
		if err != nil {
			return err
		}
		for _, older := range x.segments[:i] {
			for _, source := range drops {
				if err := older.from(source, func(doc int) { x.buryDoc(older.first + doc) }); err != nil {
					return err
				}
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

// joinGroups numbers the groups of all segments, and puts together those that
// stand in several.
func (x *Index) joinGroups() error {
	x.groupAt = make([][]int32, len(x.segments))
	for i, s := range x.segments {
		if i == 0 {
			x.groups = make([]group, s.groups)
			for g := range s.groups {
				first, count := s.groupDocs(g)
				x.groups[g] = group{first: first, count: count, terms: s.groupTerms(g), alone: s.alone(g)}
			}
			continue
		}
		at := make([]int32, s.groups)
		for g := range s.groups {
			n, err := x.joinGroup(i, g)
			if err != nil {
				return err
			}
			at[g] = int32(n)
		}
		x.groupAt[i] = at
	}
	return x.leaveOutGone()
}

// joinGroup puts a group of segment i to that of the same name, or to the end.
func (x *Index) joinGroup(i, g int) (int, error) {
	s := x.segments[i]
	name, err := s.groupName(g)
	if err != nil {
		return 0, err
	}
	first, count := s.groupDocs(g)
	first += s.first
	for older := range i {
		if s.alone(g) {
			break
		}
		n, ok, err := x.segments[older].findGroup(name)
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		if at := x.groupAt[older]; at != nil {
			n = int(at[n])
		}
		into := &x.groups[n]
		if into.docs == nil {
			into.docs = sequence(into.first, into.count)
		}
		into.terms += s.groupTerms(g)
		into.docs, err = x.sorted(append(into.docs, sequence(first, count)...))
		return n, err
	}
	x.groups = append(x.groups, group{first: first, count: count, terms: s.groupTerms(g), alone: s.alone(g)})
	return len(x.groups) - 1, nil
}

// findGroup looks a group up by name: groups stand in the order of their names.
func (s *segment) findGroup(name string) (int, bool, error) {
	var err error
	at := func(i int) string {
		n, e := s.groupName(i)
		if e != nil {
			err = e
		}
		return n
	}
	i := sort.Search(s.groups, func(i int) bool { return at(i) >= name })
	return i, i < s.groups && err == nil && at(i) == name, err
}

func sequence(first, count int) []int {
	list := make([]int, count)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// sorted orders docs as one segment would.
func (x *Index) sorted(list []int) ([]int, error) {
	docs := make(map[int]*Doc, len(list))
	for _, n := range list {
		d, err := x.Doc(n)
		if err != nil {
			return nil, err
		}
		docs[n] = &d
	}
	sort.SliceStable(list, func(i, j int) bool { return place(docs[list[i]], docs[list[j]]) < 0 })
	return list, nil
}

// leaveOutGone takes gone docs out of their groups.
func (x *Index) leaveOutGone() error {
	if x.gone == nil {
		return nil
	}
	for n := range x.docs {
		if !x.Gone(n) {
			continue
		}
		s := x.segmentOf(n)
		body := s.length(n - s.first)
		g := &x.groups[x.groupOf(n)]
		if g.alone {
			continue
		}
		if g.docs == nil {
			g.docs = sequence(g.first, g.count)
		}
		kept := g.docs[:0]
		for _, d := range g.docs {
			if d != n {
				kept = append(kept, d)
			}
		}
		g.docs = kept
		g.terms -= body
	}
	return nil
}

// Group is the number of the group that doc n is in; alone where the doc stands in none.
func (x *Index) Group(n int) (group int, alone bool) {
	group = x.groupOf(n)
	return group, x.groups[group].alone
}

func (x *Index) groupOf(n int) int {
	i := len(x.segments) - 1
	for x.segments[i].first > n {
		i--
	}
	g := x.segments[i].group(n - x.segments[i].first)
	if at := x.groupAt[i]; at != nil {
		return int(at[g])
	}
	return g
}

// Around gives the docs that stand up to reach places before and after doc n in
// its group, with their distance: below 0 for those before.
func (x *Index) Around(n, reach int, visit func(doc, distance int)) {
	g := &x.groups[x.groupOf(n)]
	switch {
	case g.alone:
		return
	case g.docs == nil:
		for d := max(g.first, n-reach); d <= min(g.first+g.count-1, n+reach); d++ {
			if d != n {
				visit(d, d-n)
			}
		}
	}
	for i, d := range g.docs {
		if d != n {
			continue
		}
		for j := max(0, i-reach); j <= min(len(g.docs)-1, i+reach); j++ {
			if j != i {
				visit(g.docs[j], j-i)
			}
		}
	}
}
