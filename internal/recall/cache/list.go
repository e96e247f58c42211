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

// fileList says what was indexed: every file as it was then.
type fileList struct {
	Rules    string // the store's RulesKey
	Segments []string
	Nested   []string  // see Request
	NestedAt string    // the state of Request.ListNestedAfter when they were listed; "" for none
	Since    lazyBlock // names of the files that changed since the base was written
	Tree     lazyBlock // Folders, in the list's bytes
	Folders  []folder  `json:"-"` // sorted by path
}

// folder is one folder that was listed.
type folder struct {
	Path  string
	Time  int64     // of its last change, in nanoseconds; 0: list it again
	Count int       // of its files that are indexed
	Files lazyBlock // those files, sorted by name
}

// fileState is one file of a folder.
type fileState struct {
	name string
	size int64
	time int64 // tells one state of it from another; 0: read it again
}

// lazyBlock is a part of the list that is read when it is needed: with
// 100,000 files in a folder that did not change, never. Each record in it ends with a zero byte.
type lazyBlock struct {
	Size int
	Sum  uint32
	data []byte
}

// countFiles returns the number of indexed files.
func (l *fileList) countFiles() int {
	n := 0
	for i := range l.Folders {
		n += l.Folders[i].Count
	}
	return n
}

func (l *fileList) findFolder(path string) *folder {
	i, ok := slices.BinarySearchFunc(l.Folders, path, func(f folder, p string) int { return cmp.Compare(f.Path, p) })
	if !ok {
		return nil
	}
	return &l.Folders[i]
}

func newBlock(data []byte) lazyBlock { return lazyBlock{len(data), crc32.ChecksumIEEE(data), data} }

func blockOfNames(names []string) lazyBlock {
	var data []byte
	for _, name := range names {
		data = append(append(data, name...), 0)
	}
	return newBlock(data)
}

func blockOfFiles(files []fileState) lazyBlock {
	var data []byte
	for _, f := range files {
		data = fmt.Appendf(data, "%x %x %s\x00", f.size, f.time, f.name)
	}
	return newBlock(data)
}

func blockOfFolders(folders []folder) lazyBlock {
	var data []byte
	for _, d := range folders {
		data = fmt.Appendf(data, "%x %x %x %x %s\x00", d.Time, d.Count, d.Files.Size, d.Files.Sum, d.Path)
	}
	return newBlock(data)
}

// cutNumbers reads the hexadecimal numbers that a record begins with, and returns what follows.
func cutNumbers(record string, numbers ...*int64) (rest string, err error) {
	for _, n := range numbers {
		var word string
		word, record, _ = strings.Cut(record, " ")
		if *n, err = strconv.ParseInt(word, 16, 64); err != nil {
			return "", errDamagedList
		}
	}
	return record, nil
}

var errDamagedList = errors.New("the list of indexed files is damaged")

// readRecords reads the records of a block.
func (b lazyBlock) readRecords() ([]string, error) {
	if crc32.ChecksumIEEE(b.data) != b.Sum {
		return nil, errDamagedList
	}
	names := strings.Split(string(b.data), "\x00")
	return names[:len(names)-1], nil
}

func (d *folder) readFiles() ([]fileState, error) {
	records, err := d.Files.readRecords()
	files := make([]fileState, 0, len(records))
	for _, record := range records {
		var f fileState
		if f.name, err = cutNumbers(record, &f.size, &f.time); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, err
}

func (l *fileList) readFolders() error {
	records, err := l.Tree.readRecords()
	l.Folders = make([]folder, len(records))
	for i, record := range records {
		var count, size, sum int64
		d := &l.Folders[i]
		if d.Path, err = cutNumbers(record, &d.Time, &count, &size, &sum); err != nil {
			return err
		}
		d.Count, d.Files = int(count), lazyBlock{Size: int(size), Sum: uint32(sum)}
	}
	return err
}

// The list's bytes: a line with the version and a checksum of the next line, that line, which is the list in JSON without its
// folders, of which there may be thousands, and then the data of the blocks.

// checksumLine is the first line of a list whose second line is given.
func checksumLine(head []byte) string {
	return fmt.Sprintf("memctl recall list 7 %08x", crc32.ChecksumIEEE(head))
}

func (l *fileList) encode() []byte {
	l.Tree = blockOfFolders(l.Folders)
	head, _ := json.Marshal(l) // text and numbers
	out := fmt.Appendf(nil, "%s\n%s\n%s%s", checksumLine(head), head, l.Since.data, l.Tree.data)
	for _, d := range l.Folders {
		out = append(out, d.Files.data...)
	}
	return out
}

// decodeList reads the head. The blocks share data's bytes.
func decodeList(data []byte) (*fileList, error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	head, rest, _ := bytes.Cut(rest, []byte("\n"))
	l := &fileList{}
	if string(first) != checksumLine(head) || json.Unmarshal(head, l) != nil {
		return nil, errDamagedList
	}
	bad := false
	take := func(b *lazyBlock) {
		if bad = bad || b.Size < 0 || b.Size > len(rest); !bad {
			b.data, rest = rest[:b.Size], rest[b.Size:]
		}
	}
	take(&l.Since)
	if take(&l.Tree); l.readFolders() != nil {
		return nil, errDamagedList
	}
	for i := range l.Folders {
		take(&l.Folders[i].Files)
	}
	if bad || len(rest) > 0 {
		return nil, errDamagedList
	}
	return l, nil
}
