package merge

import (
	"strings"
	"unicode"
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

// maxDiffWords is the number of words above which two texts are not compared
// word by word: the comparison takes the square of it.
const maxDiffWords = 4096

// TextDiff lists the pieces that turn one text into the other. It never cuts a
// word. Texts that are long, not UTF-8, or have little in common are one piece each.
func TextDiff(before, after string) []Part {
	if before == after {
		return []Part{{Text: after}}
	}
	whole := []Part{{Text: before, Gone: true}, {Text: after, New: true}}
	if !utf8.ValidString(before) || !utf8.ValidString(after) {
		return whole
	}
	w := &wordRunes{names: map[string]rune{}}
	was, is := w.encode(before), w.encode(after)
	if len(was)+len(is) > maxDiffWords {
		return whole
	}
	d := diffmatchpatch.New()
	var parts []Part
	same := 0
	for _, piece := range d.DiffCleanupSemantic(d.DiffMainRunes(was, is, false)) {
		parts = append(parts, Part{
			Text: w.decode(piece.Text),
			Gone: piece.Type == diffmatchpatch.DiffDelete,
			New:  piece.Type == diffmatchpatch.DiffInsert,
		})
		if piece.Type == diffmatchpatch.DiffEqual {
			same += len(parts[len(parts)-1].Text)
		}
	}
	if same*3 < min(len(before), len(after)) {
		return whole
	}
	return parts
}

// wordRunes gives each word a rune of its own, because the library compares runes.
type wordRunes struct {
	names map[string]rune
	words []string
}

// firstRune is the rune of the first word. The library treats spaces and line ends, which are
// below it, in their own way.
const firstRune = 0xE000

func (w *wordRunes) encode(text string) []rune {
	var list []rune
	for text != "" && len(list) <= maxDiffWords {
		n := wordLength(text)
		word := text[:n]
		text = text[n:]
		name, known := w.names[word]
		if !known {
			name = firstRune + rune(len(w.words))
			w.names[word] = name
			w.words = append(w.words, word)
		}
		list = append(list, name)
	}
	return list
}

func (w *wordRunes) decode(names string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(w.words[name-firstRune])
	}
	return b.String()
}

// wordLength is how many bytes the word at the beginning of a text has. A character that is
// neither letter nor digit is a word by itself, and so is one of a script without spaces.
func wordLength(text string) int {
	for i, r := range text {
		if r >= firstEastAsian || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			if i > 0 {
				return i
			}
			return utf8.RuneLen(r)
		}
	}
	return len(text)
}

// firstEastAsian is where Unicode's blocks of Chinese, Japanese and Korean begin.
const firstEastAsian = 0x2E80
