package cache

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// list says what was indexed: every file as it was then.
type list struct {
	rules    string // the store's RulesKey
	segments []string
	since    block    // names of the files that changed since the base was written
	folders  []folder // sorted by path
}

// folder is one folder that was listed.
type folder struct {
	path  string
	time  int64 // of its last change, in nanoseconds; 0: list it again
	count int   // of its files that are indexed
	files block // those files, sorted by name
}

// file is one file of a folder.
type file struct {
	name string
	size int64
	time int64 // tells one state of it from another; 0: read it again
}

// block is a part of the list that is taken apart when it is needed: with
// 100,000 files in a folder that did not change, never.
type block struct {
	data []byte
	sum  uint32
}

// The list's bytes: the magic, the head's length and checksum (4 bytes each), the
// head, and then the blocks. Numbers in the head are varints, strings have their
// lengths before them; of a block the head has its length and checksum.
const (
	listMagic = "memctl recall list 4\n"
	listHead  = len(listMagic) + 8
)

// count is the number of indexed files.
func (l *list) count() int {
	n := 0
	for i := range l.folders {
		n += l.folders[i].count
	}
	return n
}

func (l *list) folder(path string) *folder {
	i, ok := slices.BinarySearchFunc(l.folders, path, func(f folder, p string) int { return cmp.Compare(f.path, p) })
	if !ok {
		return nil
	}
	return &l.folders[i]
}

// checksum is IEEE's: the tables of the other polynomials take a fifth of a millisecond to
// make, in every process.
func checksum(data []byte) uint32 { return crc32.ChecksumIEEE(data) }

func newBlock(data []byte) block { return block{data, checksum(data)} }

func blockOfNames(names []string) block {
	var w writer
	w.strs(names)
	return newBlock(w.data)
}

func blockOfFiles(files []file) block {
	var w writer
	for _, f := range files {
		w.str(f.name)
		w.signed(f.size)
		w.signed(f.time)
	}
	return newBlock(w.data)
}

func (b block) names() ([]string, error) {
	if checksum(b.data) != b.sum {
		return nil, errList
	}
	r := &reader{data: b.data}
	names := r.strs()
	return names, r.end()
}

// list takes the folder's files apart.
func (d *folder) list() ([]file, error) {
	if checksum(d.files.data) != d.files.sum {
		return nil, errList
	}
	r := &reader{data: d.files.data}
	files := make([]file, 0, min(d.count, len(r.data)))
	for range d.count {
		files = append(files, file{name: r.str(), size: r.signed(), time: r.signed()})
		if r.bad {
			break
		}
	}
	return files, r.end()
}

func (l *list) encode() []byte {
	var w writer
	w.str(l.rules)
	w.strs(l.segments)
	w.block(l.since)
	w.num(len(l.folders))
	size := len(l.since.data)
	for _, d := range l.folders {
		w.str(d.path)
		w.signed(d.time)
		w.num(d.count)
		w.block(d.files)
		size += len(d.files.data)
	}
	out := make([]byte, 0, listHead+len(w.data)+size)
	out = append(out, listMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(w.data)))
	out = binary.LittleEndian.AppendUint32(out, checksum(w.data))
	out = append(append(out, w.data...), l.since.data...)
	for _, d := range l.folders {
		out = append(out, d.files.data...)
	}
	return out
}

var errList = errors.New("the list of indexed files is damaged")

// decodeList reads the head. The blocks share data's bytes.
func decodeList(data []byte) (*list, error) {
	if len(data) < listHead || string(data[:len(listMagic)]) != listMagic {
		return nil, errList
	}
	n, sum := binary.LittleEndian.Uint32(data[len(listMagic):]), binary.LittleEndian.Uint32(data[len(listMagic)+4:])
	if uint64(n) > uint64(len(data)-listHead) {
		return nil, errList
	}
	r := &reader{data: data[listHead : listHead+int(n)]}
	if checksum(r.data) != sum {
		return nil, errList
	}
	rest := &reader{data: data[listHead+int(n):]}
	l := &list{rules: r.str(), segments: r.strs(), since: r.block(rest)}
	for range r.length() {
		l.folders = append(l.folders, folder{path: r.str(), time: r.signed(), count: r.num(), files: r.block(rest)})
		if r.bad {
			return nil, errList
		}
	}
	if r.end() != nil || rest.end() != nil {
		return nil, errList
	}
	return l, nil
}

type writer struct{ data []byte }

func (w *writer) num(n int)      { w.data = binary.AppendUvarint(w.data, uint64(n)) }
func (w *writer) signed(n int64) { w.data = binary.AppendVarint(w.data, n) }
func (w *writer) str(s string)   { w.num(len(s)); w.data = append(w.data, s...) }
func (w *writer) block(b block)  { w.num(len(b.data)); w.num(int(b.sum)) }

func (w *writer) strs(list []string) {
	w.num(len(list))
	for _, s := range list {
		w.str(s)
	}
}

// reader takes bytes apart; it is bad once something did not fit.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) end() error {
	if r.bad || len(r.data) != 0 {
		return errList
	}
	return nil
}

func (r *reader) fail() { r.bad, r.data = true, nil }

func (r *reader) num() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > 1<<40 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// length is a count of things of at least one byte each.
func (r *reader) length() int {
	n := r.num()
	if n > len(r.data) {
		r.fail()
		return 0
	}
	return n
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) str() string {
	n := r.length()
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func (r *reader) strs() []string {
	var out []string
	for range r.length() {
		out = append(out, r.str())
	}
	return out
}

// block is the next block of rest, as the head tells of it.
func (r *reader) block(rest *reader) block {
	n, sum := r.num(), r.num()
	if n > len(rest.data) {
		r.fail()
		return block{}
	}
	b := block{data: rest.data[:n], sum: uint32(sum)}
	rest.data = rest.data[n:]
	return b
}
