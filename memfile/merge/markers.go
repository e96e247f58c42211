package merge

import (
	"bytes"
	"errors"

	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
)

// ErrMarkers says that conflict markers are not whole: one is missing or out of
// its order.
var ErrMarkers = errors.New("the conflict markers are incomplete")

// Conflict is a text with conflict markers, taken apart.
type Conflict struct {
	Base, Ours, Theirs []byte // Base is nil where not every conflict shows one
	Hunks              int    // how many conflicts there were
}

// Untouched reports whether nobody has edited a text with conflict markers since git merged
// the versions (base, ours, theirs; a nil base is none) as text: each line of it is in one of
// them, and it has each line that a side added. Then the versions are surer than what is
// between the markers, because git takes lines of one entry for those of another.
func (c Conflict) Untouched(versions [3][]byte) bool {
	lines := func(texts ...[]byte) map[string]bool {
		set := map[string]bool{}
		for _, text := range texts {
			for line := range bytes.Lines(text) {
				set[string(bytes.TrimRight(line, "\r\n"))] = true
			}
		}
		return set
	}
	now, base, sides := lines(c.Ours, c.Theirs), lines(versions[0]), lines(versions[1], versions[2])
	for line := range now {
		if !sides[line] {
			return false
		}
	}
	for line := range sides {
		if !now[line] && !base[line] {
			return false
		}
	}
	return true
}

// Sides takes a text with git's conflict markers apart (two-way, diff3 and
// zdiff3; LF or CRLF). A text without markers has no hunks, and its sides are
// itself. Errors: ErrMarkers.
func Sides(src []byte) (Conflict, error) {
	var c Conflict
	base, shown := []byte{}, 0
	at := byte('>') // the last marker
	for line := range bytes.Lines(src) {
		m := linemerge.ConflictMarker(string(line))
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

// DuplicateKeys removes what a merge of text leaves behind in a sound file: several
// items of one key become one, as merging without a base makes them, and an
// item that is forgotten by a tombstone of its day or later goes. A file
// without any comes back as it is. Errors: *Error, patch.ErrNewer,
// memfile.ErrUnwritable.
func DuplicateKeys(name string, src []byte) (Result, error) {
	f, problems := memfile.Parse(name, src)
	if f == nil {
		return Result{}, &Error{Side: name, Problems: problems}
	}
	left := false
	for _, p := range problems {
		left = left || p.Rule == "duplicate-key" || p.Rule == "forgotten"
	}
	if !left {
		return Result{Bytes: src}, nil
	}
	d := docMerge{alone: true}
	doc := f.Document()
	d.merge(nil, doc, doc)
	out, err := patch.Rewrite(f, placed(d.out, doc))
	if err != nil {
		return Result{}, err
	}
	for key := range memfile.Duplicates(doc) {
		d.note(AsideConflict, key)
	}
	return Result{Bytes: out, Aside: d.aside}, nil
}
