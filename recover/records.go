package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

const (
	keyPrefix   = "recovered."
	tagSalvaged = "recovered"
	source      = "recovered"

	maxSlugBytes  = 64 // leaves room for a suffix within memfile.MaxKeyBytes
	slugWords     = 6  // of a text without a title
	maxTitleBytes = 80 // a longer one is a sentence with a colon in it
	maxTitleWords = 9
)

// readBudget bounds the bytes that are parsed as YAML to read entries one by one. Beyond it
// entries are read as text alone: a file that needs more than this was made to cost time.
const readBudget = 6 << 20

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

// reader turns entries into records.
type reader struct {
	name   string
	today  string
	budget int
}

// read reads each entry: those of ours through memfile, so that they mean what they would mean in
// a sound file, and the rest as text. A record is nil where nothing can be made of its entry.
func (r *reader) read(entries []listEntry) []*record {
	ours := slices.DeleteFunc(slices.Clone(entries), func(e listEntry) bool { return !e.ours() })
	read := r.batch(ours)
	out := make([]*record, len(entries))
	for i, e := range entries {
		var rec *record
		if e.ours() {
			rec, read = read[0], read[1:]
		}
		switch {
		case rec != nil && e.lines[0].mended:
			rec.grade = salvaged
		case rec != nil && e.later && rec.grade == sound:
			rec.grade = outside
		case rec != nil:
		case !e.ours() && (!e.deletion || e.appended()):
			rec = r.fromText(e)
		case e.ours() && e.tombstone():
			rec = r.salvageTombstone(e)
		case e.ours():
			rec = r.salvage(e)
		}
		if rec != nil {
			rec.line, rec.last = e.lines[0].n, e.last
		}
		out[i] = rec
	}
	return out
}

// batch reads entries of ours: all at once if they are sound together, else by halves, until
// each that is not sound is by itself; for that one it returns nil.
func (r *reader) batch(entries []listEntry) []*record {
	switch out := r.parse(entries); {
	case out != nil || len(entries) == 0:
		return out
	case len(entries) == 1:
		return []*record{nil}
	}
	half := len(entries) / 2
	return append(r.batch(entries[:half]), r.batch(entries[half:])...)
}

// parseBlock reads lists of items and of deletions as a file of their own; nil if it is not sound.
func (r *reader) parseBlock(items, deletions string) *memfile.Document {
	src := "```yaml\nsaved_memory:\n  items:\n" + items + "deletions:\n" + deletions + "```\n"
	if r.budget -= len(src); r.budget < 0 {
		return nil
	}
	f, _ := memfile.Parse(r.name, []byte(src))
	if f == nil {
		return nil
	}
	doc := f.Document()
	return &doc
}

// parse reads the entries as one document of their own; nil if it is not sound.
func (r *reader) parse(entries []listEntry) []*record {
	var items, tombs strings.Builder
	for _, e := range entries {
		if e.tombstone() {
			e.write(&tombs)
		} else {
			e.write(&items)
		}
	}
	doc := r.parseBlock(items.String(), tombs.String())
	if doc == nil || len(doc.Items)+len(doc.Deletions) != len(entries) {
		return nil
	}
	out := make([]*record, len(entries))
	for i, e := range entries {
		switch {
		case e.tombstone() && len(doc.Deletions) > 0:
			t := doc.Deletions[0].Tidied()
			t.Line, t.Column = 0, 0
			if t.Removed == "" {
				t.Removed = r.today // so that what was forgotten stays forgotten
			}
			out[i], doc.Deletions = &record{tomb: &t}, doc.Deletions[1:]
		case !e.tombstone() && len(doc.Items) > 0:
			it := doc.Items[0].Tidied()
			it.Line, it.Column = 0, 0
			out[i], doc.Items = &record{item: &it}, doc.Items[1:]
			if it.Value.Kind == memfile.Null {
				out[i].grade = salvaged
			}
		default:
			return nil
		}
	}
	return out
}

