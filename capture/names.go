package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// The sizes of a derived key's parts. Words that negate others are not counted.
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

// key makes a key for a text under a category from the first words of its subject. If another text has that key,
// it adds words, and then a number. negated says that the heading above the text reverses its meaning.
func (n *namer) key(category, text string, negated bool) string {
	part := categoryPart(category)
	words, more := subjectWords(withoutTargets(text))
	if negated && !negative(text) {
		words = append([]keyWord{{text: "no", link: true}}, words...)
	}
	key := part + "." + joined(words, text)
	label, _ := labelOf(text)
	for len(more) > 0 && (n.taken[key] || label == "" && saysLittle(words, part)) {
		words, more = append(words, more[0]), more[1:]
		key = part + "." + joined(words, text)
	}
	base := key
	for i := 2; n.taken[key]; i++ {
		key = base + "-" + strconv.Itoa(i)
	}
	n.taken[key] = true
	return key
}

// saysLittle reports whether the words only repeat the area, or are one that is short or about anything.
func saysLittle(words []keyWord, area string) bool {
	stem := func(w string) string { return strings.TrimSuffix(strings.TrimSuffix(w, "s"), "ing") }
	repeats := func(w keyWord) bool {
		return slices.ContainsFunc(strings.Split(area, "-"), func(a string) bool { return stem(a) == stem(w.text) })
	}
	few := len(words) == 1 && (len(words[0].text) < 3 || words[0].text == "everything" || words[0].text == "steps")
	return len(words) > 0 && few || !slices.ContainsFunc(words, func(w keyWord) bool { return !repeats(w) })
}

// categoryPart is the first part of a key. The prefixes that mean something to
// memory are not given by accident: a heading "Lessons" makes no lessons.* key,
// whose value would have to be a map.
func categoryPart(category string) string {
	// "Key links" are links, and key-links.… would read like a key that is given.
	if name, rest, _ := strings.Cut(category, " "); strings.HasSuffix(strings.ToLower(name), ".md") {
		category = rest // the title "CLAUDE.md" says nothing
	}
	words := keyWords(category)
	if len(words) > 1 && words[0].text == "key" {
		words = words[1:]
	}
	words = firstWords(words, categoryWords)
	part := strings.TrimLeft(joined(words, category), "0123456789-_")
	switch {
	case category == "" || part == "":
		return defaultCategory
	case negative(category) && len(words) == 0: // "Never", "What not to do"
		return "avoid"
	case negative(category) && !negative(part): // "Things to avoid"
		return part + "-avoid"
	case part == "lessons":
		return "lesson"
	}
	return part
}

// joined is words as one part of a key, as far as there is room. What has none that can stand
// in a key gets the digits of the hash of its text.
func joined(words []keyWord, text string) string {
	var kept []string
	size := 0
	for _, w := range withoutLastLinks(words) {
		if size += len(w.text) + 1; size > partBytes {
			break
		}
		kept = append(kept, w.text)
	}
	if part := strings.Join(kept, "-"); len(part) > 1 {
		return part
	}
	sum := sha256.Sum256([]byte(memfile.NormalText(text)))
	return strings.Join(append(kept, "x"+hex.EncodeToString(sum[:4])), "-")
}

// tag is a heading or a word as a tag; "" where nothing is left of it.
func tag(text string) string {
	words := firstWords(keyWords(text), categoryWords)
	if len(words) == 0 {
		return ""
	}
	return joined(words, text)
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
