package recovery

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// grade says how surely a record was read.
type grade uint8

const (
	sound    grade = iota // it can be read by itself, in the first block
	outside               // it can be read by itself, elsewhere
	salvaged              // it was made of what cannot be read
)

// record is one item or tombstone read out of an entry.
type record struct {
	item   *memfile.Item
	tomb   *memfile.Tombstone
	grade  grade
	line   int    // 1-based, in the source
	last   bool   // the text may be cut off in it
	slug   string // of an item that states no key, from which its key is made
	phrase string // of such an item: its whole text
}

// readBudget bounds the bytes that are parsed as YAML to read entries one by
// one. Beyond it entries are read as text alone: a file that needs more than
// this was made to cost time.
const readBudget = 6 << 20

// reader turns entries into records.
type reader struct {
	name   string
	today  string
	budget int
}

// read reads each entry: those that are maps of ours through memfile, so that they mean what
// they would mean in a sound file, and the rest as text. A record is nil where nothing can be
// made of its entry.
func (r *reader) read(entries []entry) []*record {
	var ours []entry
	for _, e := range entries {
		if isOurs(e) {
			ours = append(ours, e)
		}
	}
	read := r.batch(ours)
	out := make([]*record, len(entries))
	for i, e := range entries {
		var rec *record
		switch {
		case !isOurs(e) && e.section == inDeletions && !isAppended(e):
		case !isOurs(e):
			rec = r.textRecord(e)
		default:
			rec, read = read[0], read[1:]
			switch {
			case rec != nil:
			case isTombstone(e):
				rec = r.salvageTombstone(e)
			default:
				rec = r.salvage(e)
			}
		}
		if rec != nil {
			rec.line, rec.last = e.line(), e.last
			if rec.grade == sound && e.place == later {
				rec.grade = outside
			}
		}
		out[i] = rec
	}
	return out
}

// batch reads entries of ours: all at once if they are sound together, else by halves, until
// each that is not sound is by itself; for that one it returns nil.
func (r *reader) batch(entries []entry) []*record {
	if len(entries) == 0 {
		return nil
	}
	if out := r.parse(entries); out != nil {
		return out
	}
	if len(entries) == 1 {
		return []*record{nil}
	}
	half := len(entries) / 2
	return append(r.batch(entries[:half]), r.batch(entries[half:])...)
}

// parse reads the entries as one document of their own; nil if it is not sound.
func (r *reader) parse(entries []entry) []*record {
	var items, tombs strings.Builder
	for _, e := range entries {
		if isTombstone(e) {
			writeEntry(&tombs, e)
		} else {
			writeEntry(&items, e)
		}
	}
	src := "```yaml\nsaved_memory:\n  items:\n" + items.String() + "deletions:\n" + tombs.String() + "```\n"
	if r.budget -= len(src); r.budget < 0 {
		return nil
	}
	f, _ := memfile.Parse(r.name, []byte(src))
	if f == nil {
		return nil
	}
	doc := f.Document()
	out := make([]*record, len(entries))
	for i, e := range entries {
		out[i] = &record{}
		switch {
		case isTombstone(e) && len(doc.Deletions) > 0:
			t := doc.Deletions[0].Tidied()
			t.Line, t.Column = 0, 0
			if t.Removed == "" {
				t.Removed = r.today // so that what was forgotten stays forgotten
			}
			out[i].tomb, doc.Deletions = &t, doc.Deletions[1:]
		case !isTombstone(e) && len(doc.Items) > 0:
			it := doc.Items[0].Tidied()
			it.Line, it.Column = 0, 0
			if it.Value.Kind == memfile.Null {
				out[i].grade = salvaged
			}
			out[i].item, doc.Items = &it, doc.Items[1:]
		default:
			return nil
		}
	}
	if len(doc.Items)+len(doc.Deletions) > 0 {
		return nil
	}
	return out
}

