package mdtext

import (
	"bytes"
	"strings"
)

// fencesInSimpleText finds the fences of a text that holds no lists, quotations or HTML
// outside them, as most memory files are, in one cheap pass. ok is false where
// it meets anything else; then the whole text goes through goldmark. Without
// such containers a line that is set in by four opens nothing, and a fence
// stands at the top level and ends a paragraph.
func fencesInSimpleText(src []byte) (fences []Fence, ok bool) {
	for at := 0; at < len(src); {
		end := lineEnd(src, at)
		line := src[at:end]
		text := bytes.TrimLeft(line, " ")
		indent := len(line) - len(text)
		switch {
		case indent > 3 || len(text) == 0:
		case text[0] == '`' || text[0] == '~':
			f, opens := openFence(src, at, end, indent)
			if opens && f.Char == '`' && strings.Contains(f.Info, "`") {
				return nil, false
			}
			if opens {
				end = f.findClosingFence(src)
				fences = append(fences, f)
			}
		case opensContainer(text):
			return nil, false
		}
		at = end
	}
	return fences, true
}

func openFence(src []byte, at, end, indent int) (Fence, bool) {
	text := src[at+indent : end]
	rest := bytes.TrimLeft(text, string(text[:1]))
	f := Fence{Start: at, ContentStart: end, ContentEnd: end, End: end, Char: text[0], Length: len(text) - len(rest),
		Indent: indent, Info: strings.TrimSpace(string(rest))}
	return f, f.Length >= 3
}

// findClosingFence finds the closing fence and returns where the block ends.
func (f *Fence) findClosingFence(src []byte) int {
	for f.ContentEnd < len(src) {
		next := lineEnd(src, f.ContentEnd)
		if isClosingFence(src[f.ContentEnd:next], f.Char, f.Length) {
			f.End, f.Closed = next, true
			return next
		}
		f.ContentEnd, f.End = next, next
	}
	return f.End
}

// opensContainer reports whether a line could begin a quotation, a list or
// HTML; or has a tab before its text, which is left to goldmark too.
func opensContainer(text []byte) bool {
	switch c := text[0]; c {
	case '>', '<', '\t':
		return true
	case '-', '+', '*':
		return len(text) == 1 || strings.IndexByte(" \t\r\n", text[1]) >= 0
	}
	rest := bytes.TrimLeft(text, "0123456789")
	return len(rest) < len(text) && len(rest) > 0 && (rest[0] == '.' || rest[0] == ')')
}
