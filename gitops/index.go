package gitops

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// maxIndex bounds an index that is read here, in bytes; git reads larger ones.
const maxIndex = 256 << 20

// indexRecord is one entry of the index as it is stored.
type indexRecord struct {
	ctime, mtime             stamp
	ino, mode, uid, gid, len uint32 // as git cuts them, to 32 bits
	id                       string
	stage                    int
	assumed                  bool // assume-unchanged
	skipped                  bool // skip-worktree
	intended                 bool // intent to add
}

// stamp is a file's time as the index keeps it.
type stamp struct{ sec, nsec uint32 }

// The flags of an entry, and those of its extended part.
const (
	flagAssumed  = 0x8000
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagLength   = 0x0fff
	flagSkipped  = 0x4000
	flagIntended = 0x2000
)

// ownIndex reads the index without git: the records of the paths, by name, and
// of all that stands below them. ok is false where only git can tell, as for a
// split or a sparse index, or a form that is not known here.
func (r *Repo) ownIndex(paths []string) (found map[string][]indexRecord, ok bool) {
	data, idLen, ok := r.indexBytes()
	if data == nil {
		return nil, ok // nothing was ever added
	}
	return parseIndex(data, idLen, paths)
}

// indexBytes reads the index, nil where there is none, and tells how long an id is in
// it. ok is false where only git can tell.
func (r *Repo) indexBytes() (data []byte, idLen int, ok bool) {
	if r.indexElsewhere() {
		return nil, 0, false
	}
	name := filepath.Join(r.GitDir, "index")
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, true
	}
	if err != nil || info.Size() > maxIndex {
		return nil, 0, false
	}
	if data, err = os.ReadFile(name); err != nil || len(data) == 0 {
		return nil, 0, false
	}
	switch r.fileConfig()["extensions.objectformat"] {
	case "", "sha1":
		return data, 20, true
	case "sha256":
		return data, 32, true
	}
	return nil, 0, false
}

// indexReader goes through the bytes of an index.
type indexReader struct {
	rest    []byte
	idLen   int
	version uint32
	name    []byte // of the entry read last: version 4 tells only what differs
	bad     bool
}

// take gives the next n bytes.
func (x *indexReader) take(n int) []byte {
	if n < 0 || n > len(x.rest) {
		x.bad = true
		return nil
	}
	part := x.rest[:n]
	x.rest = x.rest[n:]
	return part
}

// parseIndex reads versions 2 to 4. The checksum at the end is not looked at,
// nor does git look at it.
func parseIndex(data []byte, idLen int, paths []string) (found map[string][]indexRecord, ok bool) {
	x, count, ok := openIndex(data, idLen)
	if !ok {
		return nil, false
	}
	found = map[string][]indexRecord{}
	asked := asker(paths)
	for range count {
		fixed, extended := x.entry()
		if x.bad {
			return nil, false
		}
		if asked(x.name) {
			name := string(x.name)
			found[name] = append(found[name], newIndexRecord(fixed, extended, idLen))
		}
	}
	return found, x.onlyKnownExtensions()
}

// openIndex reads the head of an index: how many entries follow.
func openIndex(data []byte, idLen int) (x *indexReader, count uint32, ok bool) {
	if len(data) < 12+idLen || string(data[:4]) != "DIRC" {
		return nil, 0, false
	}
	x = &indexReader{rest: data[12 : len(data)-idLen], idLen: idLen, version: binary.BigEndian.Uint32(data[4:])}
	return x, binary.BigEndian.Uint32(data[8:]), x.version >= 2 && x.version <= 4
}

// entry reads one entry's fixed part, the flags of its extended part, and its name.
func (x *indexReader) entry() (fixed []byte, extended uint16) {
	before := len(x.rest)
	fixed = x.take(40 + x.idLen + 2)
	if x.bad {
		return nil, 0
	}
	flags := binary.BigEndian.Uint16(fixed[40+x.idLen:])
	if flags&flagExtended != 0 {
		more := x.take(2)
		if x.bad || x.version < 3 {
			x.bad = true
			return nil, 0
		}
		extended = binary.BigEndian.Uint16(more)
	}
	if x.version == 4 {
		x.shortName()
		return fixed, extended
	}
	length := int(flags & flagLength)
	if length == flagLength {
		length = bytes.IndexByte(x.rest, 0)
	}
	x.name = x.take(length)
	if x.bad {
		return nil, 0
	}
	used := before - len(x.rest)
	x.take((used+8)&^7 - used) // one to eight NULs
	return fixed, extended
}

