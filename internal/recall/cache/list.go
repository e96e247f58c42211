package cache

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

// list says what was indexed: every file as it was then.
type list struct {
	Rules    string // the store's RulesKey
	Segments []string
	Nested   []string // see Request
	NestedAt string   // the state of Request.NestedIn when they were listed; "" for none
	Since    block    // names of the files that changed since the base was written
	Folders  []folder // sorted by path
}

// folder is one folder that was listed.
type folder struct {
	Path  string
	Time  int64 // of its last change, in nanoseconds; 0: list it again
	Count int   // of its files that are indexed
	Files block // those files, sorted by name
}

// file is one file of a folder.
type file struct {
	name string
	size int64
	time int64 // tells one state of it from another; 0: read it again
}

// block is a part of the list that is read when it is needed: with
// 100,000 files in a folder that did not change, never. Each record in it ends with a zero byte.
type block struct {
	Size int
	Sum  uint32
	data []byte
}

// count is the number of indexed files.
func (l *list) count() int {
	n := 0
	for i := range l.Folders {
		n += l.Folders[i].Count
	}
	return n
}

func (l *list) folder(path string) *folder {
	i, ok := slices.BinarySearchFunc(l.Folders, path, func(f folder, p string) int { return cmp.Compare(f.Path, p) })
	if !ok {
		return nil
	}
	return &l.Folders[i]
}

func newBlock(data []byte) block { return block{len(data), crc32.ChecksumIEEE(data), data} }

func blockOfNames(names []string) block {
	var data []byte
	for _, name := range names {
		data = append(append(data, name...), 0)
	}
	return newBlock(data)
}

func blockOfFiles(files []file) block {
	var data []byte
	for _, f := range files {
		data = fmt.Appendf(data, "%x %x %s\x00", f.size, f.time, f.name)
	}
	return newBlock(data)
}

var errList = errors.New("the list of indexed files is damaged")

// names reads the records of a block.
func (b block) names() ([]string, error) {
	if crc32.ChecksumIEEE(b.data) != b.Sum {
		return nil, errList
	}
	names := strings.Split(string(b.data), "\x00")
	return names[:len(names)-1], nil
}

// list reads the folder's files.
func (d *folder) list() ([]file, error) {
	records, err := d.Files.names()
	files := make([]file, 0, len(records))
	for _, record := range records {
		size, rest, _ := strings.Cut(record, " ")
		state, name, _ := strings.Cut(rest, " ")
		n, badSize := strconv.ParseInt(size, 16, 64)
		at, badTime := strconv.ParseInt(state, 16, 64)
		if badSize != nil || badTime != nil {
			return nil, errList
		}
		files = append(files, file{name, n, at})
	}
	return files, err
}

// The list's bytes: a line with the version and a checksum of the next line, that line, which is the list in JSON,
// and then the data of the blocks.

// firstLine is the first line of a list whose second line is given.
func firstLine(head []byte) string {
	return fmt.Sprintf("memctl recall list 6 %08x", crc32.ChecksumIEEE(head))
}

// blocks are the blocks of the list, in the order of their data.
func (l *list) blocks() []*block {
	all := []*block{&l.Since}
	for i := range l.Folders {
		all = append(all, &l.Folders[i].Files)
	}
	return all
}

func (l *list) encode() []byte {
	head, _ := json.Marshal(l) // text and numbers
	out := fmt.Appendf(nil, "%s\n%s\n", firstLine(head), head)
	for _, b := range l.blocks() {
		out = append(out, b.data...)
	}
	return out
}

// decodeList reads the head. The blocks share data's bytes.
func decodeList(data []byte) (*list, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	head, rest, _ := bytes.Cut(rest, []byte("\n"))
	l := &list{}
	if string(first) != firstLine(head) || json.Unmarshal(head, l) != nil {
		return nil, errList
	}
	for _, b := range l.blocks() {
		if b.Size < 0 || b.Size > len(rest) {
			return nil, errList
		}
		b.data, rest = rest[:b.Size], rest[b.Size:]
	}
	if len(rest) > 0 {
		return nil, errList
	}
	return l, nil
}
