package recovery

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// region is a run of lines that is, or was meant to be, memory.
type region struct {
	later    bool // it is not the first block, or the only YAML of a file without one: that decides what it is worth
	unclosed bool // the file ends within the block, so that its last entry may be cut off
	lines    []line
}

// findFencedAndLoose returns the parts of a file that are memory: its YAML blocks, what agents
// appended below them and, in a file without a YAML block, the document itself.
func findFencedAndLoose(lines []line) (found []region) {
	var strays []line
	blocks := 0
	endStrays := func() {
		if len(strays) > 0 {
			found = append(found, region{later: true, lines: strays})
		}
		strays = nil
	}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		f, isFence := fenceAt(l)
		switch {
		case f.yaml:
			endStrays()
			end, closed := endOfBlock(lines, i+1, f)
			block := lines[i+1 : end]
			if blocks == 0 || slices.ContainsFunc(block, beginsPart) || startsItem(block) >= 0 {
				found = append(found, region{later: blocks > 0, lines: block, unclosed: !closed})
			}
			blocks++
			if i = end; !closed {
				i--
			}
		case l.stray, len(strays) > 0 && !isFence && l.indent > strays[0].indent:
			strays = append(strays, l)
		case !l.blank():
			endStrays()
		}
	}
	endStrays()
	if blocks == 0 {
		return unfenced(lines)
	}
	return found
}

// endOfBlock finds the end of a block whose lines begin at start: the fence that closes it or
// opens another YAML block. Of an unclosed block, what follows the first heading is prose.
func endOfBlock(lines []line, start int, f fence) (end int, closed bool) {
	for j := start; j < len(lines); j++ {
		g, ok := fenceAt(lines[j])
		if closed = ok && !g.info && strings.HasPrefix(g.mark, f.mark); closed || ok && g.yaml {
			return j, closed
		}
	}
	return endOfDocument(lines, start), false
}

func endOfDocument(lines []line, start int) int {
	for j := start + 1; j < len(lines); j++ {
		if heading(lines[j]) && lines[j].indent == 0 && lines[j-1].blank() {
			return j
		}
	}
	return len(lines)
}

// unfenced returns the memory of a file without a YAML block: the document from its first
// line on, wherever it begins, or all of a file of nothing but headings and lists.
func unfenced(lines []line) []region {
	start := slices.IndexFunc(lines, func(l line) bool {
		name, _, _ := field(l.body)
		return memfile.MeantHead(name) || beginsPart(l) && l.indent <= 2
	})
	if i := startsItem(lines); i >= 0 && (start < 0 || i < start) {
		start = i
	}
	if start >= 0 {
		end := endOfDocument(lines, start)
		if j := slices.IndexFunc(lines[start:end], func(l line) bool { f, ok := fenceAt(l); return ok && !f.info }); j >= 0 {
			end = start + j
		}
		return []region{{lines: lines[start:end], unclosed: end == len(lines)}}
	}
	some := false
	for _, l := range lines {
		some = some || isBullet(l)
		if !l.blank() && !heading(l) && !isBullet(l) && !(some && l.indent > 0) {
			return nil // any prose makes it somebody's page
		}
	}
	if some {
		return []region{{lines: lines}}
	}
	return nil
}

// startsItem is the first line with an item in our shape, -1 if there is none.
func startsItem(lines []line) int {
	for i := range lines[:max(len(lines)-1, 0)] {
		content, _, _ := bullet(lines[i].body)
		name, _, _ := field(content)
		if next, _, _ := field(lines[i+1].body); name == "key" && ourField(next) {
			return i
		}
	}
	return -1
}

// beginsPart reports whether a line is the beginning of the document or of one of its lists.
func beginsPart(l line) bool {
	name, text, _ := field(l.body)
	text = uncomment(text)
	return name == "saved_memory" || (name == "items" || name == "deletions") && (text == "" || text[0] == '[')
}
