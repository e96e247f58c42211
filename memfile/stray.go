package memfile

import (
	"regexp"
	"strings"
	"sync"
)

// Strays lists the byte ranges of what agents appended below the block's fence
// instead of inside it: indented list items, "- key: …", and deletions: or
// items: lines. Ordinary Markdown, lists included, is none. It looks at the
// text after the first yaml block (a whole text without one has no strays) and
// before our own notes.
func Strays(src []byte) [][2]int {
	p := scan(src)
	for i, f := range p.fences {
		if isYAML(f) && f.Closed {
			return strayRuns(string(src), page{p.fences[i:], p.notes})
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
		r.damage("stray-items", run[0], "memory below the block's fence, where it is not read")
	}
}

var (
	strayPair = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*- +[^\s].*?:( |$)`) })
	strayKey  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*- +["']?key["']?: +["']?[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)+["']?[ \t]*(#.*)?$`)
	})
	strayField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(saved_memory|deletions|[ \t]{2,}items):[ \t]*(\[\])?[ \t]*$|^items:[ \t]*\[\][ \t]*$|^[ \t]+deletions:[ \t]*(\[\])?[ \t]*$`)
	})
	bullet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*([-*+]|[0-9]{1,9}[.)])[ \t]`) })
)

// strayRuns looks below the first of the page's fences. A closed fence further
// down is documentation; an unclosed one is what appending left over, and its
// lines count as text.
func strayRuns(src string, p page) [][2]int {
	var runs [][2]int
	s := strayState{near: true, parent: -1}
	at, end := p.fences[0].End, p.notes
	for at < end {
		if f := closedFenceAt(p, at); f > at {
			at, s = f, strayState{parent: -1}
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

func closedFenceAt(p page, at int) int {
	for _, f := range p.fences[1:] {
		if f.Start == at && f.Closed {
			return f.End
		}
	}
	return -1
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
	switch {
	case text == "" || strings.HasPrefix(text, "```"):
		return strayNo
	case strayField().MatchString(line) || strayKey().MatchString(line):
		s.run, s.parent = indent+1, -1
		return strayYes
	case s.run > 0 && indent >= s.run:
		return strayGoesOn
	}
	item := bullet().MatchString(line)
	orphan := item && text[0] == '-' && indent >= 2 && (s.parent < 0 || indent < s.parent)
	if orphan && (s.run > 0 || s.near && (indent >= 4 || strayPair().MatchString(line))) {
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
