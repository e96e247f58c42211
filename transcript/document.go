package transcript

import (
	"bufio"
	"errors"
	"io"
)

// document gives the parts of one JSON document: first the members before its list of
// messages, completed to an object, then each object of the list. The document is never in
// memory as a whole.
type document struct {
	buf    *bufio.Reader
	off    int64
	max    int
	inside bool // the list of messages has begun
	part   []byte
}

func (d *document) next() (record, error) {
	if !d.inside {
		return d.head()
	}
	for {
		b, err := d.buf.ReadByte()
		if err != nil {
			return record{}, err
		}
		d.off++
		if b == '{' {
			return d.value(b, 0)
		}
	}
}

// head reads up to the first list of the document itself.
func (d *document) head() (record, error) {
	d.inside = true
	rec, err := d.value(0, '[')
	if n := len(rec.data); n > 0 && rec.data[n-1] == '[' {
		rec.data = append(rec.data[:n-1], "null}"...)
	}
	return rec, err
}

// value reads on to the end of the object that begins with first, or to the byte that is
// given as until, where it stands in the outermost object.
func (d *document) value(first, until byte) (record, error) {
	rec := record{start: d.off}
	d.part = d.part[:0]
	depth, quoted, escaped := 0, false, false
	if first != 0 {
		rec.start--
		depth, d.part = 1, append(d.part, first)
	}
	for end := false; !end; {
		b, err := d.buf.ReadByte()
		if err != nil {
			if !errors.Is(err, io.EOF) || d.off == rec.start {
				return record{}, err
			}
			rec.cut = true
			break
		}
		d.off++
		if len(d.part) < d.max {
			d.part = append(d.part, b)
		} else {
			rec.tooLong = true
		}
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = b == '\\', b != '"'
		case b == '"':
			quoted = true
		case b == until && depth == 1:
			end = true
		case b == '{', b == '[':
			depth++
		case b == '}', b == ']':
			depth--
			end = depth <= 0
		}
	}
	rec.data, rec.end = d.part, d.off
	return rec, nil
}
