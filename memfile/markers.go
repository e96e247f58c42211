package memfile

import (
	"bytes"
	"errors"
)

// ErrMarkers says that conflict markers are not whole: one is missing or out of
// its order.
var ErrMarkers = errors.New("the conflict markers are not whole")

// Conflict is a text with conflict markers, taken apart.
type Conflict struct {
	Base, Ours, Theirs []byte // Base is nil where not every conflict shows one
	Hunks              int    // how many conflicts there were
}

// Sides takes a text with git's conflict markers apart (two-way, diff3 and
// zdiff3; LF or CRLF). A text without markers has no hunks, and its sides are
// itself. Errors: ErrMarkers.
func Sides(src []byte) (Conflict, error) {
	var c Conflict
	base, shown := []byte{}, 0
	at := byte('>') // the last marker
	for line := range bytes.Lines(src) {
		m := markerOf(line)
		switch {
		case m == '<' && at == '>':
			c.Hunks++
		case m == '|' && at == '<':
			shown++
		case m == '=' && (at == '<' || at == '|'):
		case m == '>' && at == '=':
		case m == '<' || m == '>':
			return Conflict{}, ErrMarkers
		default: // a line of seven "=" or "|" elsewhere is text
			if at == '>' || at == '<' {
				c.Ours = append(c.Ours, line...)
			}
			if at == '>' || at == '=' {
				c.Theirs = append(c.Theirs, line...)
			}
			if at == '>' || at == '|' {
				base = append(base, line...)
			}
			continue
		}
		at = m
	}
	if at != '>' {
		return Conflict{}, ErrMarkers
	}
	if c.Hunks > 0 && shown == c.Hunks {
		c.Base = base
	}
	return c, nil
}

// markerOf is the character of a conflict marker's line, or 0.
func markerOf(line []byte) byte {
	const size = 7
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < size || bytes.IndexByte([]byte("<|=>"), line[0]) < 0 {
		return 0
	}
	if bytes.Count(line[:size], line[:1]) != size || len(line) > size && line[size] != ' ' {
		return 0
	}
	return line[0]
}

// Settled settles what a merge of text leaves behind in a sound file: several
// items of one key become one, as merging without a base makes them, and an
// item that is forgotten by a tombstone of its day or later goes. A file
// without any comes back as it is. Errors: *MergeError, ErrNewer, ErrUnwritable.
func Settled(name string, src []byte) (Merged, error) {
	f, problems := Parse(name, src)
	if f == nil {
		return Merged{}, &MergeError{Side: name, Problems: problems}
	}
	left := false
	for _, p := range problems {
		left = left || p.Rule == "duplicate-key" || p.Rule == "forgotten"
	}
	if !left {
		return Merged{Bytes: src}, nil
	}
	d := mergeDocuments(nil, f.doc, f.doc)
	out, err := f.Rewrite(placed(d.out, f.doc))
	if err != nil {
		return Merged{}, err
	}
	for key := range Duplicates(f.doc) {
		d.note(AsideConflict, key)
	}
	return Merged{Bytes: out, Aside: d.aside}, nil
}
