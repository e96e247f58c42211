// Package jsontext reads JSON with comments and trailing commas into byte
// ranges, and changes one member or element of it so that every other byte
// stays as it was.
//
// Words. A child is a member of an object or an element of an array. The lead
// of a child is the white space before it. It is strict about what it does not
// understand: whoever edits a person's file had better refuse than guess.
package jsontext

import (
	"encoding/json"
	"fmt"
)

// Kind is what a value is.
type Kind uint8

// The kinds.
const (
	Object Kind = iota
	Array
	String
	Other // a number, true, false or null
)

// Node is one value and where it stands.
type Node struct {
	Kind       Kind
	Start, End int     // of its bytes
	Text       string  // a string's text, decoded
	Children   []Child // of an object or array

	contentEnd        int  // the end of the last comment, comma or child before the closing bracket
	endsInLineComment bool // what ends at contentEnd is a line comment
	hasComments       bool // there is a comment directly inside
	trailingComma     bool // a comma stands after the last child
}

// Child is a member or an element.
type Child struct {
	Key   string // of a member, decoded
	Start int    // of the key, or of the element
	Value *Node

	previousEnd      int  // the end of the token before it
	afterLineComment bool // that token is a line comment
	commaAt          int  // where the comma after it stands; -1 where there is none
}

// Member is the value of the object's member of that name; nil where there is none.
func (n *Node) Member(name string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for _, c := range n.Children {
		if c.Key == name {
			return c.Value
		}
	}
	return nil
}

// SyntaxError says where text is not JSON.
type SyntaxError struct {
	Line, Column int // from 1; the column counts bytes
	Cause        string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Cause)
}

const (
	// maxDepth bounds the nesting that is read.
	maxDepth = 200
	bom      = "\ufeff"
)

// scanner is at one place of the text.
type scanner struct {
	src   []byte
	pos   int
	depth int
	// tokenEnd is the end of the last token or comment that was passed.
	tokenEnd         int
	afterLineComment bool // that was a line comment
	commentCount     int  // comments passed so far
}

// Parse reads one value. A byte order mark, comments and trailing commas are
// allowed; two members of one name are not, because readers do not agree on
// what they mean. Blank text gives nil. Errors: *SyntaxError.
func Parse(src []byte) (root *Node, err error) {
	s := &scanner{src: src}
	if len(src) >= len(bom) && string(src[:len(bom)]) == bom {
		s.pos = len(bom)
		s.tokenEnd = s.pos
	}
	if err := s.skipSpaceAndComments(); err != nil {
		return nil, err
	}
	if s.pos == len(src) {
		if s.commentCount > 0 {
			return nil, s.fail("comments and no value")
		}
		return nil, nil
	}
	if root, err = s.parseValue(); err != nil {
		return nil, err
	}
	if err := s.skipSpaceAndComments(); err != nil {
		return nil, err
	}
	if s.pos < len(src) {
		return nil, s.fail("more text after the value")
	}
	return root, nil
}

func (s *scanner) fail(cause string) error {
	e := &SyntaxError{Line: 1, Column: 1, Cause: cause}
	for _, c := range s.src[:min(s.pos, len(s.src))] {
		if e.Column++; c == '\n' {
			e.Line, e.Column = e.Line+1, 1
		}
	}
	return e
}

