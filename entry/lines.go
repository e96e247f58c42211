package entry

import (
	"slices"
	"strings"
)

// MergeLines merges two changes of a text line by line. It is symmetric. Where
// both sides changed the same lines, the lines of both are kept, those first
// that come first as text; a line of the base that either side took out goes.
// clean is false where that happened. Without a base, the lines that both sides
// have under the same headings are the base, so that the others stay under theirs.
func MergeLines(base, a, b string) (merged string, clean bool) {
	o, x, y := splitLines(base), splitLines(a), splitLines(b)
	toX, toY := matchLines(o, x), matchLines(o, y)
	if len(o) == 0 {
		o, toX, toY = common(x, y)
	}
	var out []string
	clean = true
	atO, atX, atY := 0, 0, 0
	for i := 0; i <= len(o); i++ {
		stable := i == len(o) || toX[i] >= 0 && toY[i] >= 0
		if !stable {
			continue
		}
		endX, endY := len(x), len(y)
		if i < len(o) {
			endX, endY = toX[i], toY[i]
		}
		region, ok := mergeRegion(o[atO:i], x[atX:endX], y[atY:endY])
		out, clean = append(out, region...), clean && ok
		if i < len(o) {
			out = append(out, o[i])
			atO, atX, atY = i+1, endX+1, endY+1
		}
	}
	return strings.Join(out, ""), clean
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
		line, mark := all[i], fence(all[i])
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

// fence is the mark of a code fence that begins with this line, such as three backticks, or "".
func fence(line string) string {
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

// heading is the level of a heading, 0 for another line.
func heading(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || level == len(line) || !strings.ContainsRune(" \t\n", rune(line[level])) {
		return 0
	}
	return level
}

// firstHeading is the index of the first heading or of the blank lines before it, len(lines) where there is none.
func firstHeading(lines []string) int {
	end := slices.IndexFunc(lines, func(line string) bool { return heading(line) > 0 })
	if end < 0 {
		return len(lines)
	}
	for end > 0 && blank(lines[end-1]) {
		end--
	}
	return end
}

// listItem reports whether a line is an item of a list.
func listItem(line string) bool {
	mark, _, ok := strings.Cut(strings.TrimSpace(line), " ")
	return ok && (mark == "-" || mark == "*" || mark == "+" || strings.Trim(mark, "0123456789") == "." || strings.Trim(mark, "0123456789") == ")")
}

// common are the lines that both texts have under the same headings, in their
// order, and where each text has them.
func common(x, y []string) (lines []string, inX, inY []int) {
	if slices.Compare(x, y) > 0 {
		lines, inY, inX = common(y, x)
		return lines, inX, inY
	}
	for i, j := range matchLines(underHeadings(x), underHeadings(y)) {
		if j >= 0 {
			lines, inX, inY = append(lines, x[i]), append(inX, i), append(inY, j)
		}
	}
	return lines, inX, inY
}

// underHeadings are the lines with the headings that they are under.
func underHeadings(lines []string) []string {
	var path [7]string
	out := make([]string, len(lines))
	for i, line := range lines {
		if level := heading(line); level > 0 {
			path[level] = line
			clear(path[level+1:])
			out[i] = strings.Join(path[:level+1], "")
			continue
		}
		out[i] = strings.Join(path[:], "") + "\x00" + line
	}
	return out
}

// mergeRegion merges lines that both sides changed: first those under the
// heading that the region begins under, line by line, and then the sections of
// the one side and the other as they are. A line that one side wrote twice
// under different headings, or in different tables or blocks, is no duplicate.
func mergeRegion(o, x, y []string) ([]string, bool) {
	switch {
	case slices.Equal(x, y), slices.Equal(o, y):
		return x, true
	case slices.Equal(o, x):
		return y, true
	}
	if slices.Compare(x, y) > 0 {
		x, y = y, x
	}
	same := 0 // lines that both begin with
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	inO, inX, inY := lineSet(o), lineSet(x), lineSet(y)
	out := slices.Clone(x[:same])
	x, y = x[same:], y[same:]
	endX, endY := firstHeading(x), firstHeading(y)
	for _, line := range x[:endX] {
		if blank(line) || inY[line] || !inO[line] {
			out = append(out, line)
		}
	}
	listed := lineSet(out)
	out = appendLines(out, y[:endY], func(line string) bool {
		return !inO[line] && !(listed[line] && listItem(line))
	})
	out = appendLines(out, x[endX:], func(line string) bool { return inY[line] || !inO[line] || heading(line) > 0 })
	if slices.Equal(x[endX:], y[endY:]) {
		return out, false // both added the same sections
	}
	return appendLines(out, y[endY:], func(line string) bool { return inX[line] || !inO[line] || heading(line) > 0 }), false
}

// appendLines appends the lines to keep. One blank line between two of them is
// enough, and none at the end.
func appendLines(out, lines []string, keep func(string) bool) []string {
	gap := false
	for _, line := range lines {
		switch {
		case blank(line):
			gap = true
			continue
		case !keep(line):
			continue
		case gap && len(out) > 0 && !blank(out[len(out)-1]):
			out = append(out, "\n")
		}
		out, gap = append(out, line), false
	}
	return out
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

func lineSet(lines []string) map[string]bool {
	set := make(map[string]bool, len(lines))
	for _, line := range lines {
		set[line] = true
	}
	return set
}

// matchLines pairs lines of a with equal lines of b, in order: for each of a
// the index in b, or -1. It is patience diff, which takes time in proportion
// to n log n, whatever the texts are.
func matchLines(a, b []string) []int {
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	pairLines(a, b, 0, 0, match)
	return match
}

func pairLines(a, b []string, fromA, fromB int, match []int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		match[fromA] = fromB
		a, b, fromA, fromB = a[1:], b[1:], fromA+1, fromB+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		match[fromA+len(a)-1] = fromB + len(b) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return
	}
	anchors := patience(a, b)
	if len(anchors) == 0 {
		return
	}
	anchors = append(anchors, [2]int{len(a), len(b)})
	i, j := 0, 0
	for _, p := range anchors {
		pairLines(a[i:p[0]], b[j:p[1]], fromA+i, fromB+j, match)
		if p[0] < len(a) {
			match[fromA+p[0]] = fromB + p[1]
		}
		i, j = p[0]+1, p[1]+1
	}
}

// patience is the longest run of pairs, growing on both sides, of lines that
// stand once in each.
func patience(a, b []string) [][2]int {
	type seen struct{ a, b, countA, countB int }
	lines := map[string]*seen{}
	for i, line := range a {
		s := lines[line]
		if s == nil {
			s = &seen{}
			lines[line] = s
		}
		s.a, s.countA = i, s.countA+1
	}
	for j, line := range b {
		if s := lines[line]; s != nil {
			s.b, s.countB = j, s.countB+1
		}
	}
	var tops, pairs []*seen // tops[n] ends the run of length n+1 with the least b
	back := map[*seen]*seen{}
	for i, line := range a {
		if s := lines[line]; s.countA == 1 && s.countB == 1 && s.a == i {
			pairs = append(pairs, s)
		}
	}
	for _, s := range pairs {
		n, _ := slices.BinarySearchFunc(tops, s.b, func(t *seen, b int) int { return t.b - b })
		if n > 0 {
			back[s] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, s)
		} else {
			tops[n] = s
		}
	}
	if len(tops) == 0 {
		return nil
	}
	run := make([][2]int, len(tops))
	for n, s := len(tops)-1, tops[len(tops)-1]; n >= 0; n-- {
		run[n] = [2]int{s.a, s.b}
		s = back[s]
	}
	return run
}
