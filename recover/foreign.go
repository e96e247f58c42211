package recovery

import (
	"crypto/sha256"
	"encoding/hex"
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

// foreign reads an entry that is not in our shape: an item made of its text
// or, where it stands in the list of deletions, a tombstone of the key or
// value that it names.
func (r *reader) foreign(e entry) (*candidate, *grave) {
	if len(r.said) == maxForeign {
		r.noRoom = append(r.noRoom, e)
		return nil, nil
	}
	text := r.entryText(e)
	if text == "" {
		return nil, nil
	}
	buried := e.section == inDeletions && (e.plain || namesKey(text))
	if buried {
		text = "- " + text // no item says it in the same words
	}
	if r.said[text] {
		return nil, nil // the same text is the same item
	}
	r.said[text] = true
	if buried {
		return nil, r.plainTombstone(e, text[2:])
	}
	c := candidate{line: e.line(), end: e.end(), foreign: true, text: text}
	value := memfile.Str(text)
	title, rest, paired := cutTitle(text)
	switch {
	case paired && rest == "":
		c.slug = memfile.KeyPart(title, maxSlugBytes)
	case paired:
		c.slug = memfile.KeyPart(title, maxSlugBytes)
		if says(title, c.slug) {
			value = memfile.Str(rest)
		}
	default:
		c.slug = memfile.KeyPart(firstWords(text), maxSlugBytes)
	}
	if v, ok := r.structured(e); ok {
		value = v
		if len(v.Map) > 1 && v.Map[0].Value.Kind == memfile.String {
			c.slug = memfile.KeyPart(firstWords(v.Map[0].Value.Text), maxSlugBytes)
		}
	}
	if c.slug == "" {
		sum := sha256.Sum256([]byte(text))
		c.slug = "x" + hex.EncodeToString(sum[:4])
	}
	c.item = memfile.Item{
		Value:  value,
		Added:  r.today,
		Labels: labels.Labels{Source: source, Confidence: memfile.Low, Tags: []string{memfile.TagNeedsConfirmation, tagSalvaged}, By: memfile.ByAutomatic},
	}
	return &c, nil
}

// namesKey reports whether a text is a key, or has one as its title.
func namesKey(text string) bool {
	title, _, paired := cutTitle(text)
	return memfile.KeyForm(text) || paired && memfile.KeyForm(title)
}

// plainTombstone makes a tombstone of a plain string among the deletions.
func (r *reader) plainTombstone(e entry, text string) *grave {
	t := memfile.Tombstone{Removed: r.today, Reason: source}
	title, rest, paired := cutTitle(text)
	switch {
	case memfile.KeyForm(text):
		t.Key = text
	case paired && memfile.KeyForm(title):
		t.Key = title
		if rest != "" {
			t.Reason = rest
		}
	default:
		v := memfile.Str(text)
		t.Value = &v
	}
	return &grave{tomb: t, line: e.line(), plain: true, end: e.end()}
}

// entryText is a foreign entry's text on one line. A text that is quoted as a
// whole is unquoted; any other stands as it is, comment marks included, since
// whoever wrote it meant text.
func (r *reader) entryText(e entry) string {
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
	text := strings.Join(parts, " ")
	if text == "" || (text[0] != '"' && text[0] != '\'') || text[len(text)-1] != text[0] {
		return text
	}
	r.budget -= len(text)
	if r.budget < 0 {
		return text
	}
	if v, err := memfile.ParseValue(text); err == nil && v.Kind == memfile.String {
		return strings.Join(strings.Fields(v.Text), " ")
	}
	return text
}

// structured reads an entry that is more than a text: a list or map in
// brackets, or fields below a name. Its value is kept as it stands.
func (r *reader) structured(e entry) (memfile.Value, bool) {
	content, _ := e.content()
	flow := content != "" && (content[0] == '{' || content[0] == '[')
	if !flow && !hasChildren(e) {
		return memfile.Value{}, false
	}
	var b strings.Builder
	writeEntry(&b, e)
	r.budget -= b.Len()
	if r.budget < 0 {
		return memfile.Value{}, false
	}
	list, err := memfile.ParseValue(b.String())
	if err != nil || list.Kind != memfile.List || len(list.List) != 1 {
		return memfile.Value{}, false
	}
	v := list.List[0]
	if v.Kind == memfile.Map && len(v.Map) == 1 && v.Map[0].Value.Kind != memfile.List && v.Map[0].Value.Kind != memfile.Map {
		return memfile.Value{}, false
	}
	return v, v.Kind == memfile.List || v.Kind == memfile.Map
}

// hasChildren reports whether lines below the first are fields or a list.
func hasChildren(e entry) bool {
	for _, l := range e.lines[1:] {
		if _, _, ok := field(l.body); ok || isBullet(l) {
			return true
		}
	}
	return false
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

// says reports whether the slug tells the whole title, letter case aside.
func says(title, slug string) bool {
	plain := strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' {
			return '-'
		}
		return r
	}, strings.ToLower(title))
	return plain == slug
}

func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), slugWords)], " ")
}
