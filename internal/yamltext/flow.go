package yamltext

import (
	"fmt"
	"strings"
)

// flow reads the flow list or map under the cursor; lines after the first are
// set in deeper than parent.
func (p *parser) flow(parent, depth int) (*Node, error) {
	kind, closing := List, byte(']')
	if p.src[p.pos] == '{' {
		kind, closing = Map, '}'
	}
	n, err := p.newGroup(kind, Flow, depth)
	if err != nil {
		return nil, err
	}
	p.pos++
	seen := fieldSet{}
	for {
		if err := p.flowSkip(parent); err != nil {
			return nil, err
		}
		if p.at(p.pos) == closing {
			p.pos++
			p.close(n)
			return n, nil
		}
		entry, err := p.flowEntry(kind, parent, depth+1)
		if err != nil {
			return nil, err
		}
		if kind == Map {
			if err := seen.add(entry.Key); err != nil {
				return nil, err
			}
		}
		n.Entries = append(n.Entries, entry)
		if err := p.flowSkip(parent); err != nil {
			return nil, err
		}
		switch p.at(p.pos) {
		case ',':
			p.pos++
		case closing:
		default:
			return nil, p.syntax("a comma or \"" + string(closing) + "\" is missing")
		}
	}
}

// flowEntry reads one element of a flow list or one field of a flow map.
func (p *parser) flowEntry(kind Kind, parent, depth int) (Entry, error) {
	c := p.at(p.pos)
	alone := p.blankAt(p.pos+1) || isFlow(p.at(p.pos+1))
	if c == '?' && alone {
		return Entry{}, p.feature("complex keys are not allowed")
	}
	if c == ':' && alone {
		return Entry{}, p.feature("an empty key is not allowed")
	}
	start, line := p.pos, p.ln
	n, err := p.flowNode(parent, depth)
	if err != nil {
		return Entry{}, err
	}
	at, ln := p.pos, p.ln
	if err := p.flowSkip(parent); err != nil {
		return Entry{}, err
	}
	json := n.Style != Plain // a quoted key's colon needs no blank after it
	colon := p.at(p.pos) == ':' && (json || p.blankAt(p.pos+1) || isFlow(p.at(p.pos+1)))
	switch {
	case !colon && kind == List:
		p.pos, p.ln = at, ln
		return Entry{Start: start, Value: n}, nil
	case n.Kind != Scalar:
		return Entry{}, p.feature("complex keys are not allowed")
	case kind == List && p.ln != line:
		return Entry{}, p.syntax("a key and its colon on different lines")
	case p.pos-start > MaxKeyBytes:
		return Entry{}, p.syntax(fmt.Sprintf("a key of more than %d bytes", MaxKeyBytes))
	}
	value, err := p.flowValue(colon, at, ln, parent, depth)
	if err != nil {
		return Entry{}, err
	}
	field := Entry{Key: n, Start: start, Value: value}
	if kind == Map {
		return field, nil
	}
	return p.flowPair(field, depth)
}

// flowValue reads what follows a flow key; at and ln are where the key ended.
func (p *parser) flowValue(colon bool, at, ln, parent, depth int) (*Node, error) {
	if !colon {
		p.pos, p.ln = at, ln
		return p.newNode(Scalar, Empty)
	}
	p.pos++
	at, ln = p.pos, p.ln
	if err := p.flowSkip(parent); err != nil {
		return nil, err
	}
	if c := p.at(p.pos); c == ',' || c == ']' || c == '}' {
		p.pos, p.ln = at, ln
		return p.newNode(Scalar, Empty)
	}
	return p.flowNode(parent, depth)
}

// flowPair wraps "a: b" inside a flow list into the map that it means.
func (p *parser) flowPair(field Entry, depth int) (Entry, error) {
	m, err := p.newGroup(Map, Flow, depth)
	if err != nil {
		return Entry{}, err
	}
	m.Start, m.Line, m.Column = field.Start, field.Key.Line, field.Key.Column
	m.Entries = []Entry{field}
	return Entry{Start: field.Start, Value: m}, nil
}

func (p *parser) flowNode(parent, depth int) (*Node, error) {
	switch p.at(p.pos) {
	case '[', '{':
		return p.flow(parent, depth)
	case '"', '\'':
		return p.quoted(parent)
	}
	return p.flowPlain(parent)
}

// flowPlain reads a plain scalar inside a flow collection.
func (p *parser) flowPlain(parent int) (*Node, error) {
	if err := p.checkPlainStart(true); err != nil {
		return nil, err
	}
	n, err := p.newNode(Scalar, Plain)
	if err != nil {
		return nil, err
	}
	p.pos = p.plainEnd(p.pos, true)
	n.Text = p.src[n.Start:p.pos]
	p.close(n)
	var b *strings.Builder
	for p.skipBlanks(p.pos, p.lineEnd()) == p.lineEnd() {
		ln, pos, blanks := p.continuation(parent)
		if ln < 0 || p.src[pos] == '#' || isFlow(p.src[pos]) {
			break
		}
		if end := p.lines[ln].end; p.src[pos] == ':' && (pos+1 == end || isBlank(p.src[pos+1]) || isFlow(p.src[pos+1])) {
			break
		}
		p.ln, p.pos = ln, pos
		b = foldInto(b, n.Text, blanks)
		p.pos = p.plainEnd(pos, true)
		b.WriteString(p.src[pos:p.pos])
		p.close(n)
	}
	if b != nil {
		n.Text = b.String()
	}
	return n, nil
}

// flowSkip passes over blanks, comments and line ends inside a flow collection.
func (p *parser) flowSkip(parent int) error {
	for {
		from := p.pos
		p.pos = p.skipBlanks(from, p.lineEnd())
		c := p.at(p.pos)
		if c == '#' {
			if p.pos == from && p.pos > p.lines[p.ln].start {
				return p.syntax("a comment needs a space before it")
			}
		} else if c != 0 {
			return nil
		}
		if err := p.flowLine(parent); err != nil {
			return err
		}
	}
}

// flowLine moves to the next line of a flow collection.
func (p *parser) flowLine(parent int) error {
	if p.ln+1 >= len(p.lines) {
		return p.syntax("a bracket that is not closed")
	}
	p.ln++
	l := p.lines[p.ln]
	spaces := p.skipSpaces(l.start, l.end)
	p.pos = spaces
	text := p.skipBlanks(spaces, l.end)
	if text == l.end {
		return nil
	}
	if p.marker(p.ln) {
		return p.feature("document markers are not allowed")
	}
	if spaces-l.start <= parent && p.src[text] != '#' {
		return p.syntax("a line inside brackets must be set in deeper than its key")
	}
	return nil
}
