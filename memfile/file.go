package memfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/mdtext"
	"github.com/memctl/memctl/internal/yamltext"
)

// NeverUpdated is the day in Template.
const NeverUpdated = "1970-01-01"

// Template is the memory file that init writes, but for the day.
const Template = "```yaml\nsaved_memory:\n  version: 1\n  updated: " + NeverUpdated + "\n  settings:\n    enabled: true\n    announce_writes: true\n  items: []\ndeletions: []\n```\n"

// File is a sound memory file.
type File struct {
	name  string
	src   string
	fence mdtext.Fence
	block yamltext.Source // what the fence holds
	root  *yamltext.Node
	doc   Document
}

// Document is a copy of what the block says; changing it does not change f.
func (f *File) Document() Document { return f.doc.Clone() }

// Bytes are the file's bytes, as given to Parse.
func (f *File) Bytes() []byte { return []byte(f.src) }

// Name is the name that Parse was given.
func (f *File) Name() string { return f.name }

// Source is the whole text and where in it the YAML is.
func (f *File) Source() yamltext.Source { return f.block }

// Root is the parsed YAML, with positions in Source; nobody changes it.
func (f *File) Root() *yamltext.Node { return f.root }

// Block is the byte range of the document's fenced block, fences included.
func (f *File) Block() (start, end int) { return f.fence.Start, f.fence.End }

// Clone is a copy that shares nothing with the document.
func (d Document) Clone() Document {
	d.Items = slices.Clone(d.Items)
	for i := range d.Items {
		it := &d.Items[i]
		it.Value = it.Value.Clone()
		it.Labels, it.Allow = it.Labels.Clone(), slices.Clone(it.Allow)
		it.Extra, it.Conflict = cloneFields(it.Extra), cloneRivals(it.Conflict)
	}
	d.Deletions = slices.Clone(d.Deletions)
	for i := range d.Deletions {
		t := &d.Deletions[i]
		if t.Value != nil {
			v := t.Value.Clone()
			t.Value = &v
		}
		t.Hashes = slices.Clone(t.Hashes)
		t.Extra, t.Conflict = cloneFields(t.Extra), cloneRivals(t.Conflict)
	}
	for i := range d.Unknown {
		d.Unknown[i] = cloneFields(d.Unknown[i])
	}
	return d
}

func cloneRivals(list []Rival) []Rival {
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = list[i].Value.Clone()
	}
	return list
}

// Parse reads a memory file. name is used in problems only. The File is nil
// when any problem is damage; problems that are not damage come with a File.
//
// Damage: "too-large", "invalid-encoding" (in the block), "too-deep",
// "no-block", "several-blocks", "unclosed-fence", "conflict-markers",
// "yaml-syntax", "yaml-duplicate" (a field twice in one map), "yaml-feature"
// (anchors, aliases, tags, directives, documents, complex keys), "shape" (a
// block of another shape), "item-shape" and "tombstone-shape" (an entry that is
// not a map with a key, or for a tombstone a key or value), "section-name" (a
// part of the block under another name, or out of its place, where it is not
// read), "stray-items" (items or deletions appended below the fence).
//
// Errors: "field-type", "setting-type", "confidence", "duplicate-key",
// "forgotten" (an item with a tombstone of its day or later). Warnings:
// "newer-version" (read, never written), "unknown-field", "field-missing",
// "field-day", "key-form", "low-unconfirmed" (low without the tag),
// "deletions-misplaced" (inside saved_memory), "list-below" (a plain list directly
// below the fence).
func Parse(name string, src []byte) (*File, []Problem) {
	if len(src) > MaxFileBytes {
		return nil, []Problem{{Rule: yamltext.RuleTooLarge, Severity: Error, File: name, Line: 1, Column: 1, Damage: true,
			Message: fmt.Sprintf("the file has more than %d bytes", MaxFileBytes), Hint: "move everything that is not memory to another file"}}
	}
	f := &File{name: name, src: string(src)}
	r := &reader{file: f}
	page := scan(src)
	if r.locate(page) && r.parseBlock() {
		r.readRoot(f.root)
	}
	r.conflictMarkers(page)
	if f.fence.Closed {
		r.strays(page)
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Damage }) {
		return nil, r.problems
	}
	r.crossCheck()
	return f, r.problems
}

// reader gathers the problems of one Parse.
type reader struct {
	file     *File
	problems []Problem
	allowAny bool // the block holds an allowance, so comments are worth reading
	lastPos  int  // of the last place asked for, on line 1 + lines
	lines    int
}

func (r *reader) damage(rule string, pos int, message string) {
	line, col := r.place(pos)
	r.problems = append(r.problems, Problem{Rule: rule, Severity: Error, File: r.file.name, Line: line, Column: col,
		Message: message, Damage: true})
}

// place turns an offset into line and column. Offsets come nearly in order, so
// counting goes on from the last one.
func (r *reader) place(pos int) (line, col int) {
	pos = min(pos, len(r.file.src))
	if pos < r.lastPos {
		r.lastPos, r.lines = 0, 0
	}
	r.lines += strings.Count(r.file.src[r.lastPos:pos], "\n")
	r.lastPos = pos
	return 1 + r.lines, pos - strings.LastIndexByte(r.file.src[:pos], '\n')
}