// writeEntry writes an entry with everything indented by four or more, where no line can end
// a fence.
func writeEntry(b *strings.Builder, e entry) {
	base := e.lines[0].indent
	for i, l := range e.lines {
		if l.blank() {
			b.WriteByte('\n')
			continue
		}
		body := l.body
		if i == 0 && body[0] != '-' {
			body = "-" + body[1:] // YAML knows one mark for a list item
		}
		b.WriteString(strings.Repeat(" ", 4+max(0, min(l.indent-base, 200))))
		b.WriteString(body)
		b.WriteByte('\n')
	}
}

// isOurs reports whether an entry is a map with a key, or was one: one of its fields is "key"
// or it begins with the value.
func isOurs(e entry) bool {
	names := fieldNames(e)
	return slices.Contains(names, "key") || slices.Contains(names, "removed") && slices.Contains(names, "value")
}

// isTombstone reports whether an entry of ours says that something was forgotten.
func isTombstone(e entry) bool {
	names := fieldNames(e)
	has := func(name string) bool { return slices.Contains(names, name) }
	return has("removed") || e.section == inDeletions && !has("confidence") && !has("added") && !has("source")
}

// isAppended reports whether an entry among the deletions is a text that somebody appended
// to the file: it names neither a key nor a field of a tombstone.
func isAppended(e entry) bool {
	title, text, paired := cutTitle(entryText(e))
	for _, word := range strings.Fields(title + ": " + text) {
		if name, ok := strings.CutSuffix(word, ":"); ok && (ourField(strings.Trim(name, "-\"'`")) || memfile.KeyForm(name)) {
			return false
		}
	}
	return paired && !memfile.KeyForm(title)
}

// chunk is one field of an entry as text.
type chunk struct {
	name string
	line line // its first line, as "name: …" at the field's column
	rest []line
}

// fieldNames lists the names of an entry's fields.
func fieldNames(e entry) []string {
	content, _ := e.content()
	var names []string
	if strings.HasPrefix(content, "{") {
		for _, part := range strings.FieldsFunc(content, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			name, _, _ := strings.Cut(part, ":")
			names = append(names, strings.Trim(name, "\"' "))
		}
		return names
	}
	for _, f := range fieldsOf(e) {
		names = append(names, f.name)
	}
	return names
}

// fieldsOf cuts an entry into its fields. A field begins where a name is at the fields'
// column or, for a name of ours, at another one outside of a block scalar, since a line that
// is indented wrongly is still that field, as is one with a mark too many before its name.
func fieldsOf(e entry) []chunk {
	content, column := e.content()
	var out []chunk
	scalar := -1
	for i, l := range e.lines {
		if i == 0 {
			l = line{n: l.n, indent: column, body: content}
		}
		bare := strings.TrimLeft(l.body, "-\"'`[{*+ ")
		name, _, ok := field(bare)
		if ok = ok && (len(bare) == len(l.body) || ourField(name)); ok {
			l.body = bare
		}
		inScalar := scalar >= 0 && (l.indent > scalar || l.blank())
		if !ok || inScalar || l.indent != column && !(ourField(name) && shallow(out, l)) {
			if len(out) > 0 {
				out[len(out)-1].rest = append(out[len(out)-1].rest, l)
			}
			continue
		}
		scalar = -1
		if opensScalar(l.body) {
			scalar = l.indent
		}
		l.indent = column
		out = append(out, chunk{name: name, line: l})
	}
	return out
}

// shallow reports whether a line cannot be a child of the field before it.
func shallow(out []chunk, l line) bool {
	if len(out) == 0 {
		return true
	}
	last := out[len(out)-1]
	return !opens(last.line.body) || l.indent < last.line.indent
}

// ourField reports whether an item or a tombstone has a field of this name.
func ourField(name string) bool {
	switch name {
	case "key", "value", "added", "source", "confidence", "tags", "updated", "seen", "signals", "expires",
		"pinned", "locked", "paths", "commands", "when", "ask", "by", "conflict", "removed", "reason":
		return true
	}
	return false
}

// text is a field's value as written, on one line.
func (c chunk) text() string {
	_, text, _ := field(c.line.body)
	parts := []string{text}
	for _, l := range c.rest {
		if s := strings.TrimSpace(l.body); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}
