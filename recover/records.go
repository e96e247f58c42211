package recovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
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
const readBudget = 16 << 20

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

// read reads an entry: one of ours through memfile, so that it means what it would mean in a sound
// file, and any other as text. A record is nil where nothing can be made of its entry.
func (r *reader) read(e listEntry) (rec *record) {
	switch {
	case e.ours():
		if rec = r.parse(e); rec == nil {
			e.mend()
			rec = r.parse(e)
			if rec == nil || rec.grade == salvaged {
				rec = cmp.Or(r.salvage(e), rec)
			}
		}
		if rec != nil && e.later && rec.grade == sound {
			rec.grade = outside
		}
	case !e.deletion:
		rec = r.fromText(e)
	}
	if rec != nil {
		rec.line, rec.last = e.lines[0].n, e.last
	}
	return rec
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

// parse reads an entry by itself; nil if it is not sound.
func (r *reader) parse(e listEntry) *record {
	if e.tombstone() {
		doc := r.parseBlock("", e.yaml())
		if doc == nil || len(doc.Deletions) != 1 {
			return nil
		}
		t := doc.Deletions[0].Tidied()
		t.Line, t.Column = 0, 0
		t.Removed = cmp.Or(t.Removed, r.today) // so that what was forgotten stays forgotten
		return &record{tomb: &t}
	}
	doc := r.parseBlock(e.yaml(), "")
	if doc == nil || len(doc.Items) != 1 {
		return nil
	}
	it := doc.Items[0].Tidied()
	it.Line, it.Column = 0, 0
	rec := &record{item: &it}
	if it.Value.Kind == memfile.Null {
		rec.grade = salvaged
	}
	return rec
}

// salvage reads an entry of ours that is no YAML: each field that can be read by itself as it is, and
// any other as the text that is there. An item whose key cannot be read is named by its value. Of a
// tombstone the key and the day are read: they keep the key forgotten. It returns nil where no value
// or no key is left.
func (r *reader) salvage(e listEntry) *record {
	const marks = "\"'`[]{}*,- "
	texts := map[string]string{"conflict": ""}
	fields, day := "", ""
	for _, c := range e.fields {
		if d := strings.Trim(uncomment(c.text()), marks); c.name == "removed" && memfile.FormedDay(d) == d {
			day = max(day, d)
		}
		if _, seen := texts[c.name]; seen {
			continue // the first counts
		}
		if texts[c.name] = c.text(); c.name != "key" {
			fields += r.legible(c)
		}
	}
	key, value := strings.Trim(uncomment(texts["key"]), marks), unquoted(texts["value"])
	switch {
	case e.tombstone() && !memfile.KeyForm(key), !e.tombstone() && value == "":
		return nil
	case e.tombstone():
		return &record{tomb: &memfile.Tombstone{Key: key, Removed: cmp.Or(day, r.today), Reason: source}, grade: salvaged}
	}
	rec := &record{grade: salvaged}
	if !memfile.KeyForm(key) {
		rec.slug, rec.phrase, key = slugOf(value), value, keyPrefix+"x"
	}
	rec.item = &memfile.Item{Key: key, Value: memfile.Str(value), Labels: labels.Labels{Source: source, By: memfile.ByAutomatic}}
	if doc := r.parseBlock("    - key: "+key+"\n"+fields, ""); doc != nil && len(doc.Items) == 1 {
		it := doc.Items[0].Tidied()
		rec.item = &it
	}
	rec.item.Line, rec.item.Column = 0, 0
	return rec
}

// legible is a field as a line of YAML; "" for a list or map that is none, which stays in the notes.
func (r *reader) legible(c chunk) string {
	text := c.text()
	if r.budget -= len(text); len(c.rest) == 0 && r.budget > 0 {
		if v, err := memfile.ParseValue(c.line.body); err == nil && v.Kind == memfile.Map && len(v.Map) == 1 {
			return "      " + strings.TrimSpace(c.line.body) + "\n"
		}
	}
	if c.name != "value" && strings.ContainsAny(text[:min(1, len(text))], "[{") {
		return ""
	}
	return "      " + c.name + ": " + yamltext.Quote(unquoted(text), false) + "\n"
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
