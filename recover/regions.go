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

// findRegions returns the parts of a file that are memory: its YAML blocks, what agents
// appended below them and, in a file without a YAML block, the document itself.
func findRegions(lines []line) []region {
	var found []region
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
		case isFence && f.yaml():
			endStrays()
			end, closed := endOfBlock(lines, i+1, f)
			block := lines[i+1 : end]
			if blocks == 0 || namesPart(block) {
				found = append(found, region{later: blocks > 0, lines: block, unclosed: !closed})
			}
			blocks++
			if i = end; !closed {
				i--
			}
		case l.stray, blocks > 0 && !isFence && (orphan(lines, i) || len(strays) > 0 && l.indent > strays[0].indent):
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

// orphan reports whether a list begins at line i that is indented as items are, below a
// blank line and no other list.
func orphan(lines []line, i int) bool {
	if !isBullet(lines[i]) || lines[i].indent < 4 || !lines[i-1].blank() {
		return false
	}
	for _, l := range slices.Backward(lines[:i]) {
		if !l.blank() {
			rest := strings.TrimLeft(l.body, "0123456789")
			return l.indent == 0 && !isBullet(l) && (rest == l.body || !strings.HasPrefix(rest, ". "))
		}
	}
	return false
}

// endOfBlock finds the end of a block whose lines begin at start: the fence that closes it or
// opens another YAML block. Of an unclosed block, what follows the first heading is prose.
func endOfBlock(lines []line, start int, f fence) (end int, closed bool) {
	for j := start; j < len(lines); j++ {
		if f.closes(lines[j]) {
			return j, true
		}
		if g, ok := fenceAt(lines[j]); ok && g.yaml() {
			return j, false
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
	onlyLists, some := true, false
	for i, l := range lines {
		if name, text, _ := field(l.body); name != "" && memfile.MeantHead(name) || isPart(name, text) && l.indent <= 2 || startsItem(lines, i) {
			end := endOfDocument(lines, i)
			if j := slices.IndexFunc(lines[i:end], func(l line) bool { f, ok := fenceAt(l); return ok && f.info == "" }); j >= 0 {
				end = i + j
			}
			return []region{{lines: lines[i:end], unclosed: end == len(lines)}}
		}
		some = some || isBullet(l)
		onlyLists = onlyLists && (l.blank() || heading(l) || isBullet(l) || some && l.indent > 0)
	}
	if some && onlyLists { // any prose makes it somebody's page
		return []region{{lines: lines}}
	}
	return nil
}

// startsItem reports whether an item in our shape begins at line i.
func startsItem(lines []line, i int) bool {
	content, _, _ := bullet(lines[i].body)
	name, _, _ := field(content)
	if name != "key" || i+1 == len(lines) {
		return false
	}
	next, _, _ := field(lines[i+1].body)
	return ourField(next)
}

// isPart reports whether "name: text" is the beginning of a list of the document.
func isPart(name, text string) bool {
	text = uncomment(text)
	return (name == "items" || name == "deletions") && (text == "" || text[0] == '[')
}

// namesPart reports whether any line names a part of the document.
func namesPart(lines []line) bool {
	for i, l := range lines {
		if name, text, _ := field(l.body); name == "saved_memory" || isPart(name, text) || startsItem(lines, i) {
			return true
		}
	}
	return false
}
