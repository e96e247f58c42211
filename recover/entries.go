package recovery

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
)

// listEntry is one list item of memory, with the lines that belong to it. No line
// of it is indented less than its first.
type listEntry struct {
	later    bool // it is outside the first block
	deletion bool // it is in the list of deletions
	last     bool // the text ends with it, within its block: it may be cut off
	lines    []line
	fields   []chunk
}

// chunk is one field of an entry as text.
type chunk struct {
	name  string
	at    int  // the index of its first line in the entry
	moved int  // the columns by which that line is moved to the field's column
	line  line // the line, as "name: …" at the field's column
	rest  []line
}

// newEntry cuts an entry into its fields. A field begins where a name is at the fields' column or,
// for a name of ours, at another one outside of a block scalar: a line with another indentation
// or with a mark too many before its name is still that field.
func newEntry(lines []line) listEntry {
	e := listEntry{lines: lines}
	content, column := e.content()
	scalar := -1
	for i, l := range lines {
		if i == 0 {
			l.indent, l.body = column, content
		}
		bare := strings.TrimLeft(l.body, "-\"'`[{*+ ")
		name, _, ok := field(bare)
		ours := ok && ourField(name)
		n := len(e.fields)
		inScalar := scalar >= 0 && (l.indent > scalar || l.blank())
		child := n > 0 && l.indent >= e.fields[n-1].line.indent
		if child {
			child, _ = opensIndentedBlock(e.fields[n-1].line.body)
		}
		if !ok || inScalar || len(bare) != len(l.body) && !ours || l.indent != column && (!ours || child) {
			if n > 0 {
				e.fields[n-1].rest = append(e.fields[n-1].rest, l)
			}
			continue
		}
		l.body, scalar = bare, -1
		if _, opened := opensIndentedBlock(l.body); opened {
			scalar = l.indent
		}
		moved := column - l.indent
		l.indent = column
		e.fields = append(e.fields, chunk{name: name, at: i, moved: moved, line: l})
	}
	return e
}

// content is what follows the entry's mark, and its column.
func (e listEntry) content() (string, int) {
	text, column, _ := bullet(e.lines[0].body)
	return text, e.lines[0].indent + column
}

// mend writes the fields at one column, also those behind a tab, and quotes a text with a colon in it.
func (e listEntry) mend() {
	for _, c := range e.fields {
		lines := e.lines[c.at : c.at+1+len(c.rest)]
		for i := range lines {
			lines[i].indent, lines[i].mended = max(0, lines[i].indent+c.moved), true
		}
		if _, text, _ := field(c.line.body); c.name != "key" && isSentence(text) {
			l := &lines[0]
			l.body = l.body[:strings.LastIndex(l.body, text)] + yamltext.Quote(text, false)
		}
	}
}

// isSentence reports whether only a colon keeps a text from being a text in YAML. With the name of one of our fields before the
// colon it may be two joined lines.
func isSentence(text string) bool {
	colon := false
	for _, word := range strings.Fields(text) {
		name, ends := strings.CutSuffix(word, ":")
		if colon = colon || ends; ends && ourField(name) {
			return false
		}
	}
	return colon && unquoted(text) == text && !strings.ContainsAny(text[:1], "\"'[]{},|>&*!%@`#?-")
}

// has reports whether the entry has a field of that name, also as a map in brackets.
func (e listEntry) has(name string) bool {
	content, _ := e.content()
	return slices.ContainsFunc(e.fields, func(c chunk) bool { return c.name == name }) ||
		strings.HasPrefix(content, "{") && strings.Contains(content, name)
}

// ours reports whether an entry is a record in our form, or was one.
func (e listEntry) ours() bool { return e.has("key") || e.has("removed") && e.has("value") }

// tombstone reports whether an entry of ours says that something was forgotten.
func (e listEntry) tombstone() bool {
	return e.has("removed") || e.deletion && !e.has("confidence") && !e.has("added") && !e.has("source")
}

// text is an entry's text on one line, with its comment marks: whoever wrote it meant text.
func (e listEntry) text() string {
	content, _ := e.content()
	if _, scalar := opensIndentedBlock(content); scalar && !strings.Contains(content, " ") {
		content = ""
	}
	return oneLine(content, e.lines[1:])
}

