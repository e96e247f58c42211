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
	p := &parser{src: s.Text, firstLineNumber: s.Line}
	if err := p.splitLines(s); err != nil {
		return nil, err
	}
	return p.parseDocument()
}

// lineRange is one line: rawStart is where it starts in the text, start where its YAML
// starts (after the fence's indentation), end where its line ending begins.
type lineRange struct{ rawStart, start, end int }

type parser struct {
	src             string
	lines           []lineRange
	firstLineNumber int // number of lines[0]
	lineIndex       int // index of the line under the cursor
	pos             int // offset under the cursor
	nodeCount       int
	freeNodes       []Node // nodes are made many at a time
}

func (p *parser) splitLines(s Source) error {
	p.lines = make([]lineRange, 0, 1+strings.Count(p.src[s.From:s.To], "\n"))
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
		p.lines = append(p.lines, lineRange{at, start, end})
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
		col = pos - p.lines[ln].rawStart + 1
	}
	return &Error{Rule: rule, Line: p.firstLineNumber + ln, Column: col, Message: message}
}

func (p *parser) syntaxError(message string) error {
	return p.errorAt(RuleSyntax, p.lineIndex, p.pos, message)
}

func (p *parser) unsupportedError(message string) error {
	return p.errorAt(RuleFeature, p.lineIndex, p.pos, message)
}

// parseDocument reads the whole text: one value, with nothing after it.
func (p *parser) parseDocument() (*Node, error) {
	if err := p.skipDocumentStart(); err != nil {
		return nil, err
	}
	more, err := p.nextContent()
	if err != nil || !more {
		return nil, err
	}
	n, err := p.parseBlock(-1, true, 0)
	if err != nil {
		return nil, err
	}
	if more, err = p.nextContent(); err != nil {
		return nil, err
	}
	if more {
		return nil, p.syntaxError("text after the end of the value: wrong indentation, or a missing key")
	}
	return n, nil
}

// skipDocumentStart passes over one bare "---", which says nothing, and refuses directives.
func (p *parser) skipDocumentStart() error {
	for ; p.lineIndex < len(p.lines); p.lineIndex++ {
		l := p.lines[p.lineIndex]
		text := strings.TrimLeft(p.src[l.start:l.end], " \t")
		p.pos = l.start
		switch {
		case text == "" || text[0] == '#':
			continue
		case p.src[l.start] == '%':
			return p.unsupportedError("directives are not allowed")
		case p.isDocumentMarker(p.lineIndex) && p.src[l.start] == '-':
			p.pos = l.start + 3
			if rest := strings.TrimLeft(p.src[p.pos:l.end], " \t"); rest != "" && rest[0] != '#' {
				return p.unsupportedError("text on the line of a document marker is not allowed")
			}
			p.lineIndex++
		}
		return nil
	}
	return nil
}

// isDocumentMarker reports whether a line begins with a document marker.
func (p *parser) isDocumentMarker(ln int) bool {
	l := p.lines[ln]
	text := p.src[l.start:l.end]
	if len(text) < 3 || text[:3] != "---" && text[:3] != "..." {
		return false
	}
	return len(text) == 3 || isBlank(text[3])
}

// nextContent moves the cursor to the first character of the next line, from p.lineIndex on,
// that is neither blank nor a comment; false at the end of the text.
func (p *parser) nextContent() (bool, error) {
	for ; p.lineIndex < len(p.lines); p.lineIndex++ {
		l := p.lines[p.lineIndex]
		p.pos = p.skipSpaces(l.start, l.end)
		after := p.skipBlanks(p.pos, l.end)
		if after == l.end || p.src[after] == '#' {
			continue
		}
		if after != p.pos {
			return false, p.syntaxError("a tab cannot indent; use spaces")
		}
		if p.isDocumentMarker(p.lineIndex) {
			return false, p.unsupportedError("document markers are not allowed")
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
func (p *parser) column() int { return p.pos - p.lines[p.lineIndex].start }

func (p *parser) lineEnd() int { return p.lines[p.lineIndex].end }

// byteAt is the byte at an offset of the current line, or 0 at its end.
func (p *parser) byteAt(pos int) byte {
	if pos >= p.lineEnd() {
		return 0
	}
	return p.src[pos]
}

// isBlankAt reports whether a space, a tab or the line's end stands there.
func (p *parser) isBlankAt(pos int) bool {
	c := p.byteAt(pos)
	return c == 0 || isBlank(c)
}

func (p *parser) newNode(k Kind, s Style) (*Node, error) {
	if p.nodeCount++; p.nodeCount > MaxNodes {
		return nil, p.errorAt(RuleTooLarge, p.lineIndex, p.pos, fmt.Sprintf("more than %d values", MaxNodes))
	}
	if len(p.freeNodes) == 0 {
		p.freeNodes = make([]Node, min(64, 1+2*len(p.lines)))
	}
	n := &p.freeNodes[0]
	p.freeNodes = p.freeNodes[1:]
	*n = Node{Kind: k, Style: s, Start: p.pos, End: p.pos, Line: p.firstLineNumber + p.lineIndex, EndLine: p.firstLineNumber + p.lineIndex}
	if p.lineIndex < len(p.lines) {
		n.Column = p.pos - p.lines[p.lineIndex].rawStart + 1
	}
	return n, nil
}

// newCollection is newNode for a list or map, of which so many may nest.
func (p *parser) newCollection(k Kind, s Style, depth int) (*Node, error) {
	if depth >= MaxDepth {
		return nil, p.errorAt(RuleTooDeep, p.lineIndex, p.pos, fmt.Sprintf("more than %d levels", MaxDepth))
	}
	return p.newNode(k, s)
}

// endNode ends a node at the cursor.
func (p *parser) endNode(n *Node) { n.End, n.EndLine = p.pos, p.firstLineNumber+p.lineIndex }

// finishLine checks that only a comment follows on the line, and moves on.
func (p *parser) finishLine() error {
	after := p.skipBlanks(p.pos, p.lineEnd())
	if c := p.byteAt(after); c != 0 && (c != '#' || after == p.pos) {
		p.pos = after
		return p.syntaxError("text after the end of a value; quote the whole value")
	}
	p.lineIndex++
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
