package yamltext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Source says which part of a text is YAML, and how it is set in.
type Source struct {
	Text     string
	From, To int // byte range of the YAML within Text; whole lines
	Line     int // number of the line at From, 1-based
	Indent   int // spaces that a Markdown fence takes off each line, 0 to 3
}

// Parse reads one YAML value. A text without any value is a nil node. The
// error is an *Error. Time and space are linear in the input.
func Parse(s Source) (*Node, error) {
	if s.To-s.From > MaxBytes {
		return nil, &Error{RuleTooLarge, s.Line, 1, fmt.Sprintf("more than %d bytes of YAML", MaxBytes)}
	}
	p := &parser{src: s.Text, first: s.Line}
	if err := p.split(s); err != nil {
		return nil, err
	}
	return p.document()
}

// span is one line: raw is where it starts in the text, start where its YAML
// starts (after the fence's indentation), end where its line ending begins.
type span struct{ raw, start, end int }

type parser struct {
	src   string
	lines []span
	first int // number of lines[0]
	ln    int // index of the line under the cursor
	pos   int // offset under the cursor
	nodes int
	slab  []Node // nodes are made many at a time
}

func (p *parser) split(s Source) error {
	p.lines = make([]span, 0, 1+strings.Count(p.src[s.From:s.To], "\n"))
	for at := s.From; at < s.To; {
		end, next := s.To, s.To
		if i := strings.IndexByte(p.src[at:s.To], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		if end > at && p.src[end-1] == '\r' {
			end--
		}
		start := at
		for start < end && start-at < s.Indent && p.src[start] == ' ' {
			start++
		}
		p.lines = append(p.lines, span{at, start, end})
		if err := p.checkChars(len(p.lines)-1, start, end); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// checkChars refuses what YAML forbids anywhere: bytes that are not UTF-8, and
// characters that cannot be printed. A lone CR is among them, because readers
// disagree whether it ends a line.
func (p *parser) checkChars(ln, from, to int) error {
	for i := from; i < to; {
		c := p.src[i]
		if c >= 0x20 && c < 0x7f || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(p.src[i:to])
		switch {
		case r == utf8.RuneError && size <= 1:
			return p.errorAt(RuleEncoding, ln, i, "a byte that is not UTF-8")
		case r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			return p.errorAt(RuleEncoding, ln, i, fmt.Sprintf("the character U+%04X is not allowed", r))
		}
		i += size
	}
	return nil
}

func (p *parser) errorAt(rule string, ln, pos int, message string) error {
	col := 1
	if ln < len(p.lines) {
		col = pos - p.lines[ln].raw + 1
	}
	return &Error{Rule: rule, Line: p.first + ln, Column: col, Message: message}
}

func (p *parser) syntax(message string) error {
	return p.errorAt(RuleSyntax, p.ln, p.pos, message)
}

func (p *parser) feature(message string) error {
	return p.errorAt(RuleFeature, p.ln, p.pos, message)
}

// document reads the whole text: one value, with nothing after it.
func (p *parser) document() (*Node, error) {
	if err := p.start(); err != nil {
		return nil, err
	}
	more, err := p.next()
	if err != nil || !more {
		return nil, err
	}
	n, err := p.block(-1, true, 0)
	if err != nil {
		return nil, err
	}
	if more, err = p.next(); err != nil {
		return nil, err
	}
	if more {
		return nil, p.syntax("text after the end of the value: wrong indentation, or a missing key")
	}
	return n, nil
}

// start passes over one bare "---", which says nothing, and refuses directives.
func (p *parser) start() error {
	for ; p.ln < len(p.lines); p.ln++ {
		l := p.lines[p.ln]
		text := strings.TrimLeft(p.src[l.start:l.end], " \t")
		p.pos = l.start
		switch {
		case text == "" || text[0] == '#':
			continue
		case p.src[l.start] == '%':
			return p.feature("directives are not allowed")
		case p.marker(p.ln) && p.src[l.start] == '-':
			p.pos = l.start + 3
			if rest := strings.TrimLeft(p.src[p.pos:l.end], " \t"); rest != "" && rest[0] != '#' {
				return p.feature("text on the line of a document marker is not allowed")
			}
			p.ln++
		}
		return nil
	}
	return nil
}

// marker reports whether a line begins with a document marker.
func (p *parser) marker(ln int) bool {
	l := p.lines[ln]
	text := p.src[l.start:l.end]
	if len(text) < 3 || text[:3] != "---" && text[:3] != "..." {
		return false
	}
	return len(text) == 3 || isBlank(text[3])
}

// next moves the cursor to the first character of the next line, from p.ln on,
// that is neither blank nor a comment; false at the end of the text.
func (p *parser) next() (bool, error) {
	for ; p.ln < len(p.lines); p.ln++ {
		l := p.lines[p.ln]
		p.pos = p.skipSpaces(l.start, l.end)
		after := p.skipBlanks(p.pos, l.end)
		if after == l.end || p.src[after] == '#' {
			continue
		}
		if after != p.pos {
			return false, p.syntax("a tab cannot indent; use spaces")
		}
		if p.marker(p.ln) {
			return false, p.feature("document markers are not allowed")
		}
		return true, nil
	}
	p.pos = len(p.src)
	return false, nil
}

func (p *parser) skipSpaces(from, to int) int {
	for from < to && p.src[from] == ' ' {
		from++
	}
	return from
}

func (p *parser) skipBlanks(from, to int) int {
	for from < to && isBlank(p.src[from]) {
		from++
	}
	return from
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// column is how far the cursor is set in, from 0.
func (p *parser) column() int { return p.pos - p.lines[p.ln].start }

func (p *parser) lineEnd() int { return p.lines[p.ln].end }

// at is the byte at an offset of the current line, or 0 at its end.
func (p *parser) at(pos int) byte {
	if pos >= p.lineEnd() {
		return 0
	}
	return p.src[pos]
}

// blankAt reports whether a space, a tab or the line's end stands there.
func (p *parser) blankAt(pos int) bool {
	c := p.at(pos)
	return c == 0 || isBlank(c)
}

func (p *parser) newNode(k Kind, s Style) (*Node, error) {
	if p.nodes++; p.nodes > MaxNodes {
		return nil, p.errorAt(RuleTooLarge, p.ln, p.pos, fmt.Sprintf("more than %d values", MaxNodes))
	}
	if len(p.slab) == 0 {
		p.slab = make([]Node, min(64, 1+2*len(p.lines)))
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	*n = Node{Kind: k, Style: s, Start: p.pos, End: p.pos, Line: p.first + p.ln, EndLine: p.first + p.ln}
	if p.ln < len(p.lines) {
		n.Column = p.pos - p.lines[p.ln].raw + 1
	}
	return n, nil
}

// newGroup is newNode for a list or map, of which so many may nest.
func (p *parser) newGroup(k Kind, s Style, depth int) (*Node, error) {
	if depth >= MaxDepth {
		return nil, p.errorAt(RuleTooDeep, p.ln, p.pos, fmt.Sprintf("more than %d levels", MaxDepth))
	}
	return p.newNode(k, s)
}

// close ends a node at the cursor.
func (p *parser) close(n *Node) { n.End, n.EndLine = p.pos, p.first+p.ln }

// finishLine checks that only a comment follows on the line, and moves on.
func (p *parser) finishLine() error {
	after := p.skipBlanks(p.pos, p.lineEnd())
	if c := p.at(after); c != 0 && (c != '#' || after == p.pos) {
		p.pos = after
		return p.syntax("text after the end of a value; quote the whole value")
	}
	p.ln++
	return nil
}

// FrontMatter returns the text between two lines of three dashes at the beginning of a file, with Unix line ends; ok is
// false where the file does not begin so. Its first line is line 2 of the file.
func FrontMatter(src []byte) (string, bool) {
	head, _, ok := CutFrontMatter(string(src))
	return head, ok
}

// CutFrontMatter returns the front matter of a file and the text after it, both with Unix line ends. Where ok is
// false, the file has no front matter, and text is the whole file.
func CutFrontMatter(src string) (head, text string, ok bool) {
	src = strings.ReplaceAll(strings.TrimPrefix(src, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", src, false
	}
	head, text, ok = strings.Cut("\n"+rest+"\n", "\n---\n")
	if !ok {
		return strings.TrimPrefix(head, "\n") + "\n", src, false
	}
	return strings.TrimPrefix(head, "\n") + "\n", strings.TrimSuffix(text, "\n"), true
}
