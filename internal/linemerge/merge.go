// Package linemerge merges two changes of a text line by line. Memory files, entries and context
// files use it. It is pure.
package linemerge

import (
	"slices"
	"strings"
)

// UnionMerge merges two changes of a text. It is symmetric. Where both sides changed
// the same lines, the lines of both are kept, those first that come first as
// text; a line of the base that either side took out goes. clean is false where
// that happened. Without a base, all lines are changes of both sides.
func UnionMerge(base, a, b string) (merged string, clean bool) {
	o, x, y := splitLines(base), splitLines(a), splitLines(b)
	clean = true
	out := mergeMatched(o, x, y, MatchLines(o, x), MatchLines(o, y), func(o, x, y []string) []string {
		clean = false
		return unionLines(o, x, y)
	})
	return strings.Join(out, ""), clean
}

// MergeLines merges two changes of lines. Where both sides changed the same lines, both decides. A
// nil base is none: then what the sides share is the base.
func MergeLines(base, a, b []string, both func(base, a, b []string) []string) []string {
	if base == nil {
		for i, j := range MatchLines(a, b) {
			if j >= 0 {
				base = append(base, a[i])
			}
		}
	}
	return mergeMatched(base, a, b, MatchLines(base, a), MatchLines(base, b), both)
}

// mergeMatched takes the lines that both sides left, and between them the change of the side that
// made one.
func mergeMatched(o, x, y []string, toX, toY []int, both func(o, x, y []string) []string) []string {
	var out []string
	atO, atX, atY := 0, 0, 0
	for i := 0; i <= len(o); i++ {
		if i < len(o) && (toX[i] < 0 || toY[i] < 0) {
			continue
		}
		endX, endY := len(x), len(y)
		if i < len(o) {
			endX, endY = toX[i], toY[i]
		}
		was, one, two := o[atO:i], x[atX:endX], y[atY:endY]
		switch {
		case slices.Equal(one, two), slices.Equal(was, two):
			out = append(out, one...)
		case slices.Equal(was, one):
			out = append(out, two...)
		default:
			out = append(out, both(was, one, two)...)
		}
		if i < len(o) {
			out = append(out, o[i])
			atO, atX, atY = i+1, endX+1, endY+1
		}
	}
	return out
}

// ConflictMarker is the character of a line that git writes around a conflict: '<', '|', '=' or '>'; 0 for
// any other line.
func ConflictMarker(line string) byte {
	const size = 7
	line = strings.TrimRight(line, "\r\n")
	if len(line) < size || len(line) > size && line[size] != ' ' || strings.Trim(line[:size], line[:1]) != "" || !strings.Contains("<|=>", line[:1]) {
		return 0
	}
	return line[0]
}

// splitLines cuts a text after each line ending; a last line without one gets
// it, so that lines compare alike wherever they stand. A block between code
// fences is one line, so that no merge tears it apart.
func splitLines(text string) (lines []string) {
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	all := slices.Collect(strings.Lines(text))
	open := map[string]bool{} // fences that nothing closes, so that they are searched for once
	for i := 0; i < len(all); i++ {
		line, mark := all[i], fenceMark(all[i])
		if mark != "" && !open[mark] {
			n := slices.IndexFunc(all[i+1:], func(end string) bool {
				end = strings.TrimSpace(end)
				return strings.HasPrefix(end, mark) && strings.Trim(end, mark[:1]) == ""
			})
			if open[mark] = n < 0; n >= 0 {
				line = strings.Join(all[i:i+n+2], "")
				i += n + 1
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// fenceMark is the mark of a code fence that begins with this line, such as three backticks, or "".
func fenceMark(line string) string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return ""
	}
	info := strings.TrimLeft(line, line[:1])
	if line[0] == '`' && strings.Contains(info, "`") {
		return "" // code within a line
	}
	return line[:len(line)-len(info)]
}

// headingLevel is the level of a heading, 0 for another line.
func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || level == len(line) || !strings.ContainsRune(" \t\n", rune(line[level])) {
		return 0
	}
	return level
}

// unionLines merges lines that both sides changed. Lines that both have under the same headings
// stay where they are. Between them the lines of each side follow each other, those above the
// first heading before all sections. A line that both have elsewhere than the base is there once.
func unionLines(o, x, y []string) (out []string) {
	if slices.Compare(x, y) > 0 {
		x, y = y, x
	}
	inO, inX, inY := lineSet(o), lineSet(x), lineSet(y)
	x = slices.DeleteFunc(slices.Clone(x), func(line string) bool { return inO[line] && !inY[line] && headingLevel(line) == 0 })
	y = slices.DeleteFunc(slices.Clone(y), func(line string) bool { return inO[line] && !inX[line] && headingLevel(line) == 0 })
	atX, atY := 0, 0
	for i, j := range append(MatchLines(withHeadings(x), withHeadings(y)), len(y)) {
		if j < 0 {
			continue
		}
		one, two := x[atX:i], slices.DeleteFunc(slices.Clone(y[atY:j]), func(line string) bool { return inO[line] && headingLevel(line) == 0 })
		n, m := firstHeading(one), firstHeading(two)
		out = append(out, slices.Concat(one[:n], two[:m], one[n:], two[m:], x[i:min(i+1, len(x))])...)
		atX, atY = i+1, j+1
	}
	return out
}

// firstHeading is the index of the first heading or of the blank line before it, len(lines) where there is none.
func firstHeading(lines []string) int {
	end := slices.IndexFunc(lines, func(line string) bool { return headingLevel(line) > 0 })
	if end < 0 {
		return len(lines)
	}
	if end > 0 && lines[end-1] == "\n" {
		end--
	}
	return end
}

// withHeadings are the lines with the headings that they are under.
func withHeadings(lines []string) []string {
	var path [7]string
	out := make([]string, len(lines))
	for i, line := range lines {
		if level := headingLevel(line); level > 0 {
			path[level] = line
			clear(path[level+1:])
			out[i] = strings.Join(path[:level+1], "")
			continue
		}
		out[i] = strings.Join(path[:], "") + "\x00" + line
	}
	return out
}

func lineSet(lines []string) map[string]bool {
	set := make(map[string]bool, len(lines))
	for _, line := range lines {
		set[line] = true
	}
	return set
}