// salvage reads an item of ours that is no YAML: each field that can be read by itself as it
// is, and any other as the text that is there. An item whose key cannot be read is named by
// its value. It returns nil where no value is left.
func (r *reader) salvage(e listEntry) *record {
	var fields strings.Builder
	seen := map[string]bool{"conflict": true}
	key, value := "", ""
	for _, c := range e.fields {
		if seen[c.name] {
			continue // the first counts
		}
		seen[c.name] = true
		switch text := c.text(); c.name {
		case "key":
			key = strings.Trim(uncomment(text), "\"'`[]{}*,- ")
			continue
		case "value":
			value = unquoted(text)
		}
		fields.WriteString("      " + r.legible(c) + "\n")
	}
	if value == "" {
		return nil
	}
	rec := &record{grade: salvaged}
	if !memfile.KeyForm(key) {
		rec.slug, rec.phrase, key = slugOf(value), value, keyPrefix+"x"
	}
	rec.item = &memfile.Item{Key: key, Value: memfile.Str(value), Labels: labels.Labels{Source: source, By: memfile.ByAutomatic}}
	if doc := r.parseBlock("    - key: "+key+"\n"+fields.String(), ""); doc != nil && len(doc.Items) == 1 {
		it := doc.Items[0].Tidied()
		rec.item = &it
	}
	rec.item.Line, rec.item.Column = 0, 0
	return rec
}

// salvageTombstone reads the key of a tombstone in which another field is no YAML, and its day:
// that is enough to keep the key forgotten. It returns nil where the key cannot be read.
func (r *reader) salvageTombstone(e listEntry) *record {
	t := memfile.Tombstone{Removed: r.today, Reason: source}
	for _, c := range e.fields {
		text := strings.Trim(uncomment(c.text()), "\"'` ")
		switch {
		case c.name == "key" && memfile.KeyForm(text):
			t.Key = text
		case c.name == "removed" && memfile.FormedDay(text) == text && text != "":
			t.Removed = text
		}
	}
	if t.Key == "" {
		return nil
	}
	return &record{tomb: &t, grade: salvaged}
}

// legible is a field as one line of YAML.
func (r *reader) legible(c chunk) string {
	text := c.text()
	if r.budget -= len(text); len(c.rest) == 0 && r.budget > 0 {
		if v, err := memfile.ParseValue(c.line.body); err == nil && v.Kind == memfile.Map && len(v.Map) == 1 {
			return strings.TrimSpace(c.line.body)
		}
	}
	switch c.name {
	case "tags", "paths", "commands", "when":
		list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",[]", r) })
		for i := range list {
			list[i] = quote(strings.Trim(list[i], "\"'- "))
		}
		return c.name + ": [" + strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == `""` }), ", ") + "]"
	}
	return c.name + ": " + quote(unquoted(text))
}

// unquoted drops a quote that was opened and never closed, or the other way round.
func unquoted(text string) string {
	for _, q := range []string{"\"", "'"} {
		if strings.Count(text, q) == 1 {
			text = strings.TrimSuffix(strings.TrimPrefix(text, q), q)
		}
	}
	return text
}

// quote writes a string as YAML: a JSON string is one.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has one
	return string(b)
}

// fromText makes an item of an entry that is a text, or a title with a text.
func (r *reader) fromText(e listEntry) *record {
	text := e.text()
	r.budget -= len(text)
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] && r.budget > 0 {
		if v, err := memfile.ParseValue(text); err == nil && v.Kind == memfile.String {
			text = strings.Join(strings.Fields(v.Text), " ")
		}
	}
	if text == "" {
		return nil
	}
	rec := &record{grade: salvaged, phrase: text, slug: slugOf(text)}
	value := text
	if title, rest, ok := cutTitle(text); ok {
		if slug := memfile.KeyPart(title, maxSlugBytes); slug != "" {
			if rec.slug = slug; rest != "" && slug == strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(title)) {
				value = rest // the key says all of the title
			}
		}
	}
	rec.item = &memfile.Item{Value: memfile.Str(value), Added: r.today, Labels: labels.Labels{
		Source: source, Tags: []string{memfile.TagNeedsConfirmation, tagSalvaged}, By: memfile.ByAutomatic}}
	return rec
}

// cutTitle cuts "Title: text". A title is short; one in quotes or Markdown
// emphasis loses them.
func cutTitle(text string) (title, rest string, ok bool) {
	if strings.HasPrefix(text, "**") {
		text = strings.Replace(text, ":**", "**:", 1) // the colon inside the emphasis
	}
	title, rest, ok = strings.Cut(text, ": ")
	if !ok {
		title, ok = strings.CutSuffix(text, ":")
	}
	if !ok || title == "" || len(title) > maxTitleBytes || len(strings.Fields(title)) > maxTitleWords {
		return "", "", false
	}
	return strings.Trim(title, "\"'*"), strings.TrimSpace(rest), true
}

// slugOf is the part of a key that a text's first words make, or its hash.
func slugOf(text string) string {
	words := strings.Fields(text)
	if slug := memfile.KeyPart(strings.Join(words[:min(len(words), slugWords)], " "), maxSlugBytes); slug != "" {
		return slug
	}
	sum := sha256.Sum256([]byte(text))
	return "x" + hex.EncodeToString(sum[:4])
}
