package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
)

// The sizes of a derived key's parts.
const (
	categoryWords = 2
	textWords     = 3
	partBytes     = 48
)

// defaultCategory is the first part of a key where no heading says one.
const defaultCategory = "notes"

// namer derives keys and gives each once.
type namer struct{ taken map[string]bool }

func newNamer() *namer { return &namer{taken: map[string]bool{}} }

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
// meaning, where those are taken other ones of them, then a number.
func (n *namer) key(category, text string) string {
	part := categoryPart(category)
	words := keyWords(text)
	key := part + "." + joined(words[:min(len(words), textWords)], text)
	for i := textWords; n.taken[key] && i < len(words); i++ {
		key = part + "." + joined(append(slices.Clone(words[:textWords-1]), words[i]), text)
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
	words := keyWords(category)
	if len(words) > 1 && words[0] == "key" {
		words = words[1:]
	}
	part := strings.TrimLeft(joined(words[:min(len(words), categoryWords)], category), "0123456789-_")
	switch {
	case category == "" || part == "":
		return defaultCategory
	case part == "lessons":
		return "lesson"
	}
	return part
}

// keyWords are the words of a text that can stand in a key and say something, in lower case.
func keyWords(text string) []string {
	var words []string
	filler := fillers()
	for _, w := range strings.FieldsFunc(unapostrophe.Replace(strings.ToLower(text)), notWord) {
		w = memfile.CutKey(memfile.KeyWord(w), partBytes-1) // a sentence of a script without spaces is one word
		if w != "" && !filler[w] && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// joined is words as one part of a key, as far as there is room. What has none that can stand
// in a key gets the digits of the hash of its text.
func joined(words []string, text string) string {
	var kept []string
	size := 0
	for _, w := range words {
		if size += len(w) + 1; size > partBytes {
			break
		}
		kept = append(kept, w)
	}
	if part := strings.Join(kept, "-"); len(part) > 1 {
		return part
	}
	sum := sha256.Sum256([]byte(memfile.NormalText(text)))
	return strings.Join(append(kept, "x"+hex.EncodeToString(sum[:4])), "-")
}

// unapostrophe keeps don't one word.
var unapostrophe = strings.NewReplacer("'", "", "’", "")

func notWord(r rune) bool { return !memfile.KeyLetter(r) }

// fillers are left out of keys: they stand in any sentence, and the value says whether a rule is
// about doing something or about not doing it.
var fillers = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by can could did do does doing for from had has have he her here his how i if in
into is it its just let lets may me might must my no nor not of off on once only or our ours out over own shall she should so
some such than that the their them then there these they this those to too up us very was we were what when where
which while who whom why will with would you your yours please all any each every both always never ever also make makes sure
ensure note remember dont doesnt isnt arent cant cannot wont shouldnt mustnt didnt instead before after until about`) {
		set[w] = true
	}
	return set
})

// tag is a heading or a word as a tag; "" where nothing is left of it.
func tag(text string) string {
	words := keyWords(text)
	if len(words) == 0 {
		return ""
	}
	return joined(words[:min(len(words), categoryWords)], text)
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
