// Package mdtext finds the fenced code blocks of a Markdown text, with exact
// byte ranges. Only the block structure is read, by goldmark; no inline text.
package mdtext

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Fence is one fenced code block at the top level of a text: not inside a list,
// a quotation or HTML. Offsets are bytes in the text given to Fences.
type Fence struct {
	Start, End               int    // of whole lines, both fences and the last line ending included
	ContentStart, ContentEnd int    // of the lines between the fences
	Char                     byte   // '`' or '~'
	Length                   int    // of the opening fence
	Indent                   int    // spaces before the opening fence, 0 to 3
	Info                     string // what stands after the opening fence, trimmed
	Closed                   bool   // false: no closing fence, the block runs to the end of the text
}

// Language is the first word of the info string.
func (f Fence) Language() string {
	word, _, _ := strings.Cut(strings.ReplaceAll(f.Info, "\t", " "), " ")
	return word
}

// BOM is the byte order mark that some editors put at a text's start.
const BOM = "\ufeff"

// Fences lists the fenced code blocks at the top level, in order. Any bytes
// will do. A BOM at the start is passed over.
func Fences(src []byte) []Fence {
	skip := 0
	if bytes.HasPrefix(src, []byte(BOM)) {
		skip = len(BOM)
	}
	body := src[skip:]
	if !mayHaveFence(body) {
		return nil
	}
	fences, ok := fencesInSimpleText(body)
	if !ok {
		fences = fencesByGoldmark(body)
	}
	for i := range fences {
		f := &fences[i]
		f.Start, f.End = f.Start+skip, f.End+skip
		f.ContentStart, f.ContentEnd = f.ContentStart+skip, f.ContentEnd+skip
	}
	return fences
}

// fencesByGoldmark finds the fences of any text, with goldmark.
func fencesByGoldmark(src []byte) []Fence {
	var fences []Fence
	root := newBlockParser().Parse(text.NewReader(capNesting(src)))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if block, ok := n.(*ast.FencedCodeBlock); ok {
			fences = append(fences, fenceOf(src, block))
		}
	}
	return fences
}

func mayHaveFence(src []byte) bool {
	return bytes.Contains(src, []byte("```")) || bytes.Contains(src, []byte("~~~"))
}

// newBlockParser knows blocks only: inline text and link definitions cost time and
// change nothing about where blocks begin.
func newBlockParser() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
}

// fenceOf works out the byte range of a block. The tree gives the content's
// lines only, so the fences are found around them in the text.
func fenceOf(src []byte, block *ast.FencedCodeBlock) Fence {
	lines := block.Lines()
	f := Fence{Start: lineStart(src, block.Pos())}
	f.ContentStart = lineEnd(src, f.Start)
	opening := src[f.Start:f.ContentStart]
	trimmed := bytes.TrimLeft(opening, " ")
	f.Indent = len(opening) - len(trimmed)
	if len(trimmed) > 0 {
		f.Char = trimmed[0]
	}
	rest := bytes.TrimLeft(trimmed, string(f.Char))
	f.Length = len(trimmed) - len(rest)
	f.Info = strings.TrimSpace(string(rest))
	f.ContentEnd = f.ContentStart
	if n := lines.Len(); n > 0 {
		f.ContentEnd = lineEnd(src, lineStart(src, min(lines.At(n-1).Start, len(src)-1)))
	}
	f.End = f.ContentEnd
	if end := lineEnd(src, f.ContentEnd); isClosingFence(src[f.ContentEnd:end], f.Char, f.Length) {
		f.End, f.Closed = end, true
	}
	return f
}

func lineStart(src []byte, pos int) int {
	return bytes.LastIndexByte(src[:min(pos, len(src))], '\n') + 1
}

// lineEnd is the offset after the line that pos is in, its ending included.
func lineEnd(src []byte, pos int) int {
	if i := bytes.IndexByte(src[min(pos, len(src)):], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(src)
}

// isClosingFence reports whether a line is a closing fence.
func isClosingFence(line []byte, char byte, length int) bool {
	trimmed := bytes.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return false
	}
	rest := bytes.TrimLeft(trimmed, string(char))
	return len(trimmed)-len(rest) >= length && len(bytes.TrimSpace(rest)) == 0
}

// maxNesting is how many quotations and lists one line may open before the text is
// calmed; each level costs time on every line, and none holds a fence of ours.
const maxNesting = 64

// maxIndent caps leading blanks for the same reason: nests of lists that grow
// line by line.
const maxIndent = 4 * maxNesting

// capNesting returns the text, with markers and blanks beyond the caps overwritten.
// Offsets stay, and nothing at the top level changes: what deep inside a nest
// looks like a marker is no fence of ours either way.
func capNesting(src []byte) []byte {
	out := src
	for at := 0; at < len(src); {
		end := lineEnd(src, at)
		if end-at > maxNesting {
			if cut := tooDeepAt(src[at:end]); cut >= 0 {
				if &out[0] == &src[0] {
					out = bytes.Clone(src)
				}
				for i := at + cut; i < end && isContainerMarker(src[i]); i++ {
					out[i] = 'x'
				}
			}
		}
		at = end
	}
	return out
}

// tooDeepAt is where a line's leading run of markers or blanks passes a cap, or -1.
func tooDeepAt(line []byte) int {
	markers, blanks := 0, 0
	for i, c := range line {
		switch c {
		case '>', '-', '+', '*', '.', ')':
			markers++
			blanks = 0
		case ' ':
			blanks++
		case '\t':
			blanks += 4
		default:
			if c < '0' || c > '9' {
				return -1
			}
		}
		if markers > maxNesting || blanks > maxIndent {
			if isThematicBreak(line) {
				return -1
			}
			return i
		}
	}
	return -1
}

// isThematicBreak reports whether a line is blank or made of one of - and * and blanks: a
// thematic break, which opens nothing.
func isThematicBreak(line []byte) bool {
	rest := bytes.Trim(line, " \t\r\n")
	return len(bytes.Trim(rest, "- \t")) == 0 || len(bytes.Trim(rest, "* \t")) == 0
}

func isContainerMarker(c byte) bool {
	return strings.IndexByte(">-+*.) \t0123456789", c) >= 0
}
