package indexfile

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// errState: the index can be read, but only git may change it so: it has version 4, the entry
// is in a conflict or hidden from git, a file and a folder have one name, or an extension would
// have to be brought up to date that is git's own.
var errState = errors.New("a change of the index that only git makes")

// Change is what becomes of one path.
type Change struct {
	Path  string
	Entry *Entry // at stage 0, without flags; nil removes the entry
}

// Spliced is an index after changes.
type Spliced struct {
	Bytes []byte
	// Young: an entry that stayed is of a file that was changed in the second in which the
	// index was written, or later. Git compares the content of such files, for as long as the
	// index is not younger: the new index has to keep the old one's time.
	Young bool
}

// Splice replaces, adds and removes entries of a repository with SHA-1 ids, and leaves all others as they are. data is
// empty where there is no index yet. written is the second in which the index was written.
// The extension TREE (git's cached trees) loses the folders on the way to each path;
// offsets for parallel reading (EOIE, IEOT) are left out, as git does for small indexes.
// An entry that is to be removed and is not there is no error. Errors: errForm, errState.
func Splice(data []byte, idLen int, written uint32, changes []Change) (Spliced, error) {
	s, err := newSplicer(data, idLen, written, changes)
	if err != nil {
		return Spliced{}, err
	}
	if err := s.entries(); err != nil {
		return Spliced{}, err
	}
	if err := s.extensions(); err != nil {
		return Spliced{}, err
	}
	return Spliced{s.sealed(), s.young}, nil
}

// splicer goes through an index and writes the changed one.
type splicer struct {
	in      *reader
	data    []byte // of the old index
	left    uint32 // entries of it not yet read
	changes []Change
	written uint32
	clashes func(name []byte) bool // whether an entry that stays may not stand beside the changes
	touched map[string]bool        // the folders on the way to the changes

	out     []byte
	count   uint32
	copied  int // how far data is written or passed over
	young   bool
	renamed bool // a name came or went
}

func newSplicer(data []byte, idLen int, written uint32, changes []Change) (*splicer, error) {
	if len(data) == 0 {
		data = binary.BigEndian.AppendUint32([]byte("DIRC"), 2)
		data = append(data, make([]byte, 4+idLen)...)
		data[len(data)-1] = 1 // not all zeros: those stand for "no checksum"
	}
	in, count, err := open(data, idLen)
	if err == nil && in.version == 4 {
		err = errState // in which each name depends on the one before it
	}
	if err != nil {
		return nil, err
	}
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	var added, folders []string
	for i, c := range changes {
		if path.IsAbs(c.Path) || path.Clean(c.Path) != c.Path || i > 0 && changes[i-1].Path == c.Path {
			return nil, fmt.Errorf("%q: no path below the top, or there twice", c.Path)
		}
		if c.Entry == nil {
			continue
		}
		added = append(added, c.Path)
		for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
			folders = append(folders, dir)
		}
	}
	s := &splicer{in: in, data: data, left: count, changes: changes, written: written, touched: touchedFolders(changes)}
	below, files := isBelowAny(added), exactly(folders)
	s.clashes = func(name []byte) bool { return files(name) || below(name) }
	s.out = append(make([]byte, 0, len(data)+len(changes)*(statLength+idLen+80)), data[:headLength]...)
	s.copied = headLength
	return s, nil
}

// readOffset is the offset in data up to which the old index was read.
func (s *splicer) readOffset() int { return len(s.data) - s.in.idLen - len(s.in.rest) }

// entries merges the old entries with the changes, both in the order of their names.
func (s *splicer) entries() error {
	for ; s.left > 0; s.left-- {
		start := s.readOffset()
		before := s.in.name
		raw := s.in.entry()
		if s.in.bad || bytes.Compare(before, s.in.name) > 0 || len(s.in.name) == 0 {
			return errForm // git, too, refuses an index without order
		}
		for len(s.changes) > 0 && s.changes[0].Path < string(s.in.name) {
			s.flush(start)
			s.add()
		}
		if len(s.changes) > 0 && s.changes[0].Path == string(s.in.name) {
			if e := raw.Entry(); e.Stage != 0 || e.Assumed || e.Skipped || e.Intended {
				return errState
			}
			s.flush(start)
			s.replace()
			s.copied = s.readOffset()
			continue
		}
		if s.clashes(s.in.name) {
			return errState
		}
		s.young = s.young || raw.mtimeSec() >= s.written
		s.count++
	}
	s.flush(s.readOffset())
	for len(s.changes) > 0 {
		s.add()
	}
	return nil
}

// flush writes what stays as it is, up to an offset of the old index.
func (s *splicer) flush(upTo int) {
	s.out = append(s.out, s.data[s.copied:upTo]...)
	s.copied = upTo
}

// add writes the next change, of a path that the index does not have.
func (s *splicer) add() {
	c := s.changes[0]
	s.changes = s.changes[1:]
	if c.Entry != nil {
		s.write(c)
		s.renamed = true
	}
}

// replace writes the next change in the place of the entry that was read last.
func (s *splicer) replace() {
	c := s.changes[0]
	s.changes = s.changes[1:]
	if c.Entry != nil {
		s.write(c)
	} else {
		s.renamed = true
	}
}

// write appends a new entry.
func (s *splicer) write(c Change) {
	e := c.Entry
	begin := len(s.out)
	for _, n := range []uint32{e.CTime.Sec, e.CTime.Nsec, e.MTime.Sec, e.MTime.Nsec, e.Dev, e.Inode, e.Mode, e.UID, e.GID, e.Size} {
		s.out = binary.BigEndian.AppendUint32(s.out, n)
	}
	id, _ := hex.DecodeString(e.ID) // checked by the caller: a blob's id
	s.out = append(s.out, id...)
	s.out = binary.BigEndian.AppendUint16(s.out, uint16(min(len(c.Path), flagLength)))
	s.out = append(s.out, c.Path...)
	s.out = append(s.out, make([]byte, padding(len(s.out)-begin))...)
	s.count++
}

// isBelowAny tells whether a name is one of the paths, or below one of them.
func isBelowAny(paths []string) func(name []byte) bool {
	const few = 8
	if len(paths) <= few {
		return func(name []byte) bool {
			for _, p := range paths {
				if len(name) >= len(p) && string(name[:len(p)]) == p && (len(name) == len(p) || name[len(p)] == '/') {
					return true
				}
			}
			return false
		}
	}
	is := exactly(paths)
	return func(name []byte) bool {
		for i, c := range name {
			if c == '/' && is(name[:i]) {
				return true
			}
		}
		return is(name)
	}
}

// exactly tells whether a name is one of the paths.
func exactly(paths []string) func(name []byte) bool {
	set := make(map[string]bool, len(paths))
	for _, p := range paths {
		set[p] = true
	}
	return func(name []byte) bool { return set[string(name)] }
}

// sealed puts the number of entries and the checksum to what was written. An index
// without a checksum (index.skipHash: zeros in its place) stays so.
func (s *splicer) sealed() []byte {
	binary.BigEndian.PutUint32(s.out[8:], s.count)
	idLen := s.in.idLen
	if bytes.Equal(s.data[len(s.data)-idLen:], make([]byte, idLen)) {
		return append(s.out, make([]byte, idLen)...)
	}
	sum := sha1.Sum(s.out)
	return append(s.out, sum[:]...)
}
