package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
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
	f       *memfile.File
	doc     memfile.Document // of f
	src     yamltext.Source
	eol     string
	splices []splice
	// dropAllow: comments that are allowances do not stay.
	dropAllow bool
}

func newEditor(f *memfile.File) *editor {
	e := &editor{f: f, doc: f.Document(), src: f.Source(), eol: "\n"}
	if strings.HasSuffix(e.src.Text[:e.src.From], "\r\n") {
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
				return nil, fmt.Errorf("%w: two changes at one place", memfile.ErrUnwritable)
			}
			continue
		}
		b.WriteString(e.src.Text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(e.src.Text[at:])
	return []byte(b.String()), nil
}

func (e *editor) newLines() *memfile.BlockWriter { return &memfile.BlockWriter{EOL: e.eol} }

// blankLine reports whether the line that begins at start is blank, and in the block.
func (e *editor) blankLine(start int) bool {
	return start < e.src.To && strings.TrimSpace(e.src.Text[start:e.src.LineNext(start)]) == ""
}

// entryLead is where what belongs to a dashed entry begins: with the comments
// directly above it, down to the end of the entry before.
func (e *editor) entryLead(x yamltext.Entry, floor int) int {
	start := e.src.LineStart(x.Start)
	for start > max(floor, e.src.From) {
		above := e.src.LineStart(start - 1)
		if _, ok := e.src.Comment(above); !ok || above < floor {
			break
		}
		start = above
	}
	return start
}

// colon is the offset after the colon of a field's key.
func (e *editor) colon(x yamltext.Entry) int {
	return x.Key.End + strings.IndexByte(e.src.Text[x.Key.End:], ':') + 1
}
