package recovery

import (
	"bytes"
	"strings"
)

// line is one line of the source, without its line ending.
type line struct {
	n      int    // 1-based, in the source
	indent int    // columns of leading white space; a tab counts four
	body   string // the rest, trailing white space included
	at     int32  // its first byte in the source
	next   int32  // the first byte of the line after it
	stray  bool   // memfile calls it memory below the fence
}

func (l line) blank() bool { return l.body == "" }

// tabWidth is what a tab counts in an indentation, where YAML allows none:
// agents that indent with tabs mean one level, and no level of ours is wider.
const tabWidth = 4

// splitLines cuts text into lines. LF, CR LF and a lone CR end a line. Bytes
// that are no UTF-8 become U+FFFD, so that what is salvaged can be written.
func splitLines(src []byte) []line {
	at := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	text := string(src)
	lines := make([]line, 0, 1+strings.Count(text, "\n"))
	for n := 1; at < len(text); {
		end, next := len(text), len(text)
		if i := strings.IndexAny(text[at:], "\n\r"); i >= 0 {
			end = at + i
			next = end + 1
			if text[end] == '\r' && next < len(text) && text[next] == '\n' {
				next++
			}
		}
		l := newLine(n, strings.ToValidUTF8(text[at:end], "\ufffd"))
		l.at, l.next = int32(at), int32(next)
		lines = append(lines, l)
		if text[next-1] == '\n' {
			n++ // a lone CR ends a line here, but no editor counts it
		}
		at = next
	}
	return lines
}

func newLine(n int, text string) line {
	indent := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ':
			indent++
		case '\t':
			indent += tabWidth
		default:
			return line{n: n, indent: indent, body: text[i:]}
		}
	}
	return line{n: n, indent: indent}
}

// markStrays marks the lines that memfile calls strays, so that what makes a
// file damaged and what is salvaged are the same.
func markStrays(lines []line, ranges [][2]int) {
	i := 0
	for _, r := range ranges {
		for i < len(lines) && int(lines[i].at) < r[0] {
			i++
		}
		for i < len(lines) && int(lines[i].at) < r[1] {
			lines[i].stray = true
			i++
		}
	}
}

// sides resolves conflict markers: one list of lines where there are none,
// else ours and theirs. The base that diff3 shows is left out, because it
// holds what both sides changed or removed.
func sides(lines []line) [][]line {
	if !hasMarkers(lines) {
		return [][]line{lines}
	}
	const (
		both = iota
		ours
		base
		theirs
	)
	var one, other []line
	state := both
	for _, l := range lines {
		switch m := marker(l); {
		case m == '<':
			state = ours
		case m == '|' && state == ours:
			state = base
		case m == '=' && (state == ours || state == base):
			state = theirs
		case m == '>':
			state = both
		default:
			if state == both || state == ours {
				one = append(one, l)
			}
			if state == both || state == theirs {
				other = append(other, l)
			}
		}
	}
	return [][]line{one, other}
}

func hasMarkers(lines []line) bool {
	for _, l := range lines {
		if m := marker(l); m == '<' || m == '>' {
			return true
		}
	}
	return false
}

// marker returns the character of a conflict marker line, or 0. Markers stand
// at the start of a line.
func marker(l line) byte {
	if l.indent != 0 || len(l.body) < 7 || (len(l.body) > 7 && l.body[7] != ' ') {
		return 0
	}
	c := l.body[0]
	if !strings.ContainsRune("<|=>", rune(c)) || strings.Count(l.body[:7], l.body[:1]) != 7 {
		return 0
	}
	return c
}
