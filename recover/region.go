package recovery

import "strings"

// place says where memory was found, which decides what it is worth.
type place uint8

const (
	first place = iota // the first block, or the only YAML of a file without a block
	later              // a later block, or below a fence
)

// region is a run of lines that is, or was meant to be, memory.
type region struct {
	place place
	lines []line
}

// finder walks over the lines outside and inside of fences.
type finder struct {
	lines   []line
	hasYAML bool // the file has a fenced YAML block somewhere
	taken   bool // the first block, or what stands for it, is found
	found   []region
}

// findRegions finds what is memory in a file: fenced YAML blocks, strays below
// them, and a document whose fence is missing. Lists in ordinary prose are not.
func findRegions(lines []line) []region {
	f := &finder{lines: lines}
	f.hasYAML = f.anyYAMLFence()
	zone := false // strays are expected: nothing but memory since the last block
	for i := 0; i < len(lines); {
		l := lines[i]
		fc, isFence := fenceAt(l)
		switch {
		case isFence && fc.yaml():
			i = f.block(i, fc)
			zone = true
		case isFence && (!zone || fc.info != ""):
			zone = false
			i = f.otherFence(i, fc)
		case l.blank():
			i++
		case (zone && looseLine(l)) || f.startsLoose(i):
			i = f.loose(i)
			zone = true
		default:
			zone = isFence && fc.info == ""
			i++
		}
	}
	if len(f.found) == 0 && !f.hasYAML && onlyLists(lines) {
		f.found = append(f.found, region{first, lines})
	}
	return f.found
}

func (f *finder) anyYAMLFence() bool {
	for _, l := range f.lines {
		if fc, ok := fenceAt(l); ok && fc.yaml() {
			return true
		}
	}
	return false
}

func (f *finder) add(p place, lines []line) {
	if len(lines) > 0 {
		f.found = append(f.found, region{p, lines})
	}
}

// nextPlace is first for the first block of the file and later for the rest.
func (f *finder) nextPlace() place {
	if f.taken {
		return later
	}
	f.taken = true
	return first
}

// block takes a fenced YAML block that opens at line i; it returns the line
// after it. A fence that opens another YAML block ends it too: no document
// holds one, and a missing end should not swallow the next block.
func (f *finder) block(i int, fc fence) int {
	start := i + 1
	for j := start; j < len(f.lines); j++ {
		if fc.closes(f.lines[j]) {
			f.addBlock(f.lines[start:j])
			return j + 1
		}
		if next, ok := fenceAt(f.lines[j]); ok && next.yaml() {
			f.addBlock(f.lines[start:j])
			return j
		}
	}
	end := endOfUnclosed(f.lines, start)
	f.addBlock(f.lines[start:end])
	return end
}

// addBlock keeps the place of the first block taken, even when it is empty or
// no memory: what comes after it is later.
func (f *finder) addBlock(lines []line) {
	if p := f.nextPlace(); p == first || hasSections(lines) {
		f.found = append(f.found, region{p, lines})
	}
}

// endOfUnclosed finds where the prose begins that an unclosed fence swallowed:
// at the first Markdown heading after a blank line.
func endOfUnclosed(lines []line, start int) int {
	for j := start + 1; j < len(lines); j++ {
		if heading(lines[j]) && lines[j].indent == 0 && lines[j-1].blank() {
			return j
		}
	}
	return len(lines)
}

// otherFence skips a fenced block that is no YAML, unless it is the document
// under the wrong name; it returns the line after it. A fence that never
// closes is passed over alone.
func (f *finder) otherFence(i int, fc fence) int {
	for j := i + 1; j < len(f.lines); j++ {
		if !fc.closes(f.lines[j]) {
			continue
		}
		if !f.hasYAML && hasDocument(f.lines[i+1:j]) {
			f.add(f.nextPlace(), f.lines[i+1:j])
		}
		return j + 1
	}
	return i + 1
}

