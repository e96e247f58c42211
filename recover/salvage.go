package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// salvage reads an item of ours that is no YAML: each field that can be read by itself as it
// is, and any other as the text that is there. An item whose key cannot be read is named by
// its value. It returns nil where no value is left.
func (r *reader) salvage(e entry) *record {
	var b strings.Builder
	seen := map[string]bool{}
	key, value := "", ""
	for _, c := range fieldsOf(e) {
		if seen[c.name] || c.name == "conflict" {
			continue // the first counts
		}
		seen[c.name] = true
		text := c.text()
		switch c.name {
		case "key":
			key = strings.Trim(uncomment(text), "\"'`[]{}*,- ")
			continue
		case "value":
			value = unquoted(text)
		}
		b.WriteString("      " + r.legible(c) + "\n")
	}
	if value == "" {
		return nil
	}
	rec := &record{grade: salvaged}
	if !memfile.KeyForm(key) {
		rec.slug, rec.phrase, key = slugOf(value), value, keyPrefix+"x"
	}
	src := "```yaml\nsaved_memory:\n  items:\n    - key: " + key + "\n" + b.String() + "```\n"
	r.budget -= len(src)
	rec.item = &memfile.Item{Key: key, Value: memfile.Str(value), Labels: labels.Labels{Source: source, By: memfile.ByAutomatic}}
	if r.budget > 0 {
		if f, _ := memfile.Parse(r.name, []byte(src)); f != nil && len(f.Document().Items) == 1 {
			it := f.Document().Items[0].Tidied()
			rec.item = &it
		}
	}
	rec.item.Line, rec.item.Column = 0, 0
	return rec
}

// salvageTombstone reads the key of a tombstone in which another field is no YAML, and its day:
// that is enough to keep the key forgotten. It returns nil where the key cannot be read.
func (r *reader) salvageTombstone(e entry) *record {
	t := memfile.Tombstone{Removed: r.today, Reason: source}
	for _, c := range fieldsOf(e) {
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
	r.budget -= len(text)
	if len(c.rest) == 0 && r.budget > 0 {
		if v, err := memfile.ParseValue(c.line.body); err == nil && v.Kind == memfile.Map && len(v.Map) == 1 {
			return strings.TrimSpace(c.line.body)
		}
	}
	if c.name != "tags" && c.name != "paths" && c.name != "commands" && c.name != "when" {
		return c.name + ": " + quote(unquoted(text))
	}
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '[' || r == ']' }) {
		if part = strings.Trim(strings.TrimSpace(part), "\"'-"); part != "" {
			list = append(list, quote(part))
		}
	}
	return c.name + ": [" + strings.Join(list, ", ") + "]"
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
	b, err := json.Marshal(s)
	if err != nil {
		return "\"\""
	}
	return string(b)
}

// textRecord makes an item of an entry that is a text, a title with a text, or a list or map
// in another shape.
func (r *reader) textRecord(e entry) *record {
	text := entryText(e)
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
	value := memfile.Str(text)
	if title, rest, ok := cutTitle(text); ok {
		if rec.slug = memfile.KeyPart(title, maxSlugBytes); rest != "" && names(rec.slug, title) {
			value = memfile.Str(rest)
		}
		if rec.slug == "" {
			rec.slug = slugOf(text)
		}
	}
	if v, ok := r.structured(e); ok {
		value = v
		if len(v.Map) > 1 && v.Map[0].Value.Kind == memfile.String {
			rec.slug = slugOf(v.Map[0].Value.Text)
		}
	}
	rec.item = &memfile.Item{Value: value, Added: r.today, Labels: labels.Labels{Source: source, Tags: []string{memfile.TagNeedsConfirmation, tagSalvaged}, By: memfile.ByAutomatic}}
	return rec
}

// entryText is an entry's text on one line, with its comment marks: whoever wrote it meant text.
func entryText(e entry) string {
	content, _ := e.content()
	parts := []string{strings.TrimSpace(content)}
	for _, l := range e.lines[1:] {
		if s := strings.TrimSpace(l.body); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) > 1 && opensScalar(parts[0]) && !strings.Contains(parts[0], " ") {
		parts = parts[1:]
	}
	return strings.Join(parts, " ")
}

// structured reads an entry that is a list or map in brackets, or that has fields or a list
// below its name. Its value is kept as it is.
func (r *reader) structured(e entry) (memfile.Value, bool) {
	content, _ := e.content()
	nested := content != "" && (content[0] == '{' || content[0] == '[')
	for _, l := range e.lines[1:] {
		_, _, isField := field(l.body)
		nested = nested || isField || isBullet(l)
	}
	var b strings.Builder
	writeEntry(&b, e)
	if r.budget -= b.Len(); !nested || r.budget < 0 {
		return memfile.Value{}, false
	}
	list, err := memfile.ParseValue(b.String())
	if err != nil || list.Kind != memfile.List || len(list.List) != 1 {
		return memfile.Value{}, false
	}
	v := list.List[0]
	pair := v.Kind == memfile.Map && len(v.Map) == 1 && v.Map[0].Value.Kind != memfile.List && v.Map[0].Value.Kind != memfile.Map
	return v, !pair && (v.Kind == memfile.List || v.Kind == memfile.Map)
}

// cutTitle cuts "Title: text". A title is short; one in quotes or Markdown
// emphasis loses them.
func cutTitle(text string) (title, rest string, ok bool) {
	if strings.HasPrefix(text, "**") {
		text = strings.Replace(text, ":**", "**:", 1) // the colon inside the emphasis
	}
	i := strings.Index(text, ": ")
	if i < 0 && strings.HasSuffix(text, ":") {
		i = len(text) - 1
	}
	if i <= 0 || i > maxTitleBytes {
		return "", "", false
	}
	title, rest = text[:i], strings.TrimSpace(text[i+1:])
	if len(strings.Fields(title)) > maxTitleWords {
		return "", "", false
	}
	return strings.Trim(title, "\"'*"), rest, true
}

// names reports whether the slug has all of the title, letter case aside.
func names(slug, title string) bool {
	return slug == strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(title))
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
