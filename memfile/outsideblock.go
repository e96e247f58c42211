package memfile

import "strings"

// OutsideBlock lists the byte ranges of what agents appended below the block's fence
// instead of inside it: indented list items, "- key: …", and deletions: or
// items: lines. Ordinary Markdown, lists included, is none. It looks at the
// text after the first yaml block (a whole text without one has no strays),
// and passes over our own notes.
func OutsideBlock(src []byte) [][2]int {
	p := scan(src)
	for i, f := range p.fences {
		if isYAML(f) && f.Closed {
			return strayRuns(string(src), page{p.fences[i:], p.notes, p.after})
		}
	}
	return nil
}

func (r *reader) strays(p page) {
	for i, f := range p.fences {
		if f.Start == r.file.fence.Start {
			p.fences = p.fences[i:]
			break
		}
	}
	for _, run := range strayRuns(r.file.src, p) {
		r.damage("stray-items", run[0], "memory below the end of the block, where memctl does not read it")
	}
	for _, at := range []int{p.fences[0].End, p.after} { // perhaps somebody meant it as memory
		text := strings.TrimLeft(r.file.src[at:], "\r\n")
		if first, _, _ := strings.Cut(text, "\n"); isBullet(first) && !isKeyItem(first) {
			line, col := r.place(len(r.file.src) - len(text))
			r.problems = append(r.problems, Problem{Rule: "list-below", Severity: Warning, File: r.file.name, Line: line, Column: col,
				Message: "a list below the end of the block, which memctl does not read", Hint: "memctl add KEY TEXT stores one of its lines"})
		}
	}
}

// isBullet reports whether a line without its indentation begins a list item.
func isBullet(text string) bool {
	marker := strings.TrimLeft(text, "0123456789")
	digits := len(text) - len(marker)
	if marker == "" || len(marker) > 1 && marker[1] != ' ' && marker[1] != '\t' {
		return false
	}
	if digits == 0 {
		return strings.IndexByte("-*+", marker[0]) >= 0
	}
	return digits < 10 && (marker[0] == '.' || marker[0] == ')')
}

// isPair reports whether a list item reads "- title: text".
func isPair(text string) bool {
	return strings.HasPrefix(text, "- ") && (strings.Contains(text, ": ") || strings.HasSuffix(text, ":"))
}

// isKeyItem reports whether a list item reads "- key: area.name".
func isKeyItem(text string) bool {
	rest, dash := strings.CutPrefix(text, "- ")
	name, value, pair := strings.Cut(rest, ":")
	if !dash || !pair || strings.Trim(name, " \t\"'") != "key" {
		return false
	}
	value, _, _ = strings.Cut(value, " #")
	value = strings.ToLower(strings.Trim(value, " \t\"'"))
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-."
	return strings.Trim(value, allowed) == "" && strings.Contains(strings.Trim(value, "."), ".")
}

// isListField reports whether a line opens one of the block's lists, or the
// whole block. "items:" at the margin could end a sentence, so it counts only
// with its brackets.
func isListField(text string, indent int) bool {
	name, rest, ok := strings.Cut(strings.TrimRight(text, " \t"), ":")
	rest = strings.TrimSpace(rest)
	if !ok || rest != "" && rest != "[]" {
		return false
	}
	return name == "saved_memory" || name == "deletions" || name == "items" && (indent >= 2 || rest == "[]")
}

// strayRuns looks below the first of the page's fences. A closed fence further
// down is documentation; an unclosed one is what appending left over, and its
// lines count as text.
func strayRuns(src string, p page) [][2]int {
	var runs [][2]int
	s := strayState{near: true, parent: -1}
	at, end := p.fences[0].End, len(src)
	for fences := p.fences[1:]; at < end; {
		if at >= p.notes && at < p.after {
			at, s.run = p.after, 0
			continue
		}
		if len(fences) > 0 && fences[0].Start <= at {
			if fences[0].Closed {
				at, s = fences[0].End, strayState{parent: -1}
			}
			fences = fences[1:]
			continue
		}
		next := end
		if i := strings.IndexByte(src[at:end], '\n'); i >= 0 {
			next = at + i + 1
		}
		switch s.line(strings.TrimRight(src[at:next], "\r\n")) {
		case strayYes:
			if n := len(runs); n > 0 && strings.TrimSpace(src[runs[n-1][1]:at]) == "" {
				runs[n-1][1] = next
			} else {
				runs = append(runs, [2]int{at, next})
			}
		case strayGoesOn:
			runs[len(runs)-1][1] = next
		}
		at = next
	}
	return runs
}

type strayKind uint8

const (
	strayNo strayKind = iota
	strayYes
	strayGoesOn // a line set in below a stray item
)

// strayState walks over the lines below the block.
type strayState struct {
	near   bool // nothing but blank lines and strays stand between here and the block
	parent int  // indentation of the last ordinary list item, -1 outside lists
	run    int  // indentation of the stray item above, with offset 1; 0 without
}

func (s *strayState) line(line string) strayKind {
	text := strings.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	indent += 3 * strings.Count(line[:indent], "\t")
	switch {
	case text == "" || strings.HasPrefix(text, "```"):
		return strayNo
	case isListField(text, indent) || isKeyItem(text):
		s.run, s.parent = indent+1, -1
		return strayYes
	case s.run > 0 && indent >= s.run:
		return strayGoesOn
	}
	item := isBullet(text)
	orphan := item && text[0] == '-' && indent >= 2 && (s.parent < 0 || indent < s.parent)
	if orphan && (s.run > 0 || s.near && (indent >= 4 || isPair(text))) {
		s.run = indent + 1
		return strayYes
	}
	s.near, s.run = false, 0
	switch {
	case item && (s.parent < 0 || indent < s.parent):
		s.parent = indent
	case !item && indent < 2:
		s.parent = -1
	}
	return strayNo
}
