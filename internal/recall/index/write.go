package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/recall/meaning"
)

const (
	recordBytes = 48
	termsBlock  = 16 // terms in a block of the dictionary
	maxCount    = math.MaxUint16

	flagPinned           = 1 // of a record
	flagAtCommand        = 2
	flagMarked           = 4
	flagCounted          = 8
	flagUnconfirmed      = 16
	flagEndsWithQuestion = 32
)

var littleEndian = binary.LittleEndian

// Build writes docs to a segment, and clears them one by one: their texts are not in memory twice. Their order does not
// matter. drops names sources whose docs in older segments are gone; sources that docs come from need not be named.
func Build(docs []Doc, drops []Source) ([]byte, error) { return newBuilder().build(docs, drops) }

// Merge puts the segments of one index together to one, the oldest first: what newer ones drop is left out. drops names
// the sources whose docs in still older segments are gone. The error wraps ErrCorrupt.
func Merge(segments [][]byte, drops []Source) ([]byte, error) {
	x, err := Open(segments...)
	if err != nil {
		return nil, err
	}
	docs := make([]Doc, 0, x.Len())
	for d, err := range x.Docs() {
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return Build(docs, drops)
}

// BuildForQuestion writes docs to a segment for one question, and leaves them as they are: of all terms it has only those given, where they are not nil.
func BuildForQuestion(docs []Doc, terms []WeightedTerm) ([]byte, error) {
	b := newBuilder()
	b.keepsDocs = true
	if former, ok := readerPool.Get().(*textReaders); ok {
		b.textReaders = *former
	}
	if terms != nil {
		b.wantedTerms = make(map[string]bool, len(terms))
		for _, t := range terms {
			b.wantedTerms[t.Term] = true
		}
	}
	data, err := b.build(docs, nil)
	readerPool.Put(&b.textReaders)
	return data, err
}

// BuildWithoutText writes docs to a segment that has neither their texts nor their words, but hashes of these: what is
// printed of a hit is read elsewhere.
func BuildWithoutText(docs []Doc) ([]byte, error) {
	b := newBuilder()
	b.hashed = true
	return b.build(docs, nil)
}

// hashedTerm is a term in a segment without words.
func hashedTerm(term string) string {
	h := fnv.New64a()
	io.WriteString(h, term)
	return string(h.Sum(nil))
}

// textReaders make terms and vectors of texts, and remember words.
type textReaders struct {
	analyzer Analyzer
	meanings meaning.Reader
}

// readerPool has the readers of former questions: the words that they looked up stay known.
var readerPool sync.Pool

func (b *builder) build(docs []Doc, drops []Source) ([]byte, error) {
	order, size := make([]*Doc, len(docs)), 0
	for i := range docs {
		size += len(docs[i].ID) + len(docs[i].Source) + len(docs[i].Text) + recordBytes/2
		if len(docs[i].Text) > maxTextBytes {
			return nil, fmt.Errorf("%q: the text has %d bytes, and %d are the most", docs[i].ID, len(docs[i].Text), maxTextBytes)
		}
		order[i] = &docs[i]
	}
	slices.SortFunc(order, compareDocs)
	b.parts[secStored] = make([]byte, 0, size) // growing would leave copies behind
	b.parts[secMeanings] = make([]byte, 0, len(docs)*meaning.Size)
	for i, d := range order {
		b.addDoc(uint32(i), d)
		if !b.keepsDocs {
			*d = Doc{}
		}
	}
	return b.finishSegment(drops)
}

type builder struct {
	parts       [sections][]byte
	strings     map[string]uint32
	stringList  []string
	terms       map[string]*termPostings
	sources     [][2]uint32
	counts      Counts
	docCount    uint32
	wantedTerms map[string]bool // terms that are wanted; nil for all
	keepsDocs   bool            // the docs stay as they are
	hashed      bool            // no text is kept, and of words their hashes

	textReaders
	inDoc []*termPostings // the terms of the doc at hand
}

// termPostings is what is known of one term.
type termPostings struct {
	data     []byte
	lastDoc  uint32
	docCount uint32
	current  termCounts // in the doc at hand
}

func newBuilder() *builder {
	b := &builder{strings: map[string]uint32{}, terms: map[string]*termPostings{}, counts: Counts{}}
	b.stringID("")
	return b
}

func (b *builder) stringID(s string) uint32 {
	id, ok := b.strings[s]
	if !ok {
		id = uint32(len(b.stringList))
		b.strings[s] = id
		b.stringList = append(b.stringList, s)
	}
	return id
}

func (b *builder) addDoc(n uint32, d *Doc) {
	terms, body := b.countTerms(d)
	for _, p := range terms {
		p.endDoc(n)
	}
	b.addMeaning(b.meanings.Vector(append(subjectLabels(d), d.Text)...))
	b.parts[secLengths] = littleEndian.AppendUint16(b.parts[secLengths], uint16(min(body, maxCount)))
	b.parts[secGroups] = littleEndian.AppendUint64(b.parts[secGroups], groupHash(d))
	b.addRecord(d)
	b.sources = append(b.sources, [2]uint32{sourceHash(Source{d.Scope, d.Source}), n})
	b.docCount++
}

// endDoc writes what was counted in the doc at hand.
func (p *termPostings) endDoc(n uint32) {
	p.data = appendPosting(p.data, n-p.lastDoc, p.current)
	p.lastDoc, p.current = n, termCounts{}
	p.docCount++
}

// termCounts counts a term in a doc's text and in its labels.
type termCounts struct{ inText, inLabels int }

// countTerms counts the terms of a doc's text, and of its labels: tags, topics,
// category, key or path, and speaker. It leaves the counts in the terms.
func (b *builder) countTerms(d *Doc) (terms []*termPostings, body int) {
	terms = b.inDoc[:0]
	var none termPostings
	of := func(t Token) *termPostings {
		if b.wantedTerms != nil && !b.wantedTerms[t.Term] {
			return &none
		}
		p := b.terms[t.Term]
		if p == nil {
			p = &termPostings{}
			b.terms[strings.Clone(t.Term)] = p
		}
		if p.current == (termCounts{}) {
			terms = append(terms, p)
		}
		return p
	}
	b.analyzer.Analyze(d.Text, func(t Token) { of(t).current.inText++; body++ })
	emitForms(d.Text, func(term string) { of(Token{Term: term}).current.inText++ })
	for _, s := range labelTexts(d) {
		b.analyzer.Analyze(s, func(t Token) { of(t).current.inLabels++ })
	}
	for _, s := range slices.Concat(d.When, d.Anchors) {
		b.analyzer.Analyze(s, func(t Token) { t.Term = WhenTerm(t.Term); of(t).current.inLabels = 1 })
	}
	b.inDoc = terms
	return terms, body
}

func (b *builder) addRecord(d *Doc) {
	r := b.parts[secRecords]
	r = littleEndian.AppendUint32(r, uint32(len(b.parts[secStored])))
	flags := byte(0)
	if d.Pinned {
		flags = flagPinned
	}
	if d.AtCommand {
		flags |= flagAtCommand
	}
	if d.Marked {
		flags |= flagMarked
	}
	if d.Counted {
		flags |= flagCounted
	}
	if d.Unconfirmed {
		flags |= flagUnconfirmed
	}
	if d.Tier == TierTurn && endsWithQuestion(d.Text) {
		flags |= flagEndsWithQuestion
	}
	b.counts.add(d, 1)
	r = append(r, byte(d.Tier), flags)
	r = littleEndian.AppendUint16(r, 0)
	r = littleEndian.AppendUint32(r, b.stringID(d.Scope))
	r = littleEndian.AppendUint32(r, b.stringID(d.Conversation))
	r = littleEndian.AppendUint32(r, b.stringID(d.Category))
	r = littleEndian.AppendUint32(r, b.stringID(d.Speaker))
	seconds := int64(math.MinInt64)
	if !d.Time.IsZero() {
		seconds = d.Time.Unix()
	}
	r = littleEndian.AppendUint64(r, uint64(seconds))
	r = littleEndian.AppendUint32(r, math.Float32bits(float32(d.Weight)))
	r = littleEndian.AppendUint32(r, math.Float32bits(float32(d.Confidence)))
	r = littleEndian.AppendUint32(r, TextHash(d.Text))
	b.parts[secRecords] = littleEndian.AppendUint32(r, uint32(min(max(d.Seq, 0), math.MaxUint32)))

	s := b.parts[secStored]
	path := "=" + d.Path
	if rest, ok := strings.CutPrefix(d.Path, d.Source); ok {
		path = "+" + rest // most often the source itself
	}
	kept := d.Text
	if b.hashed {
		kept = ""
	}
	for _, text := range []string{d.ID, d.Source, d.Digest, d.Session, path, kept} {
		s = appendString(s, text)
	}
	for _, list := range [][]string{d.Tags, d.Topics, d.When, d.Anchors} {
		s = binary.AppendUvarint(s, uint64(len(list)))
		for _, text := range list {
			s = appendString(s, text)
		}
	}
	b.parts[secStored] = s
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendPosting writes the step to the doc with, in its two lowest bits, what
// follows: 0 nothing (once in the text), 1 the count in the text, 2 nothing (once
// in the labels), 3 both counts.
func appendPosting(b []byte, step uint32, c termCounts) []byte {
	body, head := uint64(min(c.inText, maxCount)), uint64(min(c.inLabels, maxCount))
	s := uint64(step) << 2
	switch {
	case body == 1 && head == 0:
		return binary.AppendUvarint(b, s)
	case head == 0:
		return binary.AppendUvarint(binary.AppendUvarint(b, s|1), body)
	case body == 0 && head == 1:
		return binary.AppendUvarint(b, s|2)
	}
	return binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, s|3), body), head)
}

