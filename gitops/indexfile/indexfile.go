// Package indexfile reads git's index and replaces entries in it. Pure: bytes in,
// bytes out.
//
// It knows the versions 2 to 4 as git's documentation describes them (gitformat-index):
// a head of 12 bytes ("DIRC", version, number of entries), the entries in the order of
// their names, extensions, and a checksum. What it does not know for certain it leaves
// to git, with an error.
package indexfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// errForm: the index is damaged, or has a form that only git can read, such as a split
// or a sparse index.
var errForm = errors.New("a form of the index that only git reads")

// Entry is one file's entry.
type Entry struct {
	CTime, MTime                     Time
	Dev, Inode, Mode, UID, GID, Size uint32 // as git cuts them, to 32 bits
	ID                               string // of the blob, in hexadecimal digits
	Stage                            int    // 0, or in a conflict 1 to 3
	Assumed                          bool   // assume-unchanged
	Skipped                          bool   // skip-worktree
	Intended                         bool   // intent to add
}

// Time is a file's time as the index keeps it: seconds since 1970, and nanoseconds.
type Time struct{ Sec, Nsec uint32 }

// The flags of an entry, and those of its extended part.
const (
	flagAssumed  = 0x8000
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagLength   = 0x0fff
	flagSkipped  = 0x4000
	flagIntended = 0x2000
)

const (
	headLength = 12
	statLength = 40 // of an entry: before the id
)

// Raw is one entry as its bytes; it is valid for as long as the index's bytes are.
type Raw struct {
	fixed    []byte // stat data, id, flags
	extended uint16 // more flags, from version 3 on
}

// Entry decodes the bytes.
func (r Raw) Entry() Entry {
	word := func(i int) uint32 { return binary.BigEndian.Uint32(r.fixed[4*i:]) }
	flags := binary.BigEndian.Uint16(r.fixed[len(r.fixed)-2:])
	return Entry{
		CTime: Time{word(0), word(1)}, MTime: Time{word(2), word(3)},
		Dev: word(4), Inode: word(5), Mode: word(6), UID: word(7), GID: word(8), Size: word(9),
		ID: hex.EncodeToString(r.fixed[statLength : len(r.fixed)-2]), Stage: int(flags&flagStage) >> 12,
		Assumed: flags&flagAssumed != 0, Skipped: r.extended&flagSkipped != 0, Intended: r.extended&flagIntended != 0,
	}
}

// mtimeSec is the second of the file's time of change.
func (r Raw) mtimeSec() uint32 { return binary.BigEndian.Uint32(r.fixed[8:]) }

// Each calls fn for the entries, in the index's order, until it returns false. idLen is the length of an id in
// bytes: 20 or 32. The name is valid during the call only. The checksum at the end is not
// looked at, nor does git look at it. Errors: errForm.
func Each(data []byte, idLen int, fn func(name []byte, raw Raw) bool) error {
	x, count, err := open(data, idLen)
	if err != nil {
		return err
	}
	for range count {
		raw := x.entry()
		if x.bad {
			return errForm
		}
		if !fn(x.name, raw) {
			return nil
		}
	}
	_, err = x.extensions()
	return err
}

// reader goes through the bytes of an index.
type reader struct {
	rest    []byte
	idLen   int
	version uint32
	name    []byte // of the entry read last: version 4 tells only what differs
	bad     bool
}

// open reads the head of an index: how many entries follow.
func open(data []byte, idLen int) (x *reader, count uint32, err error) {
	if len(data) < headLength+idLen || string(data[:4]) != "DIRC" {
		return nil, 0, errForm
	}
	x = &reader{rest: data[headLength : len(data)-idLen], idLen: idLen, version: binary.BigEndian.Uint32(data[4:])}
	if x.version < 2 || x.version > 4 {
		return nil, 0, errForm
	}
	return x, binary.BigEndian.Uint32(data[8:]), nil
}

// take gives the next n bytes.
func (x *reader) take(n int) []byte {
	if n < 0 || n > len(x.rest) {
		x.bad = true
		return nil
	}
	part := x.rest[:n:n]
	x.rest = x.rest[n:]
	return part
}

// entry reads one entry; its name is in x.name.
func (x *reader) entry() (raw Raw) {
	before := len(x.rest)
	raw.fixed = x.take(statLength + x.idLen + 2)
	if x.bad {
		return raw
	}
	flags := binary.BigEndian.Uint16(raw.fixed[statLength+x.idLen:])
	if flags&flagExtended != 0 {
		more := x.take(2)
		if x.bad || x.version < 3 {
			x.bad = true
			return raw
		}
		raw.extended = binary.BigEndian.Uint16(more)
	}
	if x.version == 4 {
		x.shortName()
		return raw
	}
	length := int(flags & flagLength)
	if length == flagLength {
		length = bytes.IndexByte(x.rest, 0)
	}
	x.name = x.take(length)
	if x.bad {
		return raw
	}
	x.take(padding(before - len(x.rest)))
	return raw
}

// padding is the number of NULs after an entry of so many bytes: one to eight.
func padding(used int) int { return (used+8)&^7 - used }

// shortName reads a name of version 4: the number of bytes to drop from the end of the last name,
// and those to add.
func (x *reader) shortName() {
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

// extension is one of the parts after the entries.
type extension struct {
	name string
	data []byte
}

// extensions reads what follows the entries. One whose name begins with a small letter
// changes what the entries mean (link, sdir): errForm.
func (x *reader) extensions() (list []extension, err error) {
	for len(x.rest) > 0 {
		head := x.take(8)
		if x.bad || head[0] < 'A' || head[0] > 'Z' {
			return nil, errForm
		}
		data := x.take(int(binary.BigEndian.Uint32(head[4:])))
		if x.bad {
			return nil, errForm
		}
		list = append(list, extension{string(head[:4]), data})
	}
	return list, nil
}
