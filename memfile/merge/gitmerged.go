package merge

import (
	"bytes"
	"slices"
)

// maxTextMerge bounds how many places TextMerged looks at: a text that is no
// merge can have very many.
const maxTextMerge = 200_000

// TextMerged reports whether the text still is what a merge by lines makes of
// git's versions of it (base, ours, theirs; a nil base is none): then nobody has
// settled a part of it, and its lines need not belong to what they stand beside.
// Which lines git takes as the same ones varies with its settings, so any way to
// read the text as such a merge counts. Line ends do not count. Where this is
// hard to tell, it is false.
func (c Conflict) TextMerged(versions [3][]byte) bool {
	ids := map[string]int{}
	lines := func(src []byte) []int {
		var list []int
		for line := range bytes.Lines(src) {
			text := string(bytes.TrimRight(line, "\r\n"))
			if ids[text] == 0 {
				ids[text] = len(ids) + 1
			}
			list = append(list, ids[text])
		}
		return list
	}
	m := textMerge{base: lines(versions[0]), ours: lines(versions[1]), theirs: lines(versions[2])}
	for _, p := range c.parts {
		if p.hunk {
			m.merged = append(m.merged, mergedLine{hunk: true, ours: lines(p.ours), theirs: lines(p.theirs)})
			continue
		}
		for _, id := range lines(p.ours) {
			m.merged = append(m.merged, mergedLine{ours: []int{id}, theirs: []int{id}})
		}
	}
	return m.found()
}

// conflictPart is one conflict between markers, or the text between two.
type conflictPart struct {
	hunk         bool
	ours, theirs []byte // the same, where it is no conflict
}

// add puts a line into the last part, or into a new one.
func (c *Conflict) add(hunk, ours, theirs bool, line []byte) {
	if n := len(c.parts); n == 0 || c.parts[n-1].hunk != hunk {
		c.parts = append(c.parts, conflictPart{hunk: hunk})
	}
	p := &c.parts[len(c.parts)-1]
	if ours {
		p.ours = append(p.ours, line...)
	}
	if theirs {
		p.theirs = append(p.theirs, line...)
	}
}

// textMerge looks for a way to read a text as a merge of three others.
type textMerge struct {
	base, ours, theirs []int
	merged             []mergedLine
}

// mergedLine is a line of the merge, or a whole conflict of it.
type mergedLine struct {
	hunk         bool
	ours, theirs []int
}

// mergePlace is how far each of the texts was read, and who has made the change
// that is being read there. Changes of both sides never touch: git then has a
// conflict.
type mergePlace struct {
	base, ours, theirs, merged int
	by                         mergedBy
}

type mergedBy byte

const (
	byNobody mergedBy = iota // the line before stands in all
	byOurs
	byTheirs
	byBoth
)

// found goes on from one place to the next, where lines that all have come first.
func (m *textMerge) found() bool {
	seen := map[mergePlace]bool{}
	todo := []mergePlace{{}}
	for len(todo) > 0 && len(seen) < maxTextMerge {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		if p.base == len(m.base) && p.ours == len(m.ours) && p.theirs == len(m.theirs) && p.merged == len(m.merged) {
			return true
		}
		next := m.next(p)
		slices.Reverse(next)
		todo = append(todo, next...)
	}
	return false
}

// next lists the places that follow: a line is read that all have, or that one
// side or both put in or took out, or a conflict.
func (m *textMerge) next(p mergePlace) (list []mergePlace) {
	base, ours, theirs := at(m.base, p.base), at(m.ours, p.ours), at(m.theirs, p.theirs)
	may := func(by mergedBy) bool { return p.by == byNobody || p.by == by }
	step := func(b, o, t, n int, by mergedBy) {
		list = append(list, mergePlace{p.base + b, p.ours + o, p.theirs + t, p.merged + n, by})
	}
	if p.merged < len(m.merged) {
		switch l := m.merged[p.merged]; {
		case l.hunk:
			if may(byBoth) && begins(m.ours[p.ours:], l.ours) && begins(m.theirs[p.theirs:], l.theirs) {
				step(0, len(l.ours), len(l.theirs), 1, byBoth)
			}
		default:
			line := l.ours[0]
			if line == ours && line == theirs && line == base {
				step(1, 1, 1, 1, byNobody)
			}
			if line == ours && line == theirs && may(byBoth) {
				step(0, 1, 1, 1, byBoth)
			}
			if line == ours && may(byOurs) {
				step(0, 1, 0, 1, byOurs)
			}
			if line == theirs && may(byTheirs) {
				step(0, 0, 1, 1, byTheirs)
			}
		}
	}
	if base == 0 {
		return list
	}
	if base == theirs && may(byOurs) {
		step(1, 0, 1, 0, byOurs)
	}
	if base == ours && may(byTheirs) {
		step(1, 1, 0, 0, byTheirs)
	}
	if may(byBoth) {
		step(1, 0, 0, 0, byBoth)
	}
	return list
}

// at is the line's number, 0 behind the last.
func at(lines []int, i int) int {
	if i < len(lines) {
		return lines[i]
	}
	return 0
}

func begins(lines, with []int) bool {
	return len(lines) >= len(with) && slices.Equal(lines[:len(with)], with)
}