func (b *builder) finishSegment(drops []Source) ([]byte, error) {
	if int64(len(b.parts[secStored])) > MaxSegmentBytes {
		return nil, fmt.Errorf("the index: %d bytes of text are more than %d", len(b.parts[secStored]), MaxSegmentBytes)
	}
	b.writeSources(drops)
	b.writeTerms()
	b.writeStrings()
	counts, err := b.counts.encode()
	if err != nil {
		return nil, err
	}
	b.parts[secCounts] = counts
	meta := littleEndian.AppendUint32(nil, b.docCount)
	meta = littleEndian.AppendUint32(meta, uint32(len(b.stringList)))
	meta = littleEndian.AppendUint32(meta, uint32(len(b.terms)))
	var words uint64
	for at := 0; at < len(b.parts[secLengths]); at += 2 {
		words += uint64(littleEndian.Uint16(b.parts[secLengths][at:]))
	}
	meta = littleEndian.AppendUint64(meta, words)
	if b.hashed {
		meta = append(meta, 1)
	}
	b.parts[secMeta] = meta
	return assembleSegment(b.parts)
}

func (b *builder) writeSources(drops []Source) {
	slices.SortFunc(b.sources, func(x, y [2]uint32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	for _, s := range b.sources {
		b.parts[secSources] = littleEndian.AppendUint32(littleEndian.AppendUint32(b.parts[secSources], s[0]), s[1])
	}
	list := slices.Clone(drops)
	slices.SortFunc(list, compareSources)
	list = slices.Compact(list)
	out := binary.AppendUvarint(nil, uint64(len(list)))
	for _, s := range list {
		out = appendString(appendString(out, s.Scope), s.Path)
	}
	b.parts[secDrops] = out
}

func compareSources(x, y Source) int {
	return cmp.Or(cmp.Compare(x.Scope, y.Scope), cmp.Compare(x.Path, y.Path))
}

func (b *builder) writeTerms() {
	if b.hashed {
		hashed := make(map[string]*termPostings, len(b.terms))
		for name, p := range b.terms {
			hashed[hashedTerm(name)] = p
		}
		b.terms = hashed
	}
	names, size := make([]string, 0, len(b.terms)), 0
	for name, p := range b.terms {
		names = append(names, name)
		size += len(p.data)
	}
	slices.Sort(names)
	last := ""
	var blocks, terms []byte
	posts := make([]byte, 0, size)
	for i, name := range names {
		shared := 0
		if i%termsBlock == 0 {
			blocks = littleEndian.AppendUint32(littleEndian.AppendUint32(blocks, uint32(len(terms))), uint32(len(posts)))
		} else {
			for shared < min(len(name), len(last)) && name[shared] == last[shared] {
				shared++
			}
		}
		p := b.terms[name]
		terms = binary.AppendUvarint(terms, uint64(shared))
		terms = appendString(terms, name[shared:])
		terms = binary.AppendUvarint(terms, uint64(len(p.data)))
		terms = binary.AppendUvarint(terms, uint64(p.docCount))
		posts = append(posts, p.data...)
		last = name
	}
	b.parts[secBlocks], b.parts[secTerms], b.parts[secPosts] = blocks, terms, posts
}

func (b *builder) writeStrings() {
	at := uint32(4 * (len(b.stringList) + 1))
	var offsets, text []byte
	for _, s := range b.stringList {
		offsets = littleEndian.AppendUint32(offsets, at+uint32(len(text)))
		text = append(text, s...)
	}
	offsets = littleEndian.AppendUint32(offsets, at+uint32(len(text)))
	b.parts[secStrings] = append(offsets, text...)
}
