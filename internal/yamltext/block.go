package yamltext

import (
	"fmt"
	"strings"
)

// parseBlock reads the node under the cursor. parent is the column of the list or
// map that it stands in, -1 at the top. compact says that a list or map may
// begin here: at the start of a line and after a dash, not after "key: ".
func (p *parser) parseBlock(parent int, compact bool, depth int) (*Node, error) {
	switch c := p.byteAt(p.pos); {
	case c == '-' && p.isBlankAt(p.pos+1):
		if !compact {
			return nil, p.syntaxError("a list cannot begin on the line of its key")
		}
		return p.parseBlockList(depth)
	case c == '?' && p.isBlankAt(p.pos+1):
		return nil, p.unsupportedError("complex keys are not allowed")
	case c == '|' || c == '>':
		return p.parseBlockScalar(parent)
	}
	if compact {
		isKey, err := p.atKey()
		if err != nil {
			return nil, err
		}
		if isKey {
			return p.parseBlockMap(depth)
		}
	}
	return p.parseInline(parent, depth)
}

// parseInline reads a scalar or a flow collection that block context holds, to the
// end of its last line.
func (p *parser) parseInline(parent, depth int) (*Node, error) {
	var n *Node
	var err error
	switch p.byteAt(p.pos) {
	case '"', '\'':
		n, err = p.parseQuoted(parent)
	case '[', '{':
		n, err = p.parseFlow(parent, depth)
	default:
		n, err = p.parsePlain(parent, false)
	}
	if err != nil {
		return nil, err
	}
	if after := p.skipBlanks(p.pos, p.lineEnd()); p.byteAt(after) == ':' && p.isBlankAt(after+1) {
		p.pos = after
		if n.Kind != Scalar {
			return nil, p.unsupportedError("complex keys are not allowed")
		}
		return nil, p.syntaxError("a colon inside a value; quote the whole value")
	}
	return n, p.finishLine()
}

// atKey reports whether a key and its colon stand under the cursor.
func (p *parser) atKey() (bool, error) {
	end := p.pos
	switch c := p.byteAt(p.pos); c {
	case '[', '{':
		return false, nil
	case '"', '\'':
		end = p.quoteEnd(p.pos)
		if end < 0 {
			return false, nil
		}
	case ':':
		if p.isBlankAt(p.pos + 1) {
			return false, p.unsupportedError("an empty key is not allowed")
		}
		end = p.plainEnd(p.pos, false)
	default:
		end = p.plainEnd(p.pos, false)
	}
	end = p.skipBlanks(end, p.lineEnd())
	return p.byteAt(end) == ':' && p.isBlankAt(end+1), nil
}

// quoteEnd is the offset after a quoted scalar that ends on this line, else -1.
func (p *parser) quoteEnd(from int) int {
	quote, end := p.src[from], p.lineEnd()
	for i := from + 1; i < end; i++ {
		switch {
		case p.src[i] == '\\' && quote == '"':
			i++
		case p.src[i] == quote && quote == '\'' && i+1 < end && p.src[i+1] == quote:
			i++
		case p.src[i] == quote:
			return i + 1
		}
	}
	return -1
}

// parseKey reads the key under the cursor and passes over its colon.
func (p *parser) parseKey() (*Node, error) {
	var n *Node
	var err error
	start := p.pos
	if c := p.byteAt(p.pos); c == '"' || c == '\'' {
		n, err = p.parseQuoted(-1)
	} else {
		n, err = p.parsePlain(-1, true)
	}
	if err != nil {
		return nil, err
	}
	if p.pos-start > MaxKeyBytes {
		p.pos = start
		return nil, p.syntaxError(fmt.Sprintf("a key of more than %d bytes", MaxKeyBytes))
	}
	p.pos = p.skipBlanks(p.pos, p.lineEnd()) + 1
	return n, nil
}

