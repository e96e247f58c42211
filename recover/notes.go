package recovery

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// The parts of the line above each original. Its length makes Originals exact,
// whatever the original holds and however it ends.
const (
	noteStart    = "The file as it was before it was recovered"
	noteOn       = " on "
	noteSize     = ", in "
	noteBytes    = " bytes"
	noteRedacted = ", secrets redacted"
	noteInGit    = ", in git, and its lines that are in no memory"
	noteEnd      = ":"
)

// original is a file as it was, for the notes.
type original struct {
	bytes    []byte
	redacted bool
	command  string // that prints it; then bytes are this and what no memory was made of
}

// newOriginal is what the notes say of a source: the source itself, without
// its secrets where it has any.
func newOriginal(src []byte) original {
	if !holdsSecret(src) {
		return original{bytes: src}
	}
	return original{bytes: policy.Redact(src), redacted: true}
}

// holdsSecret reports whether the policy finds a secret in the bytes. What it
// finds in a line that names a key in our form is none: keys are ruled on by
// themselves, and a made-up one (recovered.x1a2b3c4d) looks like a token.
func holdsSecret(src []byte) bool {
	found := policy.Scan(src)
	if len(found) == 0 {
		return false
	}
	lines := bytes.Split(src, []byte("\n"))
	for _, f := range found {
		if f.Line < 1 || f.Line > len(lines) || !namesItem(string(lines[f.Line-1])) {
			return true
		}
	}
	return false
}

// namesItem reports whether a line is "key: …" with a key in our form.
func namesItem(l string) bool {
	l = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(l), "-"))
	name, text, ok := field(l)
	return ok && name == "key" && memfile.KeyForm(text)
}

// writeNotes appends the notes section: the new original, if there is one, and
// below it what the old section held, unchanged.
func writeNotes(b *bytes.Buffer, orig original, old []byte, today string) {
	if len(orig.bytes) == 0 {
		if len(old) > 0 {
			b.WriteByte('\n')
			b.Write(old)
		}
		return
	}
	fmt.Fprintf(b, "\n%s\n\n%s%s%s", memfile.NotesHeading, noteStart, noteOn, today)
	switch {
	case orig.command != "" && bytes.Count(orig.bytes, []byte("\n")) > 1:
		b.WriteString(noteInGit)
	case orig.command == "":
		fmt.Fprintf(b, "%s%d%s", noteSize, len(orig.bytes), noteBytes)
	}
	if orig.redacted && orig.command == "" {
		b.WriteString(noteRedacted)
	}
	b.WriteString(noteEnd + "\n\n")
	mark := fenceFor(orig.bytes)
	b.WriteString(mark + "text\n")
	b.Write(orig.bytes)
	if last := orig.bytes[len(orig.bytes)-1]; last != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(mark + "\n")
	b.Write(withoutHeading(old))
}

// withoutHeading is an old notes section below its heading, which the new one
// already has.
func withoutHeading(old []byte) []byte {
	if len(old) == 0 {
		return nil
	}
	_, rest, _ := bytes.Cut(old, []byte("\n"))
	if len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		return append([]byte("\n"), rest...)
	}
	return rest
}

// fenceFor is a fence longer than any run of its character in the text, of
// backticks or, where that is shorter, tildes.
func fenceFor(text []byte) string {
	ticks, tildes := longestRun(text, '`'), longestRun(text, '~')
	if tildes < ticks && ticks >= 16 {
		return strings.Repeat("~", max(3, tildes+1))
	}
	return strings.Repeat("`", max(3, ticks+1))
}

func longestRun(text []byte, c byte) int {
	longest, run := 0, 0
	for _, b := range text {
		if b != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

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