// text is a field's value as written, on one line.
func (c chunk) text() string {
	_, text, _ := field(c.line.body)
	return oneLine(text, c.rest)
}

func oneLine(text string, rest []line) string {
	for _, l := range rest {
		text += " " + strings.TrimSpace(l.body)
	}
	return strings.Join(strings.Fields(text), " ")
}

// yaml is an entry with everything indented by four or more, where no line can end a fence.
func (e listEntry) yaml() string {
	var b strings.Builder
	for i, l := range e.lines {
		body := l.body
		if i == 0 {
			body = "-" + body[1:] // YAML knows one mark for a list item
		}
		if !l.blank() {
			b.WriteString(strings.Repeat(" ", 4+max(0, min(l.indent-e.lines[0].indent, 200))) + body)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ourField reports whether an item or a tombstone has a field of this name.
func ourField(name string) bool {
	switch name {
	case "key", "value", "added", "updated", "conflict", "removed", "reason":
		return true
	}
	l := labels.Labels{}
	fields := l.Fields()
	return slices.ContainsFunc(fields[:], func(f labels.Field) bool { return f.Name == name })
}

// header is what a file says beside its records.
type header struct {
	on      map[string]bool // the switches that it has
	version int
}

// scanned is a region cut into its entries.
type scanned struct {
	entries    []listEntry
	unreadable []int // lines that are nothing
	noBool     []int // lines of settings that are not booleans
}

// scan cuts a region into entries and reads its settings. Of a switch that is there twice, false
// wins, and what is no boolean counts as false.
func scan(r region, h *header) (s scanned) {
	deletions := false
	lastLine := 0
	for i := 0; i < len(r.lines); i++ {
		l := r.lines[i]
		name, text, isField := field(l.body)
		text = uncomment(text)
		_, isFence := fenceAt(l)
		if !l.blank() {
			lastLine = i
		}
		switch {
		case l.blank(), isFence, strings.HasPrefix(l.body, "#"), l.body == "---", l.body == "...":
		case isBullet(l):
			end := entryEnd(r.lines, i)
			e := newEntry(r.lines[i:end])
			e.later, e.deletion = r.later, deletions
			s.entries = append(s.entries, e)
			i, lastLine = end-1, end-1
		case name == "enabled" || name == "announce_writes":
			was, found := h.on[name]
			on, err := strconv.ParseBool(text)
			if h.on[name] = on && len(text) == 4 && (was || !found); err != nil || len(text) < 4 {
				s.noBool = append(s.noBool, l.n)
			}
		case name == "version":
			if n, err := strconv.Atoi(text); err == nil && !r.later { // what was appended does not decide the format
				h.version = max(h.version, n)
			}
		case name == "updated" && !strings.Contains(text, " "):
		case isField && (text == "" || text == "[]") && !ourField(name):
			deletions = name == "deletions" && text == "" // agents append items after a list that is closed
		default:
			s.unreadable = append(s.unreadable, l.n)
		}
	}
	if n := len(s.entries); r.unclosed && n > 0 {
		lines := s.entries[n-1].lines
		s.entries[n-1].last = lines[len(lines)-1].n == r.lines[lastLine].n
	}
	return s
}

// entryEnd returns the line after the list item that begins at line i. Lines that are
// indented deeper belong to it; a list item among them only where a name or a block scalar
// was opened that it can belong to, for a badly indented neighbour is likelier than a list
// under a sentence.
func entryEnd(lines []line, i int) int {
	n := lines[i].indent
	content, column, _ := bullet(lines[i].body)
	open := -1
	if any, scalar := opensIndentedBlock(content); scalar {
		open = n
	} else if any {
		open = n + column
	}
	end := i + 1
	for j := i + 1; j < len(lines); j++ {
		l := lines[j]
		if l.blank() {
			continue
		}
		_, isFence := fenceAt(l)
		inside := open >= 0 && (l.indent > open || l.indent == open && isBullet(l))
		name, _, _ := field(l.body)
		outdented := l.indent >= 4 && name != "key" && name != "removed" && ourField(name) // as with a tab
		if l.indent <= n && !outdented || (isBullet(l) || isFence) && !inside {
			break
		}
		if !inside {
			open = -1
			if any, _ := opensIndentedBlock(l.body); any {
				open = l.indent
			}
		}
		end = j + 1
	}
	return end
}