func (p *parser) parseBlockMap(depth int) (*Node, error) {
	col := p.column()
	m, err := p.newCollection(Map, Block, depth)
	if err != nil {
		return nil, err
	}
	var room [16]*Node
	seen := fieldSet{keys: room[:0]}
	m.Entries = make([]Entry, 0, 8)
	for {
		key, err := p.parseKey()
		if err != nil {
			return nil, err
		}
		if err := seen.add(key); err != nil {
			return nil, err
		}
		value, err := p.parseFieldValue(col, depth+1)
		if err != nil {
			return nil, err
		}
		m.Entries = append(m.Entries, Entry{Key: key, Start: key.Start, Value: value})
		m.End, m.EndLine = value.End, value.EndLine
		more, err := p.nextContent()
		if err != nil {
			return nil, err
		}
		if !more || p.column() < col {
			return m, nil
		}
		if p.column() > col {
			return nil, p.syntaxError("wrong indentation: deeper than the field before it")
		}
		if err := p.expectKey(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) expectKey() error {
	c := p.byteAt(p.pos)
	if c == '-' && p.isBlankAt(p.pos+1) {
		return p.syntaxError("a list item among the fields of a map")
	}
	if c == '?' && p.isBlankAt(p.pos+1) {
		return p.unsupportedError("complex keys are not allowed")
	}
	isKey, err := p.atKey()
	if err == nil && !isKey {
		err = p.syntaxError("a line that is no \"key: value\"")
	}
	return err
}

// parseFieldValue reads the value of a field of a block map at column col.
func (p *parser) parseFieldValue(col, depth int) (*Node, error) {
	from := p.pos
	p.pos = p.skipBlanks(from, p.lineEnd())
	if c := p.byteAt(p.pos); c != 0 && (c != '#' || p.pos == from) {
		return p.parseBlock(col, false, depth)
	}
	p.pos = from
	empty, err := p.newNode(Scalar, Empty)
	if err != nil {
		return nil, err
	}
	p.lineIndex++
	more, err := p.nextContent()
	if err != nil {
		return nil, err
	}
	switch {
	case more && p.column() > col:
		return p.parseBlock(col, true, depth)
	case more && p.column() == col && p.byteAt(p.pos) == '-' && p.isBlankAt(p.pos+1):
		return p.parseBlock(col-1, true, depth)
	}
	return empty, nil
}

func (p *parser) parseBlockList(depth int) (*Node, error) {
	col := p.column()
	l, err := p.newCollection(List, Block, depth)
	if err != nil {
		return nil, err
	}
	for {
		start := p.pos
		value, err := p.parseItemValue(col, depth+1)
		if err != nil {
			return nil, err
		}
		l.Entries = append(l.Entries, Entry{Start: start, Value: value})
		l.End, l.EndLine = value.End, value.EndLine
		more, err := p.nextContent()
		if err != nil {
			return nil, err
		}
		if !more || p.column() < col {
			return l, nil
		}
		if p.column() > col {
			return nil, p.syntaxError("wrong indentation: deeper than the list item before it")
		}
		if p.byteAt(p.pos) != '-' || !p.isBlankAt(p.pos+1) {
			// A list may stand at its key's own column: the map goes on here.
			return l, nil
		}
	}
}

// parseItemValue reads a list item's value; the cursor is on the dash.
func (p *parser) parseItemValue(col, depth int) (*Node, error) {
	p.pos++
	from := p.pos
	p.pos = p.skipBlanks(from, p.lineEnd())
	if c := p.byteAt(p.pos); c != 0 && c != '#' {
		tabbed := strings.IndexByte(p.src[from:p.pos], '\t') >= 0
		n, err := p.parseBlock(col, true, depth)
		if err == nil && tabbed && n.Style == Block {
			return nil, p.errorAt(RuleSyntax, n.Line-p.firstLineNumber, n.Start, "a tab cannot indent; use spaces")
		}
		return n, err
	}
	p.pos = from
	empty, err := p.newNode(Scalar, Empty)
	if err != nil {
		return nil, err
	}
	p.lineIndex++
	more, err := p.nextContent()
	if err != nil {
		return nil, err
	}
	if more && p.column() > col {
		return p.parseBlock(col, true, depth)
	}
	return empty, nil
}

// fieldSet finds a field that stands twice. Small maps are the rule, so a hash
// map is made only for large ones.
type fieldSet struct {
	keys  []*Node
	index map[string]*Node
}

func (s *fieldSet) add(key *Node) error {
	var first *Node
	if s.index != nil {
		first = s.index[key.Text]
	} else {
		for _, k := range s.keys {
			if k.Text == key.Text {
				first = k
			}
		}
	}
	if first != nil {
		return &Error{RuleDuplicate, key.Line, key.Column, fmt.Sprintf("this map already has the field on line %d", first.Line)}
	}
	s.keys = append(s.keys, key)
	if s.index == nil && len(s.keys) == 16 {
		s.index = make(map[string]*Node, 64)
		for _, k := range s.keys {
			s.index[k.Text] = k
		}
	} else if s.index != nil {
		s.index[key.Text] = key
	}
	return nil
}
