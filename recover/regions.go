package recovery

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// place says where memory was found, which decides what it is worth.
type place uint8

const (
	first place = iota // the first block, or the only YAML of a file without a block
	later              // a later block, or below a fence
)

// region is a run of lines that is, or was meant to be, memory.
type region struct {
	place    place
	lines    []line
	unclosed bool // the file ends within the block, so that its last entry may be cut off
}

// findRegions returns the parts of a file that are memory: its YAML blocks, the strays that
// memfile reports below them and, in a file without a YAML block, the document itself.
func findRegions(lines []line) []region {
	var found []region
	var strays []line
	blocks := 0
	endStrays := func() {
		if len(strays) > 0 {
			found = append(found, region{place: later, lines: strays})
		}
		strays = nil
	}
	for i := 0; i < len(lines); {
		l := lines[i]
		f, isFence := fenceAt(l)
		switch {
		case isFence && f.yaml():
			endStrays()
			end, next, closed := endOfBlock(lines, i+1, f)
			block := region{place: later, lines: lines[i+1 : end], unclosed: !closed}
			if blocks == 0 {
				block.place = first
			}
			if blocks == 0 || namesPart(block.lines) {
				found = append(found, block)
			}
			blocks++
			i = next
			continue
		case l.stray, blocks > 0 && !isFence && (orphan(lines, i) || len(strays) > 0 && l.indent > strays[0].indent):
			strays = append(strays, l)
		case !l.blank():
			endStrays()
		}
		i++
	}
	endStrays()
	if blocks == 0 {
		return unfenced(lines)
	}
	return found
}

// orphan reports whether a list begins at line i that is indented as items are, under no
// other list and no paragraph.
func orphan(lines []line, i int) bool {
	if !isBullet(lines[i]) || lines[i].indent < 4 || !lines[i-1].blank() {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if l := lines[j]; !l.blank() {
			marker := strings.TrimLeft(l.body, "0123456789")
			return l.indent == 0 && !isBullet(l) && (marker == l.body || !strings.HasPrefix(marker, ". "))
		}
	}
	return false
}

// endOfBlock finds the end of a block whose lines begin at start, and the line after it. A
// fence that opens another YAML block ends it too. Of an unclosed block, what follows the
// first heading is prose.
func endOfBlock(lines []line, start int, f fence) (end, next int, closed bool) {
	for j := start; j < len(lines); j++ {
		if f.closes(lines[j]) {
			return j, j + 1, true
		}
		if g, ok := fenceAt(lines[j]); ok && g.yaml() {
			return j, j, false
		}
	}
	end = endOfDocument(lines, start)
	return end, end, false
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
// line on, wherever it begins, or all of a file of nothing but lists.
func unfenced(lines []line) []region {
	for i, l := range lines {
		name, text, ok := field(l.body)
		if !ok || !memfile.MeantHead(name) && (!isPart(name, text) || l.indent > 2) && !startsItem(lines, i) {
			continue
		}
		end := endOfDocument(lines, i)
		for j := i; j < end; j++ {
			if f, isFence := fenceAt(lines[j]); isFence && f.info == "" {
				end = j
			}
		}
		return []region{{place: first, lines: lines[i:end], unclosed: end == len(lines)}}
	}
	if onlyLists(lines) {
		return []region{{place: first, lines: lines}}
	}
	return nil
}

// startsItem reports whether an item in our shape begins at line i.
func startsItem(lines []line, i int) bool {
	content, _, ok := bullet(lines[i].body)
	name, _, _ := field(content)
	if !ok || name != "key" || i+1 == len(lines) {
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

// onlyLists reports whether the file is nothing but headings and lists: then
// they are what it was to remember. Any prose makes it somebody's page.
func onlyLists(lines []line) bool {
	some := false
	for i := 0; i < len(lines); {
		switch l := lines[i]; {
		case l.blank() || heading(l):
			i++
		case isBullet(l):
			some = true
			i = entryEnd(lines, i)
		default:
			return false
		}
	}
	return some
}
