package recovery

import (
	"strings"

	"github.com/memctl/memctl/internal/confidence"
	"github.com/memctl/memctl/memfile"
)

// candidate is one item read out of an entry.
type candidate struct {
	item    memfile.Item
	line    int    // 1-based, in the source
	end     int    // its last line, where it is foreign
	foreign bool   // key and value were made from text
	slug    string // of a foreign item, from which its key is made
	text    string // of a foreign item: what it says, to tell equal ones
	kept    bool   // it stood in our shape in the first block
	sound   bool   // the block that it stood in is sound as a whole
}

// grave is one tombstone read out of an entry.
type grave struct {
	tomb   memfile.Tombstone
	line   int
	stands bool // it stood in our shape in the first block
	plain  bool // it was made of plain text
	end    int  // its last line, where it is plain
	noDay  bool // it says no day on which it was forgotten
}

// readBudget bounds the bytes that are parsed as YAML to read entries one by
// one. Beyond it entries are read as text alone: a file that needs more than
// this was made to cost time.
const readBudget = 6 << 20

// maxForeign bounds the different foreign entries that are read: more than a
// block has room for.
const maxForeign = 8000

// reader turns entries into candidates.
type reader struct {
	name    string
	today   string
	budget  int
	said    map[string]bool // the texts of foreign entries
	noRoom  []entry         // foreign entries beyond maxForeign
	dropped []int           // lines of fields that stand twice in their entry
	lost    []int           // lines of entries with a field of the wrong type
}

func newReader(name, today string) *reader {
	return &reader{name: name, today: today, budget: readBudget, said: map[string]bool{}}
}

// read reads each entry: those in our shape through memfile, in batches, so
// that they mean what they would mean in a sound file. The rest are the
// entries that do not come out as they stand.
func (r *reader) read(entries []entry) (items []candidate, graves []grave, rest []entry) {
	var ours []entry
	for _, e := range entries {
		if kindOf(e) != aForeign {
			e, was := r.mend(e, surelyBad)
			e.mended = was
			ours = append(ours, e)
		}
	}
	docs := r.batch(ours)
	for _, e := range entries {
		var d reading
		if kindOf(e) != aForeign {
			d, docs = docs[0], docs[1:]
		}
		switch {
		case d.item != nil:
			items = append(items, r.finish(d, e))
		case d.tomb != nil:
			graves = append(graves, r.finishTomb(*d.tomb, e, d.mended || d.lost))
		default:
			c, g := r.foreign(e)
			if c != nil {
				items = append(items, *c)
			}
			if g != nil {
				graves = append(graves, *g)
			}
		}
		if d.lost {
			r.lost = append(r.lost, e.line())
		}
		if d.mended || d.lost || d == (reading{}) {
			rest = append(rest, e)
		}
	}
	return items, graves, rest
}

// finish completes an item in our shape. One from the first block that was
// read as it stands is kept; the rest wait for confirmation where they come
// from elsewhere or say nothing sure about their confidence.
func (r *reader) finish(d reading, e entry) candidate {
	c := candidate{item: d.item.Tidied(), line: e.line(), kept: e.place == first && !d.mended && !d.lost}
	c.item.Line, c.item.Column = 0, 0
	if c.kept {
		return c
	}
	c.item.By = memfile.ByAutomatic
	if e.place != first || d.doubt || confidence.Rank(d.item.Confidence) == 0 || c.item.Confidence == memfile.Low {
		memfile.Lower(&c.item.Labels)
	}
	return c
}

// finishTomb completes a tombstone: one without a day counts from today, so
// that what was forgotten stays forgotten.
func (r *reader) finishTomb(t memfile.Tombstone, e entry, mended bool) grave {
	t.Line, t.Column = 0, 0
	noDay := t.Removed == ""
	if noDay {
		t.Removed, mended = r.today, true
	}
	return grave{tomb: t, line: e.line(), stands: e.place == first && !mended, noDay: noDay}
}

// kind says what an entry is, by its fields.
type kind uint8

const (
	unknown kind = iota
	aForeign
	anItem
	aTombstone
)

func kindOf(e entry) kind {
	if e.kind == unknown {
		return judge(e)
	}
	return e.kind
}

func judge(e entry) kind {
	has := fieldNames(e)
	switch {
	case !has["key"] && !(has["removed"] && has["value"]):
		return aForeign
	case has["removed"]:
		return aTombstone
	case e.section == inDeletions && !has["confidence"] && !has["added"] && !has["source"]:
		return aTombstone
	}
	return anItem
}

// fieldNames lists the names of an entry's own fields.
func fieldNames(e entry) map[string]bool {
	names := map[string]bool{}
	content, column := e.content()
	if strings.HasPrefix(content, "{") {
		for _, name := range []string{"key", "value", "removed", "confidence", "added", "source"} {
			if flowHas(content, name) {
				names[name] = true
			}
		}
		return names
	}
	for _, f := range fieldsOf(e, content, column) {
		names[f.name] = true
	}
	return names
}

