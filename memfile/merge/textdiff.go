package merge

import (
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Part is a piece of a text that changed: in both versions, only in the old
// one, or only in the new one.
type Part struct {
	Text string
	Gone bool // only in the old version
	New  bool // only in the new version
}

// maxDiffBytes is the length above which two texts are not compared piece by
// piece: the comparison takes the square of it.
const maxDiffBytes = 4096

// TextDiff lists the pieces that turn one text into the other, cut where a
// person would see the change. Texts that are long, or not UTF-8, are one piece
// each.
func TextDiff(before, after string) []Part {
	if before == after {
		return []Part{{Text: after}}
	}
	if len(before)+len(after) > maxDiffBytes || !utf8.ValidString(before) || !utf8.ValidString(after) {
		return []Part{{Text: before, Gone: true}, {Text: after, New: true}}
	}
	d := diffmatchpatch.New()
	var parts []Part
	for _, piece := range d.DiffCleanupSemantic(d.DiffMain(before, after, false)) {
		parts = append(parts, Part{
			Text: piece.Text,
			Gone: piece.Type == diffmatchpatch.DiffDelete,
			New:  piece.Type == diffmatchpatch.DiffInsert,
		})
	}
	return parts
}
