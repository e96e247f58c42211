package view

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// WordChanges returns what changed from one text to another, word by word: parts of both, of the old text alone (DiffDelete) and
// of the new one alone (DiffInsert).
func WordChanges(before, after string) []diffmatchpatch.Diff {
	lines := strings.NewReplacer(" ", "\n \n", "\n", "\n\x00\n") // a word is a line, and so is what separates two
	text := strings.NewReplacer("\n", "", "\x00", "\n")
	d := diffmatchpatch.New()
	was, is, list := d.DiffLinesToRunes(lines.Replace(before)+"\n", lines.Replace(after)+"\n")
	parts := d.DiffCharsToLines(d.DiffMainRunes(was, is, false), list)
	for i, p := range parts {
		parts[i].Text = text.Replace(p.Text)
	}
	return parts
}
