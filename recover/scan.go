package recovery

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// section is the part of a document that a line stands in.
type section uint8

const (
	inItems section = iota
	inDeletions
	inSettings
)

// entry is one list item of memory, with the lines that belong to it. No line
// of it is indented less than its first.
type entry struct {
	place   place
	section section
	plain   bool // it and all entries of its section so far are foreign, at one indentation
	kind    kind
	mended  bool // a field had to be quoted
	doubt   bool // and its value may not be what was meant
	lines   []line
}

func (e entry) line() int { return e.lines[0].n }

func (e entry) end() int { return e.lines[len(e.lines)-1].n }

// content is what follows the entry's mark, and its column.
func (e entry) content() (string, int) {
	text, column, _ := bullet(e.lines[0].body)
	return text, e.lines[0].indent + column
}

// switches are the settings as found: nil where there was none.
type switches struct {
	enabled  *bool
	announce *bool
	version  int
}

// and combines what two places say: false wins.
func (s *switches) and(o switches) {
	s.enabled = andBool(s.enabled, o.enabled)
	s.announce = andBool(s.announce, o.announce)
	s.version = max(s.version, o.version)
}

func andBool(a, b *bool) *bool {
	switch {
	case a == nil:
		return b
	case b == nil || !*a:
		return a
	}
	return b
}

// found is what a scan makes of one region or file.
type found struct {
	entries         []entry
	switches        switches
	firstUnreadable []int   // the first line of each run that could not be read
	unreadable      lineSet // all such lines
	noBool          []int   // the lines of settings that are no booleans
}

// scanner reads one region, line by line.
type scanner struct {
	found
	place   place
	section section
	column  int  // indentation of the section's name
	level   int  // indentation of the section's first entry; -1 before it
	plain   bool // all entries of the section so far are foreign
}

// scan reads a region. It never fails: what it cannot read, it names.
func scan(r region) found {
	s := &scanner{place: r.place, level: -1, column: -1, plain: true}
	bad := false
	for i := 0; i < len(r.lines); {
		l := r.lines[i]
		next := s.step(r.lines, i)
		if next > i {
			bad = bad && l.blank()
			i = next
			continue
		}
		if !bad {
			s.firstUnreadable = append(s.firstUnreadable, l.n)
		}
		s.unreadable.add(l.n)
		bad = true
		i++
	}
	return s.found
}

// step takes what begins at line i and returns the line after it, or i where
// it cannot tell what the line is.
func (s *scanner) step(lines []line, i int) int {
	l := lines[i]
	_, isFence := fenceAt(l)
	switch {
	case l.blank(), isFence, strings.HasPrefix(l.body, "#"), l.body == "---", l.body == "...":
		return i + 1
	case isBullet(l):
		end := entryEnd(lines, i)
		s.addEntry(lines[i:end])
		return end
	case sectionLine(l), s.section == inSettings && isSwitch(l):
		return s.sectionLine(lines, i)
	case s.section != inSettings && s.column >= 0 && l.indent > s.column:
		return s.mapped(lines, i)
	}
	if s.flowSettings(l) {
		return i + 1
	}
	if name, text, ok := field(l.body); ok && uncomment(text) == "" && s.column < 0 && name != "" {
		return i + 1 // the name of a list in a block of another shape
	}
	return i
}

// isSwitch reports whether the line is a setting, whatever its value: one that
// is no boolean counts as false.
func isSwitch(l line) bool {
	name, _, ok := field(l.body)
	return ok && (name == "enabled" || name == "announce_writes")
}

func (s *scanner) addEntry(lines []line) {
	if s.level < 0 {
		s.level = lines[0].indent
	}
	e := entry{place: s.place, section: s.section, plain: s.plain && lines[0].indent == s.level, lines: lines}
	e.kind = judge(e)
	s.plain = s.plain && e.kind == aForeign
	s.entries = append(s.entries, e)
}

// sectionLine takes one of the document's own names.
func (s *scanner) sectionLine(lines []line, i int) int {
	l := lines[i]
	name, text, _ := field(l.body)
	text = uncomment(text)
	if (name == "enabled" || name == "announce_writes") && !isBool(text) {
		s.noBool = append(s.noBool, l.n)
	}
	switch name {
	case "items", "saved_memory":
		s.enter(inItems, l.indent)
		if name == "saved_memory" {
			s.column = -1
		}
	case "deletions":
		s.enter(inDeletions, l.indent)
		if text != "" {
			// An empty list is closed: what agents append after it are items.
			s.enter(inItems, -1)
		}
	case "settings":
		s.enter(inSettings, l.indent)
	case "enabled":
		s.switches.and(switches{enabled: readBool(text)})
	case "announce_writes":
		s.switches.and(switches{announce: readBool(text)})
	case "version":
		s.switches.and(switches{version: readVersion(text)})
	}
	if text == "" || strings.HasPrefix(text, "[]") || (text[0] != '[' && text[0] != '{') {
		return i + 1
	}
	return s.flow(lines, i, name)
}

func (s *scanner) enter(to section, column int) {
	s.section, s.column, s.level, s.plain = to, column, -1, true
}

// mapped takes one "name: text" of a section that is a map: the same
// as a list item with that pair.
func (s *scanner) mapped(lines []line, i int) int {
	l := lines[i]
	if _, _, ok := cutTitle(strings.TrimSpace(l.body)); !ok {
		if name, _, isField := field(l.body); !isField || name == "" {
			return i
		}
	}
	end := i + 1
	for end < len(lines) && (lines[end].blank() || lines[end].indent > l.indent) {
		end++
	}
	for end > i+1 && lines[end-1].blank() {
		end--
	}
	s.addEntry(asItem(lines[i:end]))
	return end
}

// asItem turns "name: text" into the lines of a list item, and a name with
// fields of ours below it into an item with that key.
func asItem(lines []line) []line {
	out := make([]line, len(lines))
	copy(out, lines)
	name, text, ok := field(lines[0].body)
	if ok && uncomment(text) == "" && len(lines) > 1 && memfile.KeyForm(name) {
		if child, _, isField := field(lines[1].body); isField && ourField(child) {
			out[0].body = "- key: " + name
			out[0].indent = max(0, lines[1].indent-2)
			return out
		}
	}
	out[0].body = "- " + lines[0].body
	for i := range out[1:] {
		out[i+1].indent += 2
	}
	return out
}

func isBool(text string) bool {
	return text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" || text == "FALSE"
}

// readBool is true for a YAML true alone: what is no boolean counts as false.
func readBool(text string) *bool {
	b := text == "true" || text == "True" || text == "TRUE"
	return &b
}

func readVersion(text string) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' || n > 1_000_000 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
