package recovery

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/memfile"
)

// notWithin notes the lines of a side that are in none of its regions, such as a person's own text.
func (c *collector) notWithin(side []line, regions []region) {
	within := map[int]bool{}
	for _, reg := range regions {
		for _, l := range reg.lines {
			within[l.n] = true
		}
	}
	for _, l := range side {
		c.read[l.n] = true
		if _, fence := fenceAt(l); !fence && !within[l.n] {
			c.outside[l.n] = true
		}
	}
}

// unsaved are the lines that the block made of the file does not say: those outside its memory, those that were set aside, and
// those with a word that the block lacks. What was forgotten is not among them: a note would bring it back.
func (c *collector) unsaved(block []byte) []byte {
	for n, why := range c.aside {
		for _, l := range c.extent[n] {
			c.outside[l.n], c.bound[l.n] = true, c.bound[l.n] || why == whyForgotten
		}
		c.bound[n] = c.bound[n] || why == whyForgotten
	}
	said := map[string]bool{}
	for _, w := range wordsOf(string(block)) {
		said[w] = true
	}
	var b bytes.Buffer
	for _, l := range c.lines {
		name, day, _ := field(l.body)
		ours := name == "updated" && memfile.FormedDay(day) == day
		lacks := func(w string) bool { return !said[w] && !ours }
		if c.read[l.n] && !l.blank() && !c.bound[l.n] && (c.outside[l.n] || slices.ContainsFunc(wordsOf(l.body), lacks)) {
			b.WriteString(strings.Repeat(" ", l.indent) + l.body + "\n")
		}
	}
	return append(b.Bytes(), c.unread...)
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
