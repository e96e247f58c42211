package cache

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestChunksAreWholeLinesUnderTheirHeadings(t *testing.T) {
	paragraph := strings.Repeat("word ", 70)
	text := "# One\n\n" + paragraph + "\n\n" + paragraph + "\n\n## Two\n\n" + paragraph + "\n" + strings.Repeat("x", 2500) + " " + strings.Repeat("end ", 300) + "  \nbroken  \nhard" + "\n\n# Three\nend\n"
	list := chunksBySize(text, 5, chunkBytes)
	lines := strings.Split(text, "\n")
	last := 4
	for _, c := range list {
		if len(c.text) > chunkBytes || c.firstLine < last || c.lastLine < c.firstLine {
			t.Errorf("chunk %s of %d bytes after line %d", c.lineAnchor(), len(c.text), last)
		}
		last = c.lastLine
		if !strings.Contains(strings.Join(lines[c.firstLine-5:c.lastLine-4], "\n"), c.text) {
			t.Errorf("chunk %s does not stand on its lines", c.lineAnchor())
		}
	}
	all := ""
	for _, c := range list {
		all += c.text
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if squeeze(all) != squeeze(text) {
		t.Error("text was lost or repeated")
	}
	if got := list[len(list)-1].headings; !slices.Equal(got, []string{"Three"}) || len(list) < 4 {
		t.Errorf("last of %d chunks stands under %q", len(list), got)
	}
}

// A chunk is of the text byte for byte, so that a hit can be compared with its file.
func FuzzChunks(f *testing.F) {
	f.Add("# One\n\ntwo  \nthree\n```\n# no heading\n```\n", 10)
	f.Add(strings.Repeat("东京 ", 90), 100)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if !utf8.ValidString(text) || size < 4 || size > 2000 {
			return
		}
		rest, last := text, 1
		for _, c := range chunksBySize(text, 1, size) {
			at := strings.Index(rest, c.text)
			if at < 0 || strings.TrimSpace(rest[:max(at, 0)]) != "" || len(c.text) > size || c.firstLine < last || c.lastLine < c.firstLine {
				t.Fatalf("chunk %s, %q, is not the next of %q", c.lineAnchor(), c.text, rest)
			}
			rest, last = rest[at+len(c.text):], c.lastLine
		}
		if strings.TrimSpace(rest) != "" {
			t.Fatalf("%q is left out", rest)
		}
	})
}
