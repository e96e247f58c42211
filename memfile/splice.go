package memfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
)

// splice replaces bytes of the original; an insertion has start == end.
type splice struct {
	start, end int
	text       string
	column     int // how far inserted lines are set in
}

// editor gathers splices. Offsets always are those of the original, so edits
// need not know of each other.
type editor struct {
	f       *File
	eol     string
	splices []splice
}

func newEditor(f *File) *editor {
	e := &editor{f: f, eol: "\n"}
	if strings.HasSuffix(f.src[:f.fence.ContentStart], "\r\n") {
		e.eol = "\r\n"
	}
	return e
}

func (e *editor) replace(start, end int, text string) {
	e.splices = append(e.splices, splice{start: start, end: end, text: text})
}

func (e *editor) insert(at int, text string) { e.replace(at, at, text) }

// insertLines inserts whole lines. Where several edits do so at one place, what
// is set in deeper comes first, since it goes on what stands above.
func (e *editor) insertLines(at, column int, text string) {
	e.splices = append(e.splices, splice{at, at, text, column})
}

// apply gives the changed text. A splice that lies inside another's deletion is
// moot (a comment inside a value that is replaced); one that straddles another
// is a fault.
func (e *editor) apply() ([]byte, error) {
	slices.SortStableFunc(e.splices, func(a, b splice) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if c := min(a.end-a.start, 1) - min(b.end-b.start, 1); c != 0 {
			return c
		}
		return b.column - a.column
	})
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.start < at {
			if s.end > at || s.text != "" {
				return nil, fmt.Errorf("%w: two changes at one place", ErrUnwritable)
			}
			continue
		}
		b.WriteString(e.f.src[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(e.f.src[at:])
	return []byte(b.String()), nil
}

func (e *editor) newLines() *lines { return &lines{eol: e.eol} }

// lineStart and lineNext are where the line that pos is in begins, and where
// the next one does.
func (f *File) lineStart(pos int) int { return strings.LastIndexByte(f.src[:pos], '\n') + 1 }

func (f *File) lineNext(pos int) int {
	if i := strings.IndexByte(f.src[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(f.src)
}

// comment reports whether the line at start is a comment, and how far it is set in.
func (f *File) comment(start int) (indent int, ok bool) {
	text := strings.TrimLeft(f.src[start:f.lineNext(start)], " \t")
	return f.lineNext(start) - start - len(text), strings.HasPrefix(text, "#")
}

func (f *File) blankLine(start int) bool {
	return start < f.fence.ContentEnd && strings.TrimSpace(f.src[start:f.lineNext(start)]) == ""
}

// dashed reports whether a list's entry has a dash, and so lines of its own.
func (f *File) dashed(e yamltext.Entry) bool { return e.Start < e.Value.Start && f.src[e.Start] == '-' }

// entryEnd is where what belongs to a list's entry ends: for an entry with a
// dash after its last line and the comments below that are set in deeper than
// the dash.
func (f *File) entryEnd(e yamltext.Entry) int {
	if !f.dashed(e) {
		return e.Value.End
	}
	return f.afterComments(f.lineNext(max(e.Value.End, e.Start)), f.columnOf(e.Start))
}

// afterComments passes over the comment lines from at on that are set in deeper
// than column.
func (f *File) afterComments(at, column int) int {
	for at < f.fence.ContentEnd {
		if indent, ok := f.comment(at); !ok || indent <= column {
			break
		}
		at = f.lineNext(at)
	}
	return at
}

// entryLead is where what belongs to a dashed entry begins: with the comments
// directly above it, down to the end of the entry before.
func (f *File) entryLead(e yamltext.Entry, floor int) int {
	start := f.lineStart(e.Start)
	for start > max(floor, f.fence.ContentStart) {
		above := f.lineStart(start - 1)
		if _, ok := f.comment(above); !ok || above < floor {
			break
		}
		start = above
	}
	return start
}

// colon is the offset after the colon of a field's key.
func (f *File) colon(e yamltext.Entry) int {
	return e.Key.End + strings.IndexByte(f.src[e.Key.End:], ':') + 1
}
