package history

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/memctl/memctl/store/statedir"
)

// version begins an index file. A file of another version is built again.
const version = "memctl history 1\n"

// maxFile is the size of an index file that is read.
const maxFile = 256 << 20

var errDamaged = errors.New("damaged")

// encode is the index file: the version, the header as a line of JSON, and the turns as numbers.
func (s *session) encode() []byte {
	s.Turns = len(s.turns)
	head, _ := json.Marshal(s.header)
	b := append([]byte(version), head...)
	b = append(b, '\n')
	last := int64(0)
	for _, t := range s.turns {
		b = binary.AppendVarint(b, t.start-last)
		last = t.start
		b = binary.AppendUvarint(b, uint64(t.size))
		b = binary.AppendVarint(b, t.at)
		person := byte(0)
		if t.person {
			person = 1
		}
		b = append(b, person)
		b = binary.BigEndian.AppendUint32(b, t.text)
		b = binary.AppendUvarint(b, uint64(t.length))
		b = binary.AppendUvarint(b, uint64(len(t.terms)))
		before := uint32(0)
		for _, w := range t.terms {
			b = binary.AppendUvarint(b, uint64(w.hash-before))
			b = binary.AppendUvarint(b, uint64(w.count))
			before = w.hash
		}
	}
	return b
}

// decodeFile reads an index file; an empty session where there is none, or a damaged one.
func decodeFile(dir statedir.Dir, name string) *session {
	data, err := dir.ReadUpTo(name, maxFile)
	if err != nil {
		return &session{}
	}
	s, err := decode(data)
	if err != nil {
		return &session{}
	}
	return s
}

func decode(data []byte) (*session, error) {
	data, ok := bytes.CutPrefix(data, []byte(version))
	head, data, cut := bytes.Cut(data, []byte("\n"))
	s := &session{}
	if !ok || !cut || json.Unmarshal(head, &s.header) != nil || s.Turns < 0 || s.Turns > len(data) {
		return nil, errDamaged
	}
	n := numbers{data: data}
	last := int64(0)
	for range s.Turns {
		t := turn{start: last + n.signed(), size: int64(n.next()), at: n.signed(), person: n.byte() == 1, text: n.four(), length: int(n.next())}
		last = t.start
		count := n.next()
		if n.bad || count > uint64(len(n.data)) || t.start < 0 || t.size < 0 {
			return nil, errDamaged
		}
		t.terms = make([]term, count)
		before := uint32(0)
		for i := range t.terms {
			before += uint32(n.next())
			t.terms[i] = term{before, int(n.next())}
		}
		s.turns = append(s.turns, t)
	}
	if n.bad || len(n.data) > 0 {
		return nil, errDamaged
	}
	return s, nil
}

// numbers takes numbers off the front of bytes.
type numbers struct {
	data []byte
	bad  bool // the bytes ended too early
}

func (n *numbers) next() uint64 {
	v, size := binary.Uvarint(n.data)
	return took(n, v, size)
}

func (n *numbers) signed() int64 {
	v, size := binary.Varint(n.data)
	return took(n, v, size)
}

func (n *numbers) byte() byte { return n.fixed(1)[0] }

func (n *numbers) four() uint32 { return binary.BigEndian.Uint32(n.fixed(4)) }

func (n *numbers) fixed(size int) []byte {
	if n.bad || len(n.data) < size {
		n.bad = true
		return make([]byte, size)
	}
	b := n.data[:size]
	n.data = n.data[size:]
	return b
}

func took[T any](n *numbers, v T, size int) T {
	if n.bad || size <= 0 {
		n.bad = true
		var zero T
		return zero
	}
	n.data = n.data[size:]
	return v
}
