package memfile

import (
	"bytes"
	"strings"
)

// mostlyCRLF reports whether most lines end as Windows' do.
func mostlyCRLF(src []byte) bool {
	return 2*bytes.Count(src, []byte("\r\n")) > bytes.Count(src, []byte("\n"))
}

// oddLines are the lines, without their endings, that end otherwise than most
// of their file: an editor or a script put them in. They count in a side that
// has the result's line endings, and where none like them ends as most do.
func oddLines(crlf bool, sides ...[]byte) map[string]bool {
	odd, even := map[string]bool{}, map[string]bool{}
	for _, src := range sides {
		n := bytes.Count(src, []byte("\r\n"))
		if mostlyCRLF(src) != crlf || n == 0 || n == bytes.Count(src, []byte("\n")) {
			continue
		}
		for line := range strings.Lines(string(src)) {
			if text, ended := strings.CutSuffix(line, "\n"); ended {
				text, has := strings.CutSuffix(text, "\r")
				if has == crlf {
					even[text] = true
				} else {
					odd[text] = true
				}
			}
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
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		b.WriteString(line)
		if ended && m.crlf != m.odd[line] {
			b.WriteByte('\r')
		}
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
