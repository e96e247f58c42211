package recovery

import (
	"strings"

	"github.com/memctl/memctl/memfile"
)

// section is the part of a document that a line is in.
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
	last    bool // the text ends with it, within its block: it may be cut off
	lines   []line
}

func (e entry) line() int { return e.lines[0].n }

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

// set notes what a place says about a setting: false wins, and what is no boolean is false.
func (s *switches) set(name, text string) {
	target := &s.enabled
	if name == "announce_writes" {
		target = &s.announce
	}
	on := readBool(text) && (*target == nil || **target)
	*target = &on
}

// scanner reads one region, line by line.
type scanner struct {
	place      place
	section    section
	column     int // indentation of the section's name
	entries    []entry
	unreadable []int // lines that are nothing
	switches   *switches
	noBool     []int // lines of settings that are no booleans
}

// scanRegion cuts a region into entries and reads its settings. What it cannot read, it names.
func scanRegion(r region, sw *switches) *scanner {
	s := &scanner{place: r.place, column: -1, switches: sw}
	for i := 0; i < len(r.lines); {
		next := s.step(r.lines, i)
		if next == i {
			s.unreadable = append(s.unreadable, r.lines[i].n)
			next++
		}
		i = next
	}
	if n := len(s.entries); r.unclosed && n > 0 {
		lines := s.entries[n-1].lines
		s.entries[n-1].last = lines[len(lines)-1].n == lastLine(r.lines)
	}
	return s
}

// lastLine is the number of the last line that is not blank.
func lastLine(lines []line) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if !lines[i].blank() {
			return lines[i].n
		}
	}
	return 0
}

// step takes what begins at line i and returns the line after it, or i where
// it cannot tell what the line is.
func (s *scanner) step(lines []line, i int) int {
	l := lines[i]
	name, text, isField := field(l.body)
	_, isFence := fenceAt(l)
	switch {
	case l.blank(), isFence, strings.HasPrefix(l.body, "#"), l.body == "---", l.body == "...":
		return i + 1
	case isBullet(l):
		end := entryEnd(lines, i)
		s.add(lines[i:end])
		return end
	case isField && s.setting(l, name, text):
		return i + 1
	case isField && s.part(l, name, text):
		return s.flow(lines, i)
	case s.section != inSettings && s.column >= 0 && l.indent > s.column && isPair(l.body):
		return s.mapped(lines, i)
	case isField && uncomment(text) == "" && s.column < 0:
		return i + 1 // the name of a list in a block of another shape
	}
	return i
}

func (s *scanner) add(lines []line) {
	s.entries = append(s.entries, entry{place: s.place, section: s.section, lines: lines})
}

// setting reads a line of the settings, and the settings in brackets.
func (s *scanner) setting(l line, name, text string) bool {
	text = uncomment(text)
	meant := memfile.MeantSection(name)
	switch {
	case name == "version":
		if s.place == first { // what was appended does not decide the format
			s.switches.version = max(s.switches.version, readVersion(text))
		}
	case name == "updated" && !strings.Contains(text, " "):
	case meant == "settings" && strings.HasPrefix(text, "{"):
		for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			name, text, _ := strings.Cut(pair, ":")
			if name = strings.Trim(name, "\"' "); memfile.MeantSection(name) != "" {
				s.setting(l, name, strings.Trim(text, "\"' "))
			}
		}
		s.section, s.column = inSettings, l.indent
	case (meant == "enabled" || meant == "announce_writes") && (name == meant || s.section == inSettings):
		if strings.HasPrefix(strings.ToLower(name), "dis") {
			text = map[bool]string{true: "false", false: "true"}[readBool(text)]
		}
		if !isBool(text) {
			s.noBool = append(s.noBool, l.n)
		}
		s.switches.set(meant, text)
	default:
		return false
	}
	return true
}

// part enters the part of the document that the line opens, and reports whether it opens one.
func (s *scanner) part(l line, name, text string) bool {
	text = uncomment(text)
	if text != "" && text[0] != '[' && text[0] != '{' {
		return false
	}
	meant := memfile.MeantSection(name)
	switch {
	case memfile.MeantHead(name):
		s.section, s.column = inItems, -1
	case meant == "items":
		s.section, s.column = inItems, l.indent
	case meant == "settings":
		s.section, s.column = inSettings, l.indent
	case meant == "deletions" && text == "":
		s.section, s.column = inDeletions, l.indent
	case meant == "deletions":
		s.section, s.column = inItems, -1 // the list is closed: what agents append after it are items
	default:
		return false
	}
	return true
}

// flow takes the members of a list in brackets, over one or more lines, as entries of their
// own, and returns the line after it.
func (s *scanner) flow(lines []line, i int) int {
	l := lines[i]
	name, text, _ := field(l.body)
	end, depth := i+1, balance(text)
	for ; depth > 0 && end < len(lines) && !isBullet(lines[end]); end++ {
		text += "\n " + lines[end].body
		depth += balance(lines[end].body)
	}
	if uncomment(text) == "" || depth != 0 || end == i+1 && !strings.HasPrefix(text, "[") {
		return i + 1
	}
	v, err := memfile.ParseValue(text)
	if err != nil {
		return i + 1
	}
	was := s.section
	if memfile.MeantSection(name) == "deletions" {
		s.section = inDeletions
	}
	for _, m := range v.List {
		if json, err := m.MarshalJSON(); err == nil { // JSON is YAML
			s.add([]line{{n: l.n, indent: l.indent + 2, body: "- " + string(json)}})
		}
	}
	s.section = was
	return end
}

// balance counts the brackets that stay open, quotes aside: a rough measure,
// since what is read wrongly fails to parse.
func balance(text string) int {
	return strings.Count(text, "[") + strings.Count(text, "{") - strings.Count(text, "]") - strings.Count(text, "}")
}

// isPair reports whether a line is "name: text", and no field of an item that lost its first line.
func isPair(body string) bool {
	if name, _, ok := field(body); ok {
		return !ourField(name) || name == "key"
	}
	_, _, ok := cutTitle(strings.TrimSpace(body))
	return ok
}

// mapped takes one "name: text" of a section that is a map as the list item with that pair,
// and a name with fields of ours below it as the record with that key.
func (s *scanner) mapped(lines []line, i int) int {
	l := lines[i]
	end := i + 1
	for end < len(lines) && (lines[end].blank() || lines[end].indent > l.indent) {
		end++
	}
	for lines[end-1].blank() {
		end--
	}
	item := append([]line{}, lines[i:end]...)
	item[0].body = "- " + l.body
	name, text, _ := field(l.body)
	if uncomment(text) == "" && len(item) > 1 && memfile.KeyForm(name) {
		if child, _, _ := field(item[1].body); ourField(child) {
			item[0].body, item[0].indent = "- key: "+name, max(0, item[1].indent-2)
			s.add(item)
			return end
		}
	}
	for j := range item[1:] {
		item[j+1].indent += 2
	}
	s.add(item)
	return end
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

func isBool(text string) bool { return readBool(text) || strings.EqualFold(text, "false") }

// readBool is true for a YAML true alone: what is no boolean counts as false.
func readBool(text string) bool { return text == "true" || text == "True" || text == "TRUE" }

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
