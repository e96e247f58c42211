package index

import (
	"cmp"
	"slices"
)

// Join puts segments together to one that is what [Build] makes of all their docs. No source may be in two of them. Their
// texts' words are not counted again. The error wraps ErrCorrupt.
func Join(segments [][]byte, drops []Source) ([]byte, error) {
	x, err := openAll(segments)
	if err != nil {
		return nil, err
	}
	return x.merge(drops)
}

// Merge is Join of segments of one index, the oldest first: of what newer ones drop, nothing is left. drops names the
// sources whose docs in still older segments are gone.
func Merge(segments [][]byte, drops []Source) ([]byte, error) {
	x, err := openAll(segments)
	if err != nil {
		return nil, err
	}
	if err := x.bury(); err != nil {
		return nil, err
	}
	return x.merge(drops)
}

// merger writes the docs of an index to one segment.
type merger struct {
	*builder
	x      *Index
	number []uint32 // by the index's number of a doc: its number in the new segment
}

func (x *Index) merge(drops []Source) ([]byte, error) {
	m := merger{builder: newBuilder(), x: x, number: make([]uint32, x.docs)}
	if err := m.mergeDocs(); err != nil {
		return nil, err
	}
	if err := m.mergeTerms(); err != nil {
		return nil, err
	}
	return m.seal(drops)
}

// ahead is the next doc of a segment that is not gone.
type ahead struct {
	seg *segment
	n   int // of the doc in its segment
	doc Doc
}

// step goes to the next doc from n on; false where there is none.
func (a *ahead) step(x *Index, n int) (bool, error) {
	for ; n < a.seg.docs; n++ {
		if !x.Gone(a.seg.first + n) {
			d, err := a.seg.doc(n)
			a.n, a.doc = n, d
			return true, err
		}
	}
	return false, nil
}

// mergeDocs numbers the docs: they stand in order in each segment.
func (m *merger) mergeDocs() error {
	var list []*ahead
	for _, section := range []int{secLengths, secGroups, secRecords, secStored, secMeanings, secSigns} {
		size := 0
		for _, seg := range m.x.segments {
			size += seg.file.parts[section].size
		}
		m.parts[section] = make([]byte, 0, size) // growing would leave copies behind
	}
	for _, seg := range m.x.segments {
		a := &ahead{seg: seg}
		more, err := a.step(m.x, 0)
		if err != nil {
			return err
		}
		if more {
			list = append(list, a)
		}
	}
	for n := uint32(0); len(list) > 0; n++ {
		least := 0
		for i := range list {
			if place(&list[i].doc, &list[least].doc) < 0 {
				least = i
			}
		}
		a := list[least]
		m.number[a.seg.first+a.n] = n
		m.enter(n, &a.doc, a.seg.length(a.n))
		row, err := a.seg.meaning(a.n)
		if err != nil {
			return err
		}
		m.addMeaning(row)
		more, err := a.step(m.x, a.n+1)
		if err != nil {
			return err
		}
		if !more {
			list = slices.Delete(list, least, least+1)
		}
	}
	return nil
}

// termReader reads a segment's terms one after the other.
type termReader struct {
	seg   *segment
	terms cursor
	posts []byte // of this term and those that follow
	size  int    // of this term's
	name  []byte
	count int // terms read
}

// next goes to the next term; false where there is none.
func (r *termReader) next() (bool, error) {
	if r.count == r.seg.terms {
		return false, nil
	}
	r.count++
	r.posts = r.posts[r.size:]
	shared, suffix := r.terms.uvarint(), r.terms.bytes()
	size := r.terms.uvarint()
	r.terms.uvarint() // docs
	if r.terms.bad || shared > uint64(len(r.name)) || len(suffix) > 2*maxTerm || size > uint64(len(r.posts)) {
		return false, corrupt("terms")
	}
	r.name, r.size = append(r.name[:shared], suffix...), int(size)
	return true, nil
}

func (m *merger) mergeTerms() error {
	var list []*termReader
	for _, seg := range m.x.segments {
		terms, err := seg.file.all(secTerms)
		if err != nil {
			return err
		}
		posts, err := seg.file.all(secPosts)
		if err != nil {
			return err
		}
		r := &termReader{seg: seg, terms: cursor{data: terms}, posts: posts}
		more, err := r.next()
		if err != nil {
			return err
		}
		if more {
			list = append(list, r)
		}
	}
	for len(list) > 0 {
		least := list[0].name
		for _, r := range list[1:] {
			if string(r.name) < string(least) {
				least = r.name
			}
		}
		name := string(least)
		if err := m.mergeTerm(name, list); err != nil {
			return err
		}
		kept := list[:0]
		for _, r := range list {
			more := true
			var err error
			if string(r.name) == name {
				more, err = r.next()
			}
			if err != nil {
				return err
			}
			if more {
				kept = append(kept, r)
			}
		}
		list = kept
	}
	return nil
}

// placed is how often a term is in a doc of the new segment.
type placed struct {
	doc uint32
	fields
}

// mergeTerm puts one term's postings together. A term whose docs are all gone goes.
func (m *merger) mergeTerm(name string, list []*termReader) error {
	var found []placed
	for _, r := range list {
		if string(r.name) != name {
			continue
		}
		err := r.seg.each(r.posts[:r.size], func(doc, body, head int) {
			if doc += r.seg.first; !m.x.Gone(doc) {
				found = append(found, placed{m.number[doc], fields{body, head}})
			}
		})
		if err != nil {
			return err
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b placed) int { return cmp.Compare(a.doc, b.doc) })
	p := &posting{}
	for _, f := range found {
		p.now = f.fields
		p.add(f.doc)
	}
	m.terms[name] = p
	return nil
}