// shortName reads a name of version 4: how much of the last one's end goes, and
// what comes in its place.
func (x *indexReader) shortName() {
	drop := 0
	for i := 0; ; i++ {
		b := x.take(1)
		if x.bad || i > 4 {
			x.bad = true
			return
		}
		if i > 0 {
			drop++
		}
		drop = drop<<7 | int(b[0]&0x7f)
		if b[0]&0x80 == 0 {
			break
		}
	}
	end := bytes.IndexByte(x.rest, 0)
	if drop > len(x.name) || end < 0 {
		x.bad = true
		return
	}
	x.name = append(x.name[:len(x.name)-drop:len(x.name)-drop], x.take(end)...)
	x.take(1)
}

// onlyKnownExtensions: one whose name begins with a small letter changes what
// the entries mean (link, sdir).
func (x *indexReader) onlyKnownExtensions() bool {
	for len(x.rest) > 0 {
		head := x.take(8)
		if x.bad || head[0] < 'A' || head[0] > 'Z' {
			return false
		}
		x.take(int(binary.BigEndian.Uint32(head[4:])))
	}
	return !x.bad
}

// asker tells whether a name, or a folder on the way to it, is asked for.
func asker(paths []string) func(name []byte) bool {
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
	set := setOf(paths)
	return func(name []byte) bool {
		for i, c := range name {
			if c == '/' && set[string(name[:i])] {
				return true
			}
		}
		return set[string(name)]
	}
}

func newIndexRecord(fixed []byte, extended uint16, idLen int) indexRecord {
	word := func(i int) uint32 { return binary.BigEndian.Uint32(fixed[4*i:]) }
	flags := binary.BigEndian.Uint16(fixed[40+idLen:])
	return indexRecord{
		ctime: stamp{word(0), word(1)}, mtime: stamp{word(2), word(3)},
		ino: word(5), mode: word(6), uid: word(7), gid: word(8), len: word(9),
		id: hex.EncodeToString(fixed[40 : 40+idLen]), stage: int(flags&flagStage) >> 12,
		assumed: flags&flagAssumed != 0, skipped: extended&flagSkipped != 0, intended: extended&flagIntended != 0,
	}
}

// CleanBlob is the id of what git keeps of the file, where the file on disk, its
// entry in the index and HEAD are surely one and the same; "" is no answer. No git
// is started. Git's own rule holds: a file is what the index says while its times,
// size and place are as noted there, and a file as young as the index is read
// once more.
func (r *Repo) CleanBlob(path string) string {
	p := r.plainReader()
	if p == nil || !r.ours() {
		return ""
	}
	state, err := r.State()
	if err != nil || state.Unborn {
		return ""
	}
	found, ok := r.ownIndex([]string{path})
	if !ok || len(found) != 1 || len(found[path]) != 1 {
		return ""
	}
	e := found[path][0]
	if e.stage != 0 || e.assumed || e.skipped || e.intended || !r.asNoted(path, e) {
		return ""
	}
	same := false
	err = r.withFiles(p, func(o objectReader) error {
		mode, id, ok, err := entryAt(o, state.Head, path)
		same = ok && id == e.id && mode == indexMode(e.mode)
		return err
	})
	if err != nil || !same {
		return ""
	}
	return e.id
}

// indexMode is a mode as trees write it.
func indexMode(mode uint32) string {
	switch mode {
	case 0o100644:
		return "100644"
	case 0o100755:
		return "100755"
	}
	return ""
}

// asNoted compares the file on disk with its record.
func (r *Repo) asNoted(name string, e indexRecord) bool {
	disk, ok := r.diskNow()
	dir := path.Dir(name)
	return ok && (dir == "." || disk.realFolder(dir)) && disk.fileAsNoted(filepath.Join(r.Root, filepath.FromSlash(name)), e)
}

// blobID is the SHA-1 id of content that is stored as it is.
func blobID(content []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
