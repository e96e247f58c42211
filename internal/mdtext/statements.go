package mdtext

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Statement is a paragraph or a list item of a text, outside code, quotations and HTML.
type Statement struct {
	Line int    // 1-based
	Text string // on one line
	Item bool   // it is a list item
	// Whole says that it says all by itself: it is at the top level, nothing is below it, and no line before its list names what
	// the list is about.
	Whole bool
}

// Statements lists the paragraphs and list items of a text, in order. Any bytes will do.
func Statements(src []byte) []Statement {
	s := statements{src: bytes.TrimPrefix(src, []byte(BOM))}
	s.blocks(newParser().Parse(text.NewReader(calm(s.src))), true)
	return s.list
}

type statements struct {
	src  []byte
	list []Statement
}

func (s *statements) add(block ast.Node, item, whole bool) {
	if lines := block.Lines(); lines.Len() > 0 {
		said := strings.Join(strings.Fields(string(lines.Value(s.src))), " ")
		s.list = append(s.list, Statement{bytes.Count(s.src[:lines.At(0).Start], []byte("\n")) + 1, said, item, whole})
	}
}

// blocks adds what the blocks below a node say.
func (s *statements) blocks(parent ast.Node, top bool) {
	label := false
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindParagraph:
			s.add(n, false, top)
			label = len(s.list) > 0 && isLabel(s.list[len(s.list)-1].Text)
			continue
		case ast.KindList:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				s.item(item, top && !label)
			}
		}
		label = false
	}
}

func (s *statements) item(item ast.Node, alone bool) {
	first := item.FirstChild()
	if first == nil {
		return
	}
	if kind := first.Kind(); kind == ast.KindTextBlock || kind == ast.KindParagraph {
		s.add(first, true, alone && item.ChildCount() == 1)
		item.RemoveChild(item, first)
	}
	s.blocks(item, false)
}

// isLabel reports whether a paragraph names what follows: it ends in a colon of any script, or is bold.
func isLabel(text string) bool {
	return strings.HasSuffix(text, "**") && strings.HasPrefix(text, "**") || strings.ContainsAny(text[max(len(text)-3, 0):], "：﹕︓꞉፡፥") || strings.HasSuffix(text, ":")
}