func flowHas(text, name string) bool {
	for _, start := range []string{"{", ",", "{ ", ", ", "{\"", ",\"", ", \""} {
		for _, end := range []string{":", "\":"} {
			if strings.Contains(text, start+name+end) {
				return true
			}
		}
	}
	return false
}

// chunk is one field of an entry as text.
type chunk struct {
	name string
	line line // its first line, as "name: …" at the field's column
	rest []line
}

// fieldsOf cuts an entry into its fields. A field begins where a name stands
// at the fields' column or, for a name of ours, at another one outside of a
// block scalar, since a line that is indented wrongly is still that field.
func fieldsOf(e entry, content string, column int) []chunk {
	var out []chunk
	scalar := -1
	for i, l := range e.lines {
		if i == 0 {
			l = line{n: l.n, indent: column, body: content}
		}
		name, _, ok := field(l.body)
		inScalar := scalar >= 0 && (l.indent > scalar || l.blank())
		if !ok || inScalar || (l.indent != column && !(ourField(name) && shallow(out, l))) {
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
		"pinned", "locked", "paths", "commands", "ask", "by", "conflict", "removed", "reason":
		return true
	}
	return false
}

// reading is what memfile made of one entry: an item, a tombstone or nothing.
type reading struct {
	item   *memfile.Item
	tomb   *memfile.Tombstone
	mended bool // a field had to be quoted
	doubt  bool // and its value may not be what was meant
	lost   bool // a field of it is of the wrong type
}

// batch reads entries in our shape. Together if all are sound; else by
// halves, until each that is not stands alone and is mended field by field.
func (r *reader) batch(entries []entry) []reading {
	if len(entries) == 0 {
		return nil
	}
	if out, ok := r.parse(entries); ok {
		return out
	}
	if len(entries) > 1 {
		half := len(entries) / 2
		return append(r.batch(entries[:half]), r.batch(entries[half:])...)
	}
	e, mended := r.mend(entries[0], r.unreadable)
	if mended && r.budget > 0 {
		e.mended = true
		if out, ok := r.parse([]entry{e}); ok {
			return out
		}
	}
	return []reading{asText(entries[0])}
}

// parse reads the entries as one document of their own.
func (r *reader) parse(entries []entry) ([]reading, bool) {
	src := asDocument(entries)
	r.budget -= len(src)
	if r.budget < 0 {
		return nil, false
	}
	f, problems := memfile.Parse(r.name, src)
	if f == nil {
		return nil, false
	}
	doc := f.Document()
	out := make([]reading, len(entries))
	items, tombs := 0, 0
	for i, e := range entries {
		out[i].mended, out[i].doubt = e.mended, e.doubt
		if kindOf(e) == aTombstone {
			if tombs < len(doc.Deletions) {
				out[i].tomb = &doc.Deletions[tombs]
			}
			tombs++
			continue
		}
		if items < len(doc.Items) {
			out[i].item = &doc.Items[items]
		}
		items++
	}
	markLost(out, problems)
	return out, items == len(doc.Items) && tombs == len(doc.Deletions)
}

// markLost marks the entries in which a field is of the wrong type.
func markLost(out []reading, problems []memfile.Problem) {
	begins := map[int]int{} // the line of an entry's first field: its index
	for i, d := range out {
		if d.item != nil {
			begins[d.item.Line] = i
		} else if d.tomb != nil {
			begins[d.tomb.Line] = i
		}
	}
	for _, p := range problems {
		if p.Severity != memfile.Error || p.Rule == whyDuplicate || p.Rule == whyForgotten {
			continue
		}
		for n := p.Line; n > 0; n-- {
			if i, ok := begins[n]; ok {
				out[i].lost = true
				break
			}
		}
	}
}

// asDocument writes the entries into a file of their own. Everything of theirs
// is indented by four or more, where no line can end the fence.
func asDocument(entries []entry) []byte {
	var items, tombs strings.Builder
	for _, e := range entries {
		if kindOf(e) == aTombstone {
			writeEntry(&tombs, e)
		} else {
			writeEntry(&items, e)
		}
	}
	var b strings.Builder
	b.WriteString("```yaml\nsaved_memory:\n  items:")
	writeList(&b, items.String())
	b.WriteString("deletions:")
	writeList(&b, tombs.String())
	b.WriteString("```\n")
	return []byte(b.String())
}

func writeList(b *strings.Builder, list string) {
	if list == "" {
		b.WriteString(" []\n")
		return
	}
	b.WriteString("\n")
	b.WriteString(list)
}

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
