package index

import (
	"encoding/binary"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/meaning"
)

// segment reads one segment. Everything it gives has been checked.
type segment struct {
	file        *file
	docCount    int
	stringCount int
	termCount   int
	textTerms   uint64 // terms in all texts
	hashed      bool   // see BuildWithoutText
	lengths     []byte
	groups      []byte
	blocks      []byte
	firstNumber int // the number of its first doc in the index
}

// Record is what ranking needs of a doc.
type Record struct {
	storedAt                               int
	marked, counted, atCommand             bool
	Tier                                   Tier
	Pinned, Unconfirmed                    bool
	EndsWithQuestion                       bool // a turn that ends with a question
	Scope, Conversation, Category, Speaker SharedText
	Seconds                                int64 // since 1970; math.MinInt64 where the doc has no time
	Weight, Confidence                     float32
	TextHash                               uint32 // a hash of its text
	Seq                                    uint32
}

// SharedText is a text that many docs have. Those of one segment with one text are equal.
type SharedText struct {
	segment *segment
	id      uint32
}

// Text reads the name.
func (n SharedText) Text() (string, error) { return n.segment.readString(n.id) }

func openSegment(data []byte) (*segment, error) {
	f, err := openFile(data)
	if err != nil {
		return nil, err
	}
	s := &segment{file: f}
	meta, err := f.readSection(secMeta)
	if err != nil {
		return nil, err
	}
	if len(meta) != 20 && len(meta) != 21 {
		return nil, corruptError("counts")
	}
	s.hashed = len(meta) == 21
	s.docCount, s.stringCount, s.termCount = int(littleEndian.Uint32(meta)), int(littleEndian.Uint32(meta[4:])), int(littleEndian.Uint32(meta[8:]))
	s.textTerms = littleEndian.Uint64(meta[12:])
	size := func(section int) int { return f.parts[section].size }
	switch {
	case size(secLengths) != 2*s.docCount, size(secGroups) != 8*s.docCount, size(secRecords) != recordBytes*s.docCount,
		size(secMeanings) != meaning.Size*s.docCount, size(secSigns) != signBytes*s.docCount,
		size(secSources) != 8*s.docCount, size(secStrings) < 4*(s.stringCount+1),
		size(secBlocks) != 8*((s.termCount+termsBlock-1)/termsBlock), s.termCount > size(secTerms):
		return nil, corruptError("counts")
	}
	for _, c := range []struct {
		into    *[]byte
		section int
	}{{&s.lengths, secLengths}, {&s.groups, secGroups}, {&s.blocks, secBlocks}} {
		if *c.into, err = f.readSection(c.section); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// groupOf is the hash that the docs of a group have in common; 0 where a doc stands alone.
func (s *segment) groupOf(doc int) uint64 { return littleEndian.Uint64(s.groups[8*doc:]) }

// visitGroups visits the groups: the docs of one lie side by side.
func (s *segment) visitGroups(visit func(group uint64, from, to int)) {
	for from := 0; from < s.docCount; {
		group, to := s.groupOf(from), from+1
		for to < s.docCount && s.groupOf(to) == group {
			to++
		}
		if group != 0 {
			visit(group, from, to)
		}
		from = to
	}
}

// length is the number of terms in a doc's text.
func (s *segment) length(doc int) int { return int(littleEndian.Uint16(s.lengths[2*doc:])) }

func (s *segment) readString(id uint32) (string, error) {
	if int64(id) >= int64(s.stringCount) {
		return "", corruptError("strings")
	}
	at, err := s.file.readRange(secStrings, 4*int(id), 8)
	if err != nil {
		return "", err
	}
	from, to := int(littleEndian.Uint32(at)), int(littleEndian.Uint32(at[4:]))
	if to < from {
		return "", corruptError("strings")
	}
	text, err := s.file.readRange(secStrings, from, to-from)
	return string(text), err
}

func (s *segment) readRecord(doc int) (r Record, err error) {
	b, err := s.file.readRange(secRecords, recordBytes*doc, recordBytes)
	if err != nil {
		return r, err
	}
	name := func(at int) SharedText { return SharedText{s, littleEndian.Uint32(b[at:])} }
	r = Record{
		storedAt: int(littleEndian.Uint32(b)), Tier: Tier(b[4]), Pinned: b[5]&flagPinned != 0,
		marked: b[5]&flagMarked != 0, counted: b[5]&flagCounted != 0, Unconfirmed: b[5]&flagUnconfirmed != 0, atCommand: b[5]&flagAtCommand != 0, EndsWithQuestion: b[5]&flagEndsWithQuestion != 0,
		Scope: name(8), Conversation: name(12), Category: name(16), Speaker: name(20),
		Seconds: int64(littleEndian.Uint64(b[24:])),
		Weight:  math.Float32frombits(littleEndian.Uint32(b[32:])), Confidence: math.Float32frombits(littleEndian.Uint32(b[36:])), TextHash: littleEndian.Uint32(b[40:]), Seq: littleEndian.Uint32(b[44:]),
	}
	if r.Tier >= tierCount || r.Weight != r.Weight || r.Confidence != r.Confidence {
		return r, corruptError("record")
	}
	return r, nil
}

// vectorOf is the vector of a doc's text.
func (s *segment) vectorOf(doc int) ([]byte, error) {
	return s.file.readRange(secMeanings, meaning.Size*doc, meaning.Size)
}

// readDoc reads a doc back as it was built.
func (s *segment) readDoc(n int) (d Doc, err error) {
	r, err := s.readRecord(n)
	if err != nil {
		return d, err
	}
	d = Doc{Tier: r.Tier, Seq: int(r.Seq), Pinned: r.Pinned, AtCommand: r.atCommand, Marked: r.marked, Counted: r.counted, Unconfirmed: r.Unconfirmed, Weight: float64(r.Weight), Confidence: float64(r.Confidence)}
	if r.Seconds != math.MinInt64 {
		d.Time = time.Unix(r.Seconds, 0).UTC()
	}
	for _, f := range []struct {
		into *string
		name SharedText
	}{{&d.Scope, r.Scope}, {&d.Conversation, r.Conversation}, {&d.Category, r.Category}, {&d.Speaker, r.Speaker}} {
		if *f.into, err = f.name.Text(); err != nil {
			return d, err
		}
	}
	c, err := s.readStored(n, r)
	if err != nil {
		return d, err
	}
	for _, into := range []*string{&d.ID, &d.Source, &d.Digest, &d.Session, &d.Path, &d.Text} {
		*into = c.str()
	}
	if rest, ok := strings.CutPrefix(d.Path, "+"); ok {
		d.Path = d.Source + rest
	} else {
		d.Path = strings.TrimPrefix(d.Path, "=")
	}
	d.Tags, d.Topics, d.When, d.Anchors = c.list(), c.list(), c.list(), c.list()
	if c.failed || len(c.data) > 0 {
		return d, corruptError("stored")
	}
	return d, nil
}

// readStored reads what is stored of doc n, whose record is r.
func (s *segment) readStored(n int, r Record) (cursor, error) {
	end := s.file.parts[secStored].size
	if n+1 < s.docCount {
		next, err := s.readRecord(n + 1)
		if err != nil {
			return cursor{}, err
		}
		end = next.storedAt
	}
	data, err := s.file.readRange(secStored, r.storedAt, end-r.storedAt)
	return cursor{data: data}, err
}

// sourceOf returns the source of doc n, without the rest of the doc.
func (s *segment) sourceOf(n int) (scope string, path []byte, err error) {
	r, err := s.readRecord(n)
	if err != nil {
		return "", nil, err
	}
	c, err := s.readStored(n, r)
	if err != nil {
		return "", nil, err
	}
	c.bytes() // the id
	if path = c.bytes(); c.failed {
		return "", nil, corruptError("stored")
	}
	scope, err = r.Scope.Text()
	return scope, path, err
}

// visitPostings walks postings; visit gets a doc of the segment and its counts.
func (s *segment) visitPostings(posts []byte, visit func(doc, body, head int)) error {
	doc := uint64(0)
	for len(posts) > 0 {
		v, n := uint64(posts[0]), 1
		if v >= 0x80 {
			v, n = binary.Uvarint(posts)
		}
		if n <= 0 {
			return corruptError("postings")
		}
		posts = posts[n:]
		body, head := uint64(1), uint64(0)
		switch v & 3 {
		case 1, 3:
			if body, n = binary.Uvarint(posts); n <= 0 {
				return corruptError("postings")
			}
			posts = posts[n:]
			if v&3 == 3 {
				if head, n = binary.Uvarint(posts); n <= 0 {
					return corruptError("postings")
				}
				posts = posts[n:]
			}
		case 2:
			body, head = 0, 1
		}
		doc += v >> 2
		if doc >= uint64(s.docCount) || body > maxCount || head > maxCount {
			return corruptError("postings")
		}
		visit(int(doc), int(body), int(head))
	}
	return nil
}

// droppedSources are the sources whose docs in older segments are gone, beside those that its own docs come from.
func (s *segment) droppedSources() ([]Source, error) {
	data, err := s.file.readSection(secDrops)
	if err != nil {
		return nil, err
	}
	c := cursor{data: data}
	var list []Source
	for n := c.uvarint(); n > 0 && !c.failed; n-- {
		list = append(list, Source{Scope: c.str(), Path: c.str()})
	}
	if c.failed || len(c.data) > 0 {
		return nil, corruptError("drops")
	}
	return list, nil
}

// visitSharedSources visits the sources of the segment's docs whose hashes another segment has too: the few that both may have
// docs from. Both lists of hashes are sorted.
func (s *segment) visitSharedSources(other *segment, visit func(Source) error) error {
	mine, err := s.file.readSection(secSources)
	if err != nil {
		return err
	}
	theirs, err := other.file.readSection(secSources)
	if err != nil {
		return err
	}
	var last Source
	for len(mine) > 0 && len(theirs) > 0 {
		switch a, b := littleEndian.Uint32(mine), littleEndian.Uint32(theirs); {
		case a < b:
			mine = mine[8:]
		case a > b:
			theirs = theirs[8:]
		default:
			n := int(littleEndian.Uint32(mine[4:]))
			if n >= s.docCount {
				return corruptError("sources")
			}
			scope, path, err := s.sourceOf(n)
			if err != nil {
				return err
			}
			if scope != last.Scope || string(path) != last.Path {
				source := Source{scope, string(path)}
				if err := visit(source); err != nil {
					return err
				}
				last = source
			}
			mine = mine[8:]
		}
	}
	return nil
}

// visitSource gives the docs of a source.
func (s *segment) visitSource(source Source, visit func(doc int)) error {
	hash := sourceHash(source)
	var err error
	at := func(i int) (uint32, int) {
		b, e := s.file.readRange(secSources, 8*i, 8)
		if e != nil {
			err = e
			return 0, 0
		}
		return littleEndian.Uint32(b), int(littleEndian.Uint32(b[4:]))
	}
	first := sort.Search(s.docCount, func(i int) bool { h, _ := at(i); return h >= hash })
	for i := first; i < s.docCount && err == nil; i++ {
		h, doc := at(i)
		if h != hash || err != nil {
			break
		}
		if doc >= s.docCount {
			return corruptError("sources")
		}
		scope, path, e := s.sourceOf(doc)
		if e != nil {
			return e
		}
		if scope == source.Scope && string(path) == source.Path {
			visit(doc)
		}
	}
	return err
}
