package yamltext

import "strings"

// scalarHeader is what stands on the line of a literal or folded scalar.
type scalarHeader struct {
	folded bool
	chomp  byte // '-', '+' or 0
	indent int  // 0 where it is to be found out
}

func (p *parser) parseScalarHeader() (scalarHeader, error) {
	h := scalarHeader{folded: p.src[p.pos] == '>'}
	for p.pos++; p.pos < p.lineEnd(); p.pos++ {
		switch c := p.src[p.pos]; {
		case (c == '-' || c == '+') && h.chomp == 0:
			h.chomp = c
		case c >= '1' && c <= '9' && h.indent == 0:
			h.indent = int(c - '0')
		default:
			return h, p.finishLine()
		}
	}
	return h, p.finishLine()
}

// parseBlockScalar reads a literal or folded scalar; the cursor is on its indicator.
func (p *parser) parseBlockScalar(parent int) (*Node, error) {
	n, err := p.newNode(Scalar, Literal)
	if err != nil {
		return nil, err
	}
	h, err := p.parseScalarHeader()
	if err != nil {
		return nil, err
	}
	if h.folded {
		n.Style = Folded
	}
	n.End, n.EndLine = p.lines[p.lineIndex-1].end, p.firstLineNumber+p.lineIndex-1
	indent := max(parent, 0) + h.indent
	if h.indent == 0 {
		if indent, err = p.detectIndent(parent); err != nil {
			return nil, err
		}
	}
	first, last := p.lineIndex, p.lineIndex // lines of the scalar, and after its last text
	for ; p.lineIndex < len(p.lines); p.lineIndex++ {
		l := p.lines[p.lineIndex]
		spaces := p.skipSpaces(l.start, l.end)
		if spaces == l.end && spaces-l.start <= indent {
			continue
		}
		if spaces-l.start < indent || p.isDocumentMarker(p.lineIndex) && indent == 0 {
			if spaces < l.end && p.src[spaces] == '\t' {
				p.pos = spaces
				return nil, p.syntaxError("a tab cannot indent; use spaces")
			}
			break
		}
		last = p.lineIndex + 1
	}
	body := last
	if h.chomp == '+' {
		body = p.lineIndex
	}
	if body > first {
		n.End, n.EndLine = p.lines[body-1].end, p.firstLineNumber+body-1
	}
	n.Text = p.joinBlockLines(h, indent, first, last, p.lineIndex)
	return n, nil
}

// detectIndent finds how far the first line with text is set in. Blank lines
// before it must not be longer, or readers would disagree.
func (p *parser) detectIndent(parent int) (int, error) {
	longest := 0
	for ln := p.lineIndex; ln < len(p.lines); ln++ {
		l := p.lines[ln]
		spaces := p.skipSpaces(l.start, l.end) - l.start
		if l.start+spaces == l.end {
			longest = max(longest, spaces)
			continue
		}
		if spaces <= parent {
			break
		}
		if longest > spaces {
			return 0, p.errorAt(RuleSyntax, ln, l.start+spaces, "blank lines before the text are set in deeper than it")
		}
		return spaces, nil
	}
	return max(longest, parent+1), nil
}

// joinBlockLines puts the text together. Lines from last to end are blank.
func (p *parser) joinBlockLines(h scalarHeader, indent, first, last, end int) string {
	var b strings.Builder
	breaks, started, deep := 0, false, false
	for ln := first; ln < last; ln++ {
		text := p.lineText(ln, indent)
		if text == "" {
			breaks++
			continue
		}
		nowDeep := isBlank(text[0])
		switch {
		case !started:
		case !h.folded || deep || nowDeep:
			breaks++
		case breaks == 0:
			b.WriteByte(' ')
		}
		for range breaks {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		breaks, started, deep = 0, true, nowDeep
	}
	if h.chomp == '+' {
		for range end - last {
			b.WriteByte('\n')
		}
	}
	if started && h.chomp != '-' {
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *parser) lineText(ln, indent int) string {
	l := p.lines[ln]
	return p.src[min(l.start+indent, l.end):l.end]
}
