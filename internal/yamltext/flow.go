package yamltext

import (
	"fmt"
	"strings"
)

// parseFlow reads the flow list or map under the cursor; lines after the first are
// set in deeper than parent.
func (p *parser) parseFlow(parent, depth int) (*Node, error) {
	kind, closing := List, byte(']')
	if p.src[p.pos] == '{' {
		kind, closing = Map, '}'
	}
	n, err := p.newCollection(kind, Flow, depth)
	if err != nil {
		return nil, err
	}
	p.pos++
	seen := fieldSet{}
	for {
		if err := p.skipInFlow(parent); err != nil {
			return nil, err
		}
		if p.byteAt(p.pos) == closing {
			p.pos++
			p.endNode(n)
			return n, nil
		}
		entry, err := p.parseFlowEntry(kind, parent, depth+1)
		if err != nil {
			return nil, err
		}
		if kind == Map {
			if err := seen.add(entry.Key); err != nil {
				return nil, err
			}
		}
		n.Entries = append(n.Entries, entry)
		if err := p.skipInFlow(parent); err != nil {
			return nil, err
		}
		switch p.byteAt(p.pos) {
		case ',':
			p.pos++
		case closing:
		default:
			return nil, p.syntaxError("a comma or \"" + string(closing) + "\" is missing")
		}
	}
}

// parseFlowEntry reads one element of a flow list or one field of a flow map.
func (p *parser) parseFlowEntry(kind Kind, parent, depth int) (Entry, error) {
	c := p.byteAt(p.pos)
	alone := p.isBlankAt(p.pos+1) || isFlowPunctuation(p.byteAt(p.pos+1))
	if c == '?' && alone {
		return Entry{}, p.unsupportedError("complex keys are not allowed")
	}
	if c == ':' && alone {
		return Entry{}, p.unsupportedError("an empty key is not allowed")
	}
	start, line := p.pos, p.lineIndex
	n, err := p.parseFlowNode(parent, depth)
	if err != nil {
		return Entry{}, err
	}
	at, ln := p.pos, p.lineIndex
	if err := p.skipInFlow(parent); err != nil {
		return Entry{}, err
	}
	json := n.Style != Plain // a quoted key's colon needs no blank after it
	colon := p.byteAt(p.pos) == ':' && (json || p.isBlankAt(p.pos+1) || isFlowPunctuation(p.byteAt(p.pos+1)))
	switch {
	case !colon && kind == List:
		p.pos, p.lineIndex = at, ln
		return Entry{Start: start, Value: n}, nil
	case n.Kind != Scalar:
		return Entry{}, p.unsupportedError("complex keys are not allowed")
	case kind == List && p.lineIndex != line:
		return Entry{}, p.syntaxError("a key and its colon on different lines")
	case p.pos-start > MaxKeyBytes:
		return Entry{}, p.syntaxError(fmt.Sprintf("a key of more than %d bytes", MaxKeyBytes))
	}
	value, err := p.parseFlowValue(colon, at, ln, parent, depth)
	if err != nil {
		return Entry{}, err
	}
	field := Entry{Key: n, Start: start, Value: value}
	if kind == Map {
		return field, nil
	}
	return p.wrapFlowPair(field, depth)
}

// parseFlowValue reads what follows a flow key; at and ln are where the key ended.
func (p *parser) parseFlowValue(colon bool, at, ln, parent, depth int) (*Node, error) {
	if !colon {
		p.pos, p.lineIndex = at, ln
		return p.newNode(Scalar, Empty)
	}
	p.pos++
	at, ln = p.pos, p.lineIndex
	if err := p.skipInFlow(parent); err != nil {
		return nil, err
	}
	if c := p.byteAt(p.pos); c == ',' || c == ']' || c == '}' {
		p.pos, p.lineIndex = at, ln
		return p.newNode(Scalar, Empty)
	}
	return p.parseFlowNode(parent, depth)
}

// wrapFlowPair wraps "a: b" inside a flow list into the map that it means.
func (p *parser) wrapFlowPair(field Entry, depth int) (Entry, error) {
	m, err := p.newCollection(Map, Flow, depth)
	if err != nil {
		return Entry{}, err
	}
	m.Start, m.Line, m.Column = field.Start, field.Key.Line, field.Key.Column
	m.Entries = []Entry{field}
	return Entry{Start: field.Start, Value: m}, nil
}

func (p *parser) parseFlowNode(parent, depth int) (*Node, error) {
	switch p.byteAt(p.pos) {
	case '[', '{':
		return p.parseFlow(parent, depth)
	case '"', '\'':
		return p.parseQuoted(parent)
	}
	return p.parseFlowPlain(parent)
}

// parseFlowPlain reads a plain scalar inside a flow collection.
func (p *parser) parseFlowPlain(parent int) (*Node, error) {
	if err := p.checkPlainStart(true); err != nil {
		return nil, err
	}
	n, err := p.newNode(Scalar, Plain)
	if err != nil {
		return nil, err
	}
	p.pos = p.plainEnd(p.pos, true)
	n.Text = p.src[n.Start:p.pos]
	p.endNode(n)
	var b *strings.Builder
	for p.skipBlanks(p.pos, p.lineEnd()) == p.lineEnd() {
		ln, pos, blanks := p.findContinuation(parent)
		if ln < 0 || p.src[pos] == '#' || isFlowPunctuation(p.src[pos]) {
			break
		}
		if end := p.lines[ln].end; p.src[pos] == ':' && (pos+1 == end || isBlank(p.src[pos+1]) || isFlowPunctuation(p.src[pos+1])) {
			break
		}
		p.lineIndex, p.pos = ln, pos
		b = writeFoldedBreak(b, n.Text, blanks)
		p.pos = p.plainEnd(pos, true)
		b.WriteString(p.src[pos:p.pos])
		p.endNode(n)
	}
	if b != nil {
		n.Text = b.String()
	}
	return n, nil
}

// skipInFlow passes over blanks, comments and line ends inside a flow collection.
func (p *parser) skipInFlow(parent int) error {
	for {
		from := p.pos
		p.pos = p.skipBlanks(from, p.lineEnd())
		c := p.byteAt(p.pos)
		if c == '#' {
			if p.pos == from && p.pos > p.lines[p.lineIndex].start {
				return p.syntaxError("a comment needs a space before it")
			}
		} else if c != 0 {
			return nil
		}
		if err := p.nextFlowLine(parent); err != nil {
			return err
		}
	}
}

// nextFlowLine moves to the next line of a flow collection.
func (p *parser) nextFlowLine(parent int) error {
	if p.lineIndex+1 >= len(p.lines) {
		return p.syntaxError("a bracket that is not closed")
	}
	p.lineIndex++
	l := p.lines[p.lineIndex]
	spaces := p.skipSpaces(l.start, l.end)
	p.pos = spaces
	text := p.skipBlanks(spaces, l.end)
	if text == l.end {
		return nil
	}
	if p.isDocumentMarker(p.lineIndex) {
		return p.unsupportedError("document markers are not allowed")
	}
	if spaces-l.start <= parent && p.src[text] != '#' {
		return p.syntaxError("a line inside brackets must be set in deeper than its key")
	}
	return nil
}