// locate finds the one fenced YAML block.
func (r *reader) locate(page page) bool {
	var blocks []mdtext.Fence
	for _, f := range page.fences {
		if isYAML(f) {
			blocks = append(blocks, f)
		}
	}
	if len(blocks) == 0 {
		r.damage("no-block", 0, whyNoBlock([]byte(r.file.src)))
		return false
	}
	for _, b := range blocks[1:min(len(blocks), 4)] { // more would say no more
		r.damage("several-blocks", b.Start, "a second fenced yaml block; a memory file has exactly one")
	}
	r.file.fence = blocks[0]
	if !blocks[0].Closed {
		r.damage("unclosed-fence", blocks[0].Start, "the fence of the yaml block is never closed")
		return false
	}
	return true
}

// whyNoBlock says of a file in which no block is found what it is.
func whyNoBlock(src []byte) string {
	switch {
	case len(src) > 2 && (bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff"))):
		return "the file is in UTF-16, but memory files are in UTF-8"
	case len(src) > 0 && !readsAsText(src):
		return "the file is blank, or is not text"
	}
	return "no fenced yaml block at the top level of the Markdown"
}

func isYAML(f mdtext.Fence) bool {
	lang := f.Language()
	return strings.EqualFold(lang, "yaml") || strings.EqualFold(lang, "yml")
}

func (r *reader) parseBlock() bool {
	f := r.file
	line, _ := r.place(f.fence.ContentStart)
	f.block = yamltext.Source{Text: f.src, From: f.fence.ContentStart, To: f.fence.ContentEnd, Line: line, Indent: f.fence.Indent}
	root, err := yamltext.Parse(f.block)
	var y *yamltext.Error
	if errors.As(err, &y) {
		r.problems = append(r.problems, Problem{Rule: y.Rule, Severity: Error, File: f.name, Line: y.Line, Column: y.Column,
			Message: y.Message, Damage: true})
		return false
	}
	f.root = root
	r.allowAny = strings.Contains(f.src[f.fence.ContentStart:f.fence.ContentEnd], AllowMark)
	return true
}

// conflictMarkers reports what a merge left behind: any marker in the block,
// and outside it a whole set of them.
func (r *reader) conflictMarkers(page page) {
	if !strings.Contains(r.file.src, "<<<<<<<") && !strings.Contains(r.file.src, ">>>>>>>") && !strings.Contains(r.file.src, "|||||||") {
		return
	}
	first, at, opened, closed := -1, 0, false, false
	for line := range strings.Lines(r.file.src) {
		m := linemerge.ConflictMarker(line)
		if (m == '<' || m == '>' || m == '|') && (at < page.notes || at >= page.after) {
			inBlock := at >= r.file.fence.Start && at < r.file.fence.End
			opened, closed = opened || inBlock || m == '<', closed || inBlock || m == '>'
			if first < 0 {
				first = at
			}
		}
		at += len(line)
	}
	if opened && closed {
		r.damage("conflict-markers", first, "markers of a merge conflict")
	}
}

// page is a file's Markdown: its fences, and where our own notes begin and end.
// What stands below the notes is the file's again: agents append at the end.
type page struct {
	fences       []mdtext.Fence // none of those in the notes
	notes, after int
}

// scan finds the fences around the notes section. The section's heading counts
// outside any fence; and inside a yaml block that lost its closing fence, which
// shows in a second fence opening after the heading: otherwise what is in the
// notes would be read as memory.
func scan(src []byte) page {
	p := page{notes: len(src), after: len(src)}
	if len(src) > MaxFileBytes {
		return p
	}
	all := mdtext.Fences(src)
	p.notes = notesStart(src, all)
	swallowed := false // the heading stands in a block that lost its closing fence
	for _, f := range all {
		if f.Start >= p.notes {
			break
		}
		if f.End > p.notes {
			f.End, f.ContentEnd, f.Closed = p.notes, min(f.ContentEnd, p.notes), false
			swallowed = true
		}
		p.fences = append(p.fences, f)
	}
	if swallowed {
		return p
	}
	for i := len(all) - 1; i >= 0 && all[i].Start >= p.notes; i-- {
		if f := all[i]; f.Closed && f.Language() == notesLanguage {
			p.after = f.End
			p.fences = append(p.fences, all[i+1:]...)
			break
		}
	}
	return p
}

// notesLanguage is the info string of the fences in the notes.
const notesLanguage = "text"

func notesStart(src []byte, fences []mdtext.Fence) int {
	i, whole := 0, -1 // whole: a yaml block that is known to have its fence
	for _, at := range headings(src) {
		for i < len(fences) && fences[i].End <= at {
			i++
		}
		switch {
		case i == len(fences) || at < fences[i].Start:
			return at
		case whole == i || !isYAML(fences[i]):
		case opensFence(src[at:fences[i].ContentEnd]):
			return at
		default:
			whole = i
		}
	}
	return len(src)
}

// headings lists where the notes heading stands as a line of its own.
func headings(src []byte) []int {
	var list []int
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(NotesHeading))
		if i < 0 {
			return list
		}
		at += i
		line, _, _ := bytes.Cut(src[at:], []byte("\n"))
		if (at == 0 || src[at-1] == '\n') && len(bytes.TrimSpace(line)) == len(NotesHeading) {
			list = append(list, at)
		}
		at += len(NotesHeading)
	}
}

func opensFence(src []byte) bool {
	return bytes.Contains(src, []byte("\n```")) || bytes.Contains(src, []byte("\n~~~"))
}

// NotesHeading begins the part of a file that recovery wrote; nothing in it is ever read as memory.
const NotesHeading = "## Non-authoritative notes"

// SplitNotes returns where our own notes section begins and ends: from its
// heading to the last of its fences. Both are len(src) where there is none.
func SplitNotes(src []byte) (start, end int) {
	if !bytes.Contains(src, []byte(NotesHeading)) {
		return len(src), len(src)
	}
	p := scan(src)
	return p.notes, p.after
}
