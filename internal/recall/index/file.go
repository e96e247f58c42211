package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync/atomic"

	"github.com/memctl/memctl/internal/recall/meaning"
)

// A segment is a header, sections, and a table with a checksum for every block
// of them. The header holds its own checksum and the table's. A block is checked
// when something of it is read first, so that a query pays for what it touches.
const (
	magic       = "memctl recall\n\x00\x0d" // the last byte is the version of the layout
	blockBytes  = 16 << 10
	headerBytes = len(magic) + 4 + 8 + sections*16 + 4 + 4
	// MaxSegmentBytes is the size over which no segment is written or opened.
	MaxSegmentBytes = 1 << 31
)

// The sections of a segment.
const (
	secMeta     = iota // the counts
	secStrings         // offsets, then the bytes of strings that docs share
	secLengths         // the number of terms in a doc's text: 2 bytes
	secGroups          // the hash of a doc's group, 0 for none: 8 bytes
	secRecords         // what else ranking needs of a doc: recordBytes each
	secStored          // what is printed of a doc
	secSources         // hash of a doc's source, and its number, sorted: 2 × 4 bytes
	secDrops           // sources whose docs in older segments are gone
	secBlocks          // for each block of terms where its terms and postings begin: 2 × 4 bytes
	secTerms           // terms, front coded
	secPosts           // postings
	secCounts          // how many docs there are of each kind and topic
	secMeanings        // the vector of each doc's text: meaning.Size bytes each
	secSigns           // the signs of each of these vectors: signBytes each
	sections
)

// ErrCorrupt is what reading a damaged segment gives, wrapped with the place.
var ErrCorrupt = errors.New("the index is damaged")

// errVersion is what opening a segment of another version gives: build it anew.
var errVersion = errors.New("the index is of another version")

// analysisVersion numbers what makes terms and vectors of words: an index with others is built anew.
func analysisVersion() uint32 { return analyzerVersion ^ meaning.Version() }

func corruptError(what string) error { return fmt.Errorf("%s: %w", what, ErrCorrupt) }

// assembleSegment puts sections together to a segment.
func assembleSegment(parts [sections][]byte) ([]byte, error) {
	size := headerBytes
	for _, p := range parts {
		size += len(p)
	}
	blocks := (size - headerBytes + blockBytes - 1) / blockBytes
	if size+4*blocks > MaxSegmentBytes {
		return nil, fmt.Errorf("the index: %d bytes are more than %d", size, MaxSegmentBytes)
	}
	out := make([]byte, headerBytes, size+4*blocks)
	for _, p := range parts {
		out = append(out, p...)
	}
	lens := [sections]int{}
	for i, p := range parts {
		lens[i] = len(p)
	}
	return writeHeader(out, lens), nil
}

// writeHeader writes the table of checksums behind the sections, and the header.
func writeHeader(out []byte, lens [sections]int) []byte {
	end := len(out)
	for at := headerBytes; at < end; at += blockBytes {
		out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:min(at+blockBytes, end)]))
	}
	head := append(make([]byte, 0, headerBytes), magic...)
	head = binary.LittleEndian.AppendUint32(head, analysisVersion())
	head = binary.LittleEndian.AppendUint64(head, uint64(len(out)))
	at := headerBytes
	for _, n := range lens {
		head = binary.LittleEndian.AppendUint64(head, uint64(at))
		head = binary.LittleEndian.AppendUint64(head, uint64(n))
		at += n
	}
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(out[end:]))
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(head))
	copy(out, head)
	return out
}

// file is a segment's bytes with its sections found and its blocks checked as
// they are touched. It may be read by several goroutines.
type file struct {
	data    []byte
	parts   [sections]struct{ at, size int }
	table   []byte // the checksums
	checked []atomic.Bool
}

func openFile(data []byte) (*file, error) {
	if len(data) < headerBytes || len(data) > MaxSegmentBytes {
		return nil, corruptError("header")
	}
	last := len(magic) - 1
	if string(data[:last]) != magic[:last] {
		return nil, corruptError("header")
	}
	if data[last] != magic[last] || binary.LittleEndian.Uint32(data[len(magic):]) != analysisVersion() {
		return nil, errVersion
	}
	sum := binary.LittleEndian.Uint32(data[headerBytes-4:])
	if crc32.ChecksumIEEE(data[:headerBytes-4]) != sum || binary.LittleEndian.Uint64(data[len(magic)+4:]) != uint64(len(data)) {
		return nil, corruptError("header")
	}
	f := &file{data: data}
	at := headerBytes
	for i := range f.parts {
		p := data[len(magic)+12+16*i:]
		off, size := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		if off != uint64(at) || size > uint64(len(data)-at) {
			return nil, corruptError("header")
		}
		f.parts[i].at, f.parts[i].size = at, int(size)
		at += int(size)
	}
	blocks := (at - headerBytes + blockBytes - 1) / blockBytes
	f.table = data[at:]
	if len(f.table) != 4*blocks || crc32.ChecksumIEEE(f.table) != binary.LittleEndian.Uint32(data[headerBytes-8:]) {
		return nil, corruptError("checksums")
	}
	f.checked = make([]atomic.Bool, blocks)
	return f, nil
}

// readRange returns n bytes of a section from off on, checked.
func (f *file) readRange(section, off, n int) ([]byte, error) {
	p := f.parts[section]
	if off < 0 || n < 0 || off > p.size || n > p.size-off {
		return nil, corruptError("section")
	}
	if n == 0 {
		return nil, nil
	}
	from, to := p.at+off, p.at+off+n
	end := len(f.data) - len(f.table)
	for b := (from - headerBytes) / blockBytes; b <= (to-1-headerBytes)/blockBytes; b++ {
		if f.checked[b].Load() {
			continue
		}
		at := headerBytes + b*blockBytes
		if crc32.ChecksumIEEE(f.data[at:min(at+blockBytes, end)]) != binary.LittleEndian.Uint32(f.table[4*b:]) {
			return nil, corruptError("checksum")
		}
		f.checked[b].Store(true)
	}
	return f.data[from:to:to], nil
}

// readSection returns a whole section, checked.
func (f *file) readSection(section int) ([]byte, error) {
	return f.readRange(section, 0, f.parts[section].size)
}
