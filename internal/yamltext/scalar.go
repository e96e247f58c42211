package yamltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainEnd is where the plain scalar at from ends on the current line, without
// trailing blanks: before ": ", " #", and in a flow collection before its
// punctuation.
func (p *parser) plainEnd(from int, inFlow bool) int {
	end := p.lineEnd()
	i := from
scan:
	for ; i < end; i++ {
		switch c := p.src[i]; {
		case c == ':' && (p.isBlankAt(i+1) || inFlow && isFlowPunctuation(p.src[i+1])):
			break scan
		case c == '#' && i > from && isBlank(p.src[i-1]):
			break scan
		case inFlow && isFlowPunctuation(c):
			break scan
		}
	}
	for i > from && isBlank(p.src[i-1]) {
		i--
	}
	return i
}

func isFlowPunctuation(c byte) bool {
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'
}

// checkPlainStart refuses the characters that no plain scalar begins with.
func (p *parser) checkPlainStart(inFlow bool) error {
	switch c := p.byteAt(p.pos); c {
	case '&', '*', '!':
		return p.unsupportedError("anchors, aliases and tags are not allowed; quote a value that begins with \"" + string(c) + "\"")
	case '|', '>', '%', '@', '`', ',', '[', ']', '{', '}', '#', '"', '\'':
		return p.syntaxError("a value cannot begin with " + strconv.Quote(string(c)) + "; quote it")
	case '-', '?', ':':
		if strings.HasPrefix(p.src[p.pos:p.lineEnd()], "---") && p.isBlankAt(p.pos+3) {
			// Set in, this is text; but it is nearly always a marker that went astray.
			return p.unsupportedError("document markers are not allowed; quote a value that begins with \"---\"")
		}
		if p.isBlankAt(p.pos+1) || inFlow && isFlowPunctuation(p.byteAt(p.pos+1)) {
			return p.syntaxError("a value cannot begin with \"" + string(c) + "\" here; quote it")
		}
	}
	return nil
}

// parsePlain reads a plain scalar in block context: on one line when it is a key,
// else over all lines that are set in deeper than parent.
func (p *parser) parsePlain(parent int, key bool) (*Node, error) {
	if err := p.checkPlainStart(false); err != nil {
		return nil, err
	}
	n, err := p.newNode(Scalar, Plain)
	if err != nil {
		return nil, err
	}
	p.pos = p.plainEnd(p.pos, false)
	n.Text = p.src[n.Start:p.pos]
	p.endNode(n)
	if key {
		return n, nil
	}
	var b *strings.Builder
	for p.skipBlanks(p.pos, p.lineEnd()) == p.lineEnd() {
		ln, pos, blanks := p.findContinuation(parent)
		if ln < 0 || p.src[pos] == '#' {
			break
		}
		p.lineIndex, p.pos = ln, pos
		b = writeFoldedBreak(b, n.Text, blanks)
		p.pos = p.plainEnd(pos, false)
		b.WriteString(p.src[pos:p.pos])
		p.endNode(n)
	}
	if b != nil {
		n.Text = b.String()
	}
	return n, nil
}

// findContinuation finds the next line that is not blank and is set in deeper than
// parent: its index, the offset of its text, and the blank lines before it.
// The index is -1 where there is none.
func (p *parser) findContinuation(parent int) (ln, pos, blanks int) {
	for ln = p.lineIndex + 1; ln < len(p.lines); ln++ {
		l := p.lines[ln]
		spaces := p.skipSpaces(l.start, l.end)
		pos = p.skipBlanks(spaces, l.end)
		if pos == l.end {
			blanks++
			continue
		}
		if spaces-l.start <= parent || p.isDocumentMarker(ln) {
			return -1, 0, 0
		}
		return ln, pos, blanks
	}
	return -1, 0, 0
}

// writeFoldedBreak writes a line break as YAML folds it: a space, or as many line
// breaks as there are blank lines.
func writeFoldedBreak(b *strings.Builder, first string, blanks int) *strings.Builder {
	if b == nil {
		b = &strings.Builder{}
		b.WriteString(first)
	}
	if blanks == 0 {
		b.WriteByte(' ')
	}
	for range blanks {
		b.WriteByte('\n')
	}
	return b
}

// parseQuoted reads a single- or double-quoted scalar; lines after the first are set
// in deeper than parent.
func (p *parser) parseQuoted(parent int) (*Node, error) {
	quote, style := p.src[p.pos], Single
	if quote == '"' {
		style = Double
	}
	n, err := p.newNode(Scalar, style)
	if err != nil {
		return nil, err
	}
	p.pos++
	var b []byte
	for {
		var escaped bool
		if b, escaped, err = p.parseQuotedLine(b, quote); err != nil {
			return nil, err
		}
		if p.pos < p.lineEnd() { // on the closing quote
			p.pos++
			n.Text = string(b)
			p.endNode(n)
			return n, nil
		}
		ln, pos, blanks := p.findContinuation(parent)
		if ln < 0 {
			p.lineIndex, p.pos = n.Line-p.firstLineNumber, n.Start
			return nil, p.syntaxError("a quote that is not closed, or whose lines are not set in")
		}
		p.lineIndex, p.pos = ln, pos
		if blanks == 0 && !escaped {
			b = append(b, ' ')
		}
		for range blanks {
			b = append(b, '\n')
		}
	}
}

// parseQuotedLine reads to the closing quote or the line's end, without trailing blanks that are not
// escaped. escaped says that the line break is.
func (p *parser) parseQuotedLine(b []byte, quote byte) (_ []byte, escaped bool, err error) {
	end := p.lineEnd()
	keep := len(b) // what the trimming must not go behind
	for p.pos < end {
		c := p.src[p.pos]
		switch {
		case c == quote && quote == '\'' && p.byteAt(p.pos+1) == quote:
			p.pos++
		case c == quote:
			return b, false, nil
		case c == '\\' && quote == '"':
			if p.pos+1 == end {
				p.pos = end
				return b, true, nil
			}
			if b, err = p.parseEscape(b); err != nil {
				return b, false, err
			}
			keep = len(b)
			continue
		}
		b = append(b, c)
		p.pos++
	}
	for len(b) > keep && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b, false, nil
}

// parseEscape reads one escape sequence of a double-quoted scalar.
func (p *parser) parseEscape(b []byte) ([]byte, error) {
	c := p.src[p.pos+1]
	if i := strings.IndexByte("0abt\tnvfre \"/\\N_LP", c); i >= 0 {
		p.pos += 2
		return append(b, [...]string{"\x00", "\a", "\b", "\t", "\t", "\n", "\v", "\f", "\r", "\x1b",
			" ", `"`, "/", `\`, "\u0085", "\u00a0", "\u2028", "\u2029"}[i]...), nil
	}
	digits := 0
	switch c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	from, to := p.pos+2, p.pos+2+digits
	if digits > 0 && to <= p.lineEnd() {
		r, err := strconv.ParseUint(p.src[from:to], 16, 32)
		if err == nil && r <= 0x10ffff && (r < 0xd800 || r > 0xdfff) {
			p.pos = to
			return utf8.AppendRune(b, rune(r)), nil
		}
	}
	return b, p.syntaxError("an escape that YAML does not know")
}