// loose takes a run of memory outside of fences that begins at line i; it
// returns the line after it. It ends at the first line that reads as prose.
func (f *finder) loose(i int) int {
	p := later
	if !f.hasYAML {
		p = f.nextPlace()
	}
	start, j := i, i
	for j < len(f.lines) {
		l := f.lines[j]
		fc, isFence := fenceAt(l)
		switch {
		case isFence && fc.info != "":
			f.add(p, f.lines[start:j])
			return j
		case isBullet(l):
			j = entryEnd(f.lines, j)
		case l.blank() || looseLine(l) || isFence:
			j++
		case j > start && l.indent > 0 && inSection(f.lines[start:j]):
			j++
		default:
			f.add(p, f.lines[start:j])
			return j
		}
	}
	f.add(p, f.lines[start:j])
	return j
}

// inSection reports whether the last line that is not blank is a section's or
// part of one, so that an indented line after it is not prose.
func inSection(lines []line) bool {
	for j := len(lines) - 1; j >= 0; j-- {
		if lines[j].blank() {
			continue
		}
		return !isBullet(lines[j])
	}
	return false
}

// looseLine reports whether a line may stand in a run of strays.
func looseLine(l line) bool {
	return isBullet(l) || sectionLine(l)
}

// sectionLine reports whether the line is one of the document's own names,
// with a value that such a name has.
func sectionLine(l line) bool {
	name, text, ok := field(l.body)
	if !ok {
		return false
	}
	text = uncomment(text)
	simple := text == "" || text[0] == '[' || text[0] == '{'
	switch name {
	case "saved_memory", "settings", "items", "deletions":
		return simple
	case "enabled", "announce_writes", "version", "updated":
		return !strings.Contains(text, " ")
	}
	return false
}

// startsLoose reports whether memory without a fence begins at line i, out of
// prose: a document's own line, an item in our shape, or, in a file with a
// block, a list indented as items are that hangs under no list of prose.
func (f *finder) startsLoose(i int) bool {
	l := f.lines[i]
	if name, _, _ := field(l.body); sectionLine(l) && (name == "saved_memory" || name == "items" || name == "deletions") {
		return true
	}
	content, _, ok := bullet(l.body)
	if !ok || l.stray {
		return ok
	}
	if name, _, ok := field(content); ok && name == "key" && i+1 < len(f.lines) {
		next, _, ok := field(f.lines[i+1].body)
		return ok && ourField(next)
	}
	return f.hasYAML && len(f.found) > 0 && l.indent >= 4 && !f.nested(i)
}

// nested reports whether the line hangs under a list item or paragraph.
func (f *finder) nested(i int) bool {
	if i == 0 || !f.lines[i-1].blank() {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		l := f.lines[j]
		if l.blank() {
			continue
		}
		return isBullet(l) || numbered(l.body) || l.indent > 0
	}
	return false
}

// numbered reports whether the line is an item of a numbered list.
func numbered(body string) bool {
	rest := strings.TrimLeft(body, "0123456789")
	return len(rest) < len(body) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// hasSections reports whether any line names a part of the document.
func hasSections(lines []line) bool {
	for _, l := range lines {
		if name, _, ok := field(l.body); ok && (name == "saved_memory" || name == "items" || name == "deletions") {
			return true
		}
		if content, _, ok := bullet(l.body); ok && strings.HasPrefix(content, "key:") {
			return true
		}
	}
	return false
}

func hasDocument(lines []line) bool {
	for _, l := range lines {
		if name, _, ok := field(l.body); ok && name == "saved_memory" {
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

// entryEnd returns the line after the list item that begins at line i. Lines
// that are indented deeper belong to it; a list item among them only where a
// name or a block scalar was opened that it can belong to, for a badly
// indented neighbour is likelier than a list under a sentence.
func entryEnd(lines []line, i int) int {
	n := lines[i].indent
	content, column, _ := bullet(lines[i].body)
	open := -1
	if opens(content) {
		open = n + column
		if opensScalar(content) {
			open = n
		}
	}
	end := i + 1
	for j := i + 1; j < len(lines); j++ {
		l := lines[j]
		if l.blank() {
			continue
		}
		inside := open >= 0 && (l.indent > open || l.indent == open && isBullet(l))
		if l.indent <= n || (isBullet(l) && !inside) {
			break
		}
		if _, isFence := fenceAt(l); isFence && !inside {
			break
		}
		if !inside {
			open = -1
			if opens(l.body) {
				open = l.indent
			}
		}
		end = j + 1
	}
	return end
}
