package history

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/memctl/memctl/internal/store/statedir"
)

// version begins an index file. A file of another version is built again.
const version = "memctl history 2\n"

// maxFile is the size of an index file that is read.
const maxFile = 256 << 20

var errDamaged = errors.New("damaged")

// encode is the index file: the version, the header as a line of JSON, and the turns as numbers.
func (s *session) encode() []byte {
	s.Turns = len(s.turns)
	head, _ := json.Marshal(s.header)
	b := append([]byte(version), head...)
	b = append(b, '\n')
	for _, t := range s.turns {
		person := 0
		if t.person {
			person = 1
		}
		for _, n := range []int64{t.start, t.size, t.at, int64(person), int64(t.text), int64(t.length), int64(len(t.terms))} {
			b = binary.AppendVarint(b, n)
		}
		for _, w := range t.terms {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(w.hash)), int64(w.count))
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
	for range s.Turns {
		t := turn{start: n.next(), size: n.next(), at: n.next(), person: n.next() == 1, text: uint32(n.next()), length: int(n.next())}
		count := n.next()
		if n.bad || count < 0 || count > int64(len(n.data)) || t.start < 0 || t.size < 0 {
			return nil, errDamaged
		}
		t.terms = make([]term, count)
		for i := range t.terms {
			t.terms[i] = term{uint32(n.next()), int(n.next())}
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

func (n *numbers) next() int64 {
	v, size := binary.Varint(n.data)
	if size <= 0 {
		n.bad, n.data = true, nil
		return 0
	}
	n.data = n.data[size:]
	return v
}
