package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// The sizes of a derived key's parts.
const (
	categoryWords = 4
	textWords     = 5
	moreWords     = 9 // where the first five are taken
	partBytes     = 48
)

// defaultCategory is the first part of a key where no heading says one.
const defaultCategory = "notes"

// namer derives keys and gives each once.
type namer struct{ taken map[string]bool }

func newNamer() *namer { return &namer{taken: map[string]bool{}} }

// derive gives a candidate, whose value is set, a key and tags made of strings of
// the input, and keeps those strings for the policy. Where names each in a finding.
func (r *reading) derive(c *Candidate, category, about memfile.Text, tags ...memfile.Text) {
	c.Key, c.Derived = r.names.key(category.Text, about.Text), true
	c.arrived(category)
	if !strings.Contains(c.Value.Text, about.Text) {
		c.arrived(about)
	}
	made := c.Tags
	for _, t := range tags {
		made = append(made, tag(t.Text))
		c.arrived(t)
	}
	c.Tags = tagged(made...)
}

// arrived notes a string of the input, once.
func (c *Candidate) arrived(t memfile.Text) {
	if t.Text != "" && !slices.ContainsFunc(c.Arrived, func(u memfile.Text) bool { return u.Text == t.Text }) {
		c.Arrived = append(c.Arrived, t)
	}
}

// texts are strings of the input that have the same place.
func texts(where string, list []string) []memfile.Text {
	var out []memfile.Text
	for _, s := range list {
		out = append(out, memfile.Text{Where: where, Text: s})
	}
	return out
}

// key is a key for a text under a category: its first words that carry
// meaning, more of them where those are taken, then a number.
func (n *namer) key(category, text string) string {
	part := categoryPart(category)
	key := part + "." + slug(text, textWords)
	if n.taken[key] {
		key = part + "." + slug(text, moreWords)
	}
	base := key
	for i := 2; n.taken[key]; i++ {
		key = base + "-" + strconv.Itoa(i)
	}
	n.taken[key] = true
	return key
}

// categoryPart is the first part of a key. The prefixes that mean something to
// memory are not given by accident: a heading "Lessons" makes no lessons.* key,
// whose value would have to be a map.
func categoryPart(category string) string {
	// "Key links" are links, and key-links.… would read like a key that is given.
	part := strings.TrimPrefix(slug(category, categoryWords), "key-")
	part = strings.TrimLeft(part, "0123456789-_")
	switch {
	case category == "" || part == "":
		return defaultCategory
	case part == "lessons":
		return "lesson"
	}
	return part
}

// slug is a text as one part of a key: at most so many words, lower-case
// letters and digits joined by dashes, without the words that every sentence
// has. Where little is left, it gets the digits of the text's hash.
func slug(text string, most int) string {
	var words []string
	size := 0
	for _, w := range strings.FieldsFunc(unapostrophe.Replace(strings.ToLower(text)), notWord) {
		if fillers[w] {
			continue
		}
		w = memfile.KeyWord(w)
		if len(words) == 0 { // a sentence of a script without spaces is one word
			w = memfile.CutKey(w, partBytes-1)
		}
		if len(words) == most || size+len(w) >= partBytes {
			break
		}
		words, size = append(words, w), size+len(w)+1
	}
	if size < 3 {
		sum := sha256.Sum256([]byte(memfile.NormalText(text)))
		words = append(words, "x"+hex.EncodeToString(sum[:4]))
	}
	return strings.Join(words, "-")
}

// unapostrophe keeps don't one word.
var unapostrophe = strings.NewReplacer("'", "", "’", "")

func notWord(r rune) bool { return !memfile.KeyLetter(r) }

// fillers are left out of keys. Words that turn a meaning round stay in.
var fillers = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "as": true, "at": true, "be": true, "by": true, "for": true, "from": true,
	"in": true, "into": true, "is": true, "it": true, "its": true, "of": true, "on": true, "or": true, "that": true,
	"the": true, "then": true, "this": true, "to": true, "when": true, "with": true, "you": true, "your": true, "please": true,
	"all": true, "our": true, "their": true, "these": true, "should": true, "must": true,
}

// tag is a heading or a word as a tag; "" where nothing is left of it.
func tag(text string) string {
	if strings.IndexFunc(strings.ToLower(text), func(r rune) bool { return !notWord(r) }) < 0 {
		return ""
	}
	return slug(text, categoryWords)
}

// tagged joins tags, each once, without empty ones.
func tagged(tags ...string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, t := range tags {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