func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// advance moves over a token of n bytes.
func (s *scanner) advance(n int) {
	s.pos += n
	s.tokenEnd, s.afterLineComment = s.pos, false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipSpaceAndComments moves over white space and comments.
func (s *scanner) skipSpaceAndComments() error {
	for s.pos < len(s.src) {
		switch {
		case isSpace(s.src[s.pos]):
			s.pos++
		case s.src[s.pos] == '/':
			if err := s.skipComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// skipComment moves over one comment. A line comment ends before its line end.
func (s *scanner) skipComment() error {
	rest := s.src[s.pos:]
	switch {
	case len(rest) > 1 && rest[1] == '/':
		n := 2
		for n < len(rest) && rest[n] != '\n' && rest[n] != '\r' {
			n++
		}
		s.advance(n)
		s.afterLineComment = true
	case len(rest) > 1 && rest[1] == '*':
		n := 2
		for n+1 < len(rest) && (rest[n] != '*' || rest[n+1] != '/') {
			n++
		}
		if n+1 >= len(rest) {
			return s.fail("a comment that does not end")
		}
		s.advance(n + 2)
	default:
		return s.fail("a stray /")
	}
	s.commentCount++
	return nil
}

func (s *scanner) parseValue() (*Node, error) {
	switch c := s.peek(); {
	case s.pos >= len(s.src):
		return nil, s.fail("the text ends where a value should be")
	case c == '{' || c == '[':
		return s.parseContainer(c)
	case c == '"':
		start := s.pos
		text, err := s.parseString()
		return &Node{Kind: String, Start: start, End: s.pos, Text: text}, err
	}
	return s.parseLiteral()
}

// parseLiteral reads a number or a literal.
func (s *scanner) parseLiteral() (*Node, error) {
	n := s.pos
	for n < len(s.src) && !isSpace(s.src[n]) && !isPunctuation(s.src[n]) {
		n++
	}
	if !json.Valid(s.src[s.pos:n]) {
		return nil, s.fail("not a value")
	}
	node := &Node{Kind: Other, Start: s.pos, End: n}
	s.advance(n - s.pos)
	return node, nil
}

func isPunctuation(c byte) bool {
	switch c {
	case ',', ':', '{', '}', '[', ']', '"', '/':
		return true
	}
	return false
}

func (s *scanner) parseString() (string, error) {
	n := s.pos + 1
	for n < len(s.src) && s.src[n] != '"' {
		if s.src[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(s.src) {
		return "", s.fail("a string that does not end")
	}
	var text string
	if err := json.Unmarshal(s.src[s.pos:n+1], &text); err != nil {
		return "", s.fail("not a string")
	}
	s.advance(n + 1 - s.pos)
	return text, nil
}

// parseContainer reads an object or an array, whose opening bracket is next.
func (s *scanner) parseContainer(open byte) (*Node, error) {
	if s.depth++; s.depth > maxDepth {
		return nil, s.fail("nested too deep")
	}
	defer func() { s.depth-- }()
	n := &Node{Kind: Object, Start: s.pos}
	closing := byte('}')
	if open == '[' {
		n.Kind, closing = Array, ']'
	}
	s.advance(1)
	for comma := true; ; {
		before := s.commentCount
		if err := s.skipSpaceAndComments(); err != nil {
			return nil, err
		}
		n.hasComments = n.hasComments || s.commentCount > before
		switch {
		case s.peek() == closing:
			n.contentEnd, n.endsInLineComment = s.tokenEnd, s.afterLineComment
			s.advance(1)
			n.End = s.pos
			return n, nil
		case s.peek() == ',' && !comma:
			last := &n.Children[len(n.Children)-1]
			last.commaAt, n.trailingComma, comma = s.pos, true, true
			s.advance(1)
		case !comma:
			return nil, s.fail("no comma or closing bracket")
		default:
			if err := s.parseChild(n); err != nil {
				return nil, err
			}
			n.trailingComma, comma = false, false
		}
	}
}

// parseChild reads one member or element of n.
func (s *scanner) parseChild(n *Node) error {
	c := Child{Start: s.pos, previousEnd: s.tokenEnd, afterLineComment: s.afterLineComment, commaAt: -1}
	var err error
	if n.Kind == Object {
		if s.peek() != '"' {
			return s.fail("no member name")
		}
		if c.Key, err = s.parseString(); err != nil {
			return err
		}
		if n.Member(c.Key) != nil {
			return s.fail("a second member of this name")
		}
		if err := s.skipSpaceAndComments(); err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.fail("no colon after the member's name")
		}
		s.advance(1)
		if err := s.skipSpaceAndComments(); err != nil {
			return err
		}
	}
	if c.Value, err = s.parseValue(); err != nil {
		return err
	}
	n.Children = append(n.Children, c)
	return nil
}
