package view

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// WordChanges returns what changed from one text to another, word by word: parts of both, of the old text alone (DiffDelete) and
// of the new one alone (DiffInsert).
func WordChanges(before, after string) []diffmatchpatch.Diff {
	words := func(text string) string { return strings.ReplaceAll(text, " ", " \n") + " \n" } // a word is a line
	d := diffmatchpatch.New()
	was, is, list := d.DiffLinesToRunes(words(before), words(after))
	parts := d.DiffCharsToLines(d.DiffMainRunes(was, is, false), list)
	for i, p := range parts {
		parts[i].Text = strings.ReplaceAll(p.Text, " \n", " ")
		if i == len(parts)-1 || p.Type == diffmatchpatch.DiffDelete && i == len(parts)-2 {
			parts[i].Text = strings.TrimSuffix(parts[i].Text, " ")
		}
	}
	return parts
}
