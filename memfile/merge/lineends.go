package merge

import (
	"bytes"
	"strings"
)

// MostlyCRLF reports whether most lines end as Windows' do.
func MostlyCRLF(src []byte) bool {
	return 2*bytes.Count(src, []byte("\r\n")) > bytes.Count(src, []byte("\n"))
}

// endingOf names a line by itself and the one before it: many lines are alike.
type endingOf struct{ before, line string }

// oddLines are the lines, without their endings, that end otherwise than most
// of their file: an editor or a script put them in. They count in a side that
// has the result's line endings, and where none like them ends as most do.
func oddLines(crlf bool, sides ...[]byte) map[endingOf]bool {
	odd, even := map[endingOf]bool{}, map[endingOf]bool{}
	for _, src := range sides {
		n := bytes.Count(src, []byte("\r\n"))
		if MostlyCRLF(src) != crlf || n == 0 || n == bytes.Count(src, []byte("\n")) {
			continue
		}
		before := ""
		for line := range strings.Lines(string(src)) {
			text, ended := strings.CutSuffix(line, "\n")
			if !ended {
				break
			}
			text, has := strings.CutSuffix(text, "\r")
			if has == crlf {
				even[endingOf{before, text}] = true
			} else {
				odd[endingOf{before, text}] = true
			}
			before = text
		}
	}
	for text := range even {
		delete(odd, text)
	}
	return odd
}

// endings gives a text, which has LF alone, the result's line endings.
func (m *merging) endings(text string) string {
	if !m.crlf && len(m.odd) == 0 {
		return text
	}
	var b strings.Builder
	before := ""
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		b.WriteString(line)
		if ended && m.crlf != m.odd[endingOf{before, line}] {
			b.WriteByte('\r')
		}
		if ended {
			b.WriteByte('\n')
		}
		before = line
	}
	return b.String()
}
