package memfile

import (
	"bytes"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
)

// Past reads many versions of one memory file. From one to the next most items
// stay as they were, byte for byte: each is parsed once, however many versions
// hold it. What it says of a version is what Parse says of it; where that cannot
// be known of the parts, the whole is parsed.
type Past struct {
	name    string
	damaged func(src []byte) Document
	frames  map[string]*frame
	items   map[string]*pastItem
}

// Was is one version.
type Was struct {
	past  *Past
	src   string // of a version that is not told by its parts
	frame *frame // nil for such a version
	items []*pastItem
	none  *Document // where there was no file
}

// frame is all of a file but its items.
type frame struct {
	doc    Document
	line   int // of the first item
	column int
}

// pastItem is an item as it stood in at least one version.
type pastItem struct {
	item  Item
	lines int
}

// NewPast reads versions of the named file. damaged says what there is in one
// that Parse refuses.
func NewPast(name string, damaged func(src []byte) Document) *Past {
	return &Past{name: name, damaged: damaged, frames: map[string]*frame{}, items: map[string]*pastItem{}}
}

// Read takes a version in; src may be changed after it.
func (p *Past) Read(src []byte) *Was {
	w := &Was{past: p}
	if c, ok := cutItems(src); ok {
		if w.frame = p.frame(c); w.frame != nil && w.readItems(c) {
			return w
		}
	}
	w.frame, w.items, w.src = nil, nil, string(src)
	return w
}

// None is a version of no file, of which the document is said.
func (p *Past) None(doc Document) *Was { return &Was{past: p, none: &doc} }

// Document is all that the version says.
func (w *Was) Document() Document {
	if w.none != nil {
		return w.none.Clone()
	}
	if w.frame != nil {
		return w.document(func(*pastItem) bool { return true })
	}
	if f, _ := Parse(w.past.name, []byte(w.src)); f != nil {
		return f.Document()
	}
	return w.past.damaged([]byte(w.src))
}

// document is the version with some of its items alone.
func (w *Was) document(wanted func(*pastItem) bool) Document {
	doc := w.frame.doc
	line := w.frame.line
	for _, it := range w.items {
		if wanted(it) {
			item := it.item
			item.Line, item.Column = line, w.frame.column
			doc.Items = append(doc.Items, item)
		}
		line += it.lines
	}
	doc = doc.Clone()
	for i := range doc.Deletions {
		if t := &doc.Deletions[i]; t.Line >= w.frame.line {
			t.Line += line - w.frame.line
		}
	}
	return doc
}

// DiffPast is Diff of two versions of one Past.
func DiffPast(before, after *Was) []Delta {
	if before.frame == nil || after.frame == nil {
		return Diff(before.Document(), after.Document())
	}
	// No key stands twice in either, so what both have is paired with itself.
	return Diff(before.document(notIn(after)), after.document(notIn(before)))
}

func notIn(w *Was) func(*pastItem) bool {
	set := make(map[*pastItem]bool, len(w.items))
	for _, it := range w.items {
		set[it] = true
	}
	return func(it *pastItem) bool { return !set[it] }
}

// frame is what stands around the items; nil where the whole is to be parsed.
func (p *Past) frame(c cut) *frame {
	around := c.before + c.after
	known, seen := p.frames[around]
	if seen {
		return known
	}
	f, _ := Parse(p.name, []byte(around))
	if f != nil && f.fence.Indent == 0 && !f.hasItems() && f.itemsAt() == len(c.before)-len(strings.TrimLeft(c.itemsLine, " ")) {
		known = &frame{doc: f.Document(), line: 1 + strings.Count(c.before, "\n"), column: 1 + c.indent}
	}
	p.frames[strings.Clone(around)] = known
	return known
}

func (f *File) hasItems() bool { return len(f.doc.Items) > 0 }

// itemsAt is where the key "items" of a block stands that says nothing of them; else -1.
func (f *File) itemsAt() int {
	at := -1
	for _, e := range f.root.Field("saved_memory").Entries {
		if e.Key.Text == "items" && e.Value.Style == yamltext.Empty {
			at = e.Key.Start
		}
	}
	return at
}

// readItems reads those of the version that no version before it had; false
// where one of them, or all of them together, are not for reading by parts.
func (w *Was) readItems(c cut) bool {
	keys := make(map[string]bool, len(c.items))
	for _, text := range c.items {
		// The items' line goes with it: it says how deep the item stands.
		id := c.itemsLine + text
		it, seen := w.past.items[id]
		if !seen {
			it = w.past.readItem(id)
			w.past.items[strings.Clone(id)] = it
		}
		if it == nil || keys[it.item.Key] {
			return false
		}
		keys[it.item.Key] = true
		w.items = append(w.items, it)
	}
	return true
}

// readItem reads an item by itself: nil where that is not one sound item and
// nothing else.
func (p *Past) readItem(text string) *pastItem {
	f, _ := Parse(p.name, []byte("```yaml\nsaved_memory:\n"+text+"```\n"))
	if f == nil || len(f.doc.Items) != 1 || len(f.root.Entries) != 1 || len(f.root.Entries[0].Value.Entries) != 1 {
		return nil
	}
	return &pastItem{item: f.Document().Items[0], lines: strings.Count(text, "\n") - 1}
}

// cut is a file cut at its items.
type cut struct {
	before    string // up to the items, with the line that opens them
	itemsLine string
	items     []string
	after     string
	indent    int // of the items' dashes
}

// cutItems cuts a file of the usual form: an "items:" on a line of its own, and
// below it the items, each beginning "- key: area.name" at one depth. Nothing in
// them may end a block, a merge or a line early, or reach beyond the item.
func cutItems(src []byte) (c cut, ok bool) {
	const opens = "items:\n"
	at := bytes.Index(src, []byte(opens))
	if at < 0 || len(src) > yamltext.MaxNodes || bytes.IndexByte(src, '\r') >= 0 || bytes.Contains(src, []byte(AllowMark)) {
		return cut{}, false
	}
	text := string(src)
	start := at + len(opens)
	c.before, c.itemsLine = text[:start], text[strings.LastIndexByte(text[:at], '\n')+1:start]
	rest := text[start:]
	c.indent = len(rest) - len(strings.TrimLeft(rest, " "))
	dash := strings.Repeat(" ", c.indent) + "- "
	if strings.Trim(c.itemsLine[:len(c.itemsLine)-len(opens)], " ") != "" || !strings.HasPrefix(rest, dash) {
		return cut{}, false
	}
	end, begun := 0, -1
	for end < len(rest) {
		i := strings.IndexByte(rest[end:], '\n')
		if i < 0 {
			return cut{}, false
		}
		line := rest[end : end+i]
		if strings.HasPrefix(line, dash) {
			if !strings.HasPrefix(line[len(dash):], "key: ") {
				return cut{}, false
			}
			if begun >= 0 {
				c.items = append(c.items, rest[begun:end])
			}
			begun = end
		} else if depth := len(line) - len(strings.TrimLeft(line, " ")); depth < len(line) && depth <= c.indent {
			break
		}
		end += i + 1
	}
	c.items, c.after = append(c.items, rest[begun:end]), rest[end:]
	return c, !reaches(rest[:end])
}

// reaches reports whether the items hold what could be more than their own: a
// fence, a conflict marker, the notes' heading, or a tab, which is of no sure depth.
func reaches(items string) bool {
	for _, s := range []string{"```", "~~~", "<<<<<<<", "|||||||", ">>>>>>>", NotesHeading, "\t"} {
		if strings.Contains(items, s) {
			return true
		}
	}
	return false
}
