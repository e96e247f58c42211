package mdtext

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Statement is a paragraph or a list item at the top level of a text: not inside code, a quotation, a comment or another item.
type Statement struct {
	Line int    // 1-based
	Text string // on one line
	Item bool   // it is a list item
	// Whole says that it says all by itself: nothing is below it, and no line before its list names what the list is about.
	Whole bool
}

// Statements lists the paragraphs and list items at the top level, in order. Any bytes will do.
func Statements(src []byte) (list []Statement) {
	src = bytes.TrimPrefix(src, []byte(BOM))
	add := func(block ast.Node, item, whole bool) {
		if lines := block.Lines(); lines.Len() > 0 {
			said := strings.Join(strings.Fields(string(lines.Value(src))), " ")
			list = append(list, Statement{bytes.Count(src[:lines.At(0).Start], []byte("\n")) + 1, said, item, whole})
		}
	}
	label := false
	for n := newParser().Parse(text.NewReader(calm(src))).FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindParagraph:
			add(n, false, true)
			label = len(list) > 0 && isLabel(list[len(list)-1].Text)
			continue
		case ast.KindList:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				if first := item.FirstChild(); first != nil && (first.Kind() == ast.KindTextBlock || first.Kind() == ast.KindParagraph) {
					add(first, true, !label && item.ChildCount() == 1)
				}
			}
		}
		label = false
	}
	return list
}

// isLabel reports whether a paragraph names what follows: it ends in a colon of any script, or is bold.
func isLabel(text string) bool {
	return strings.HasSuffix(text, "**") && strings.HasPrefix(text, "**") || strings.ContainsAny(text[max(len(text)-3, 0):], "：﹕︓꞉፡፥") || strings.HasSuffix(text, ":")
}
