package merge

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memctl/memctl/internal/linemerge"
)

// Part is a piece of a text that changed: in both versions, only in the old
// one, or only in the new one.
type Part struct {
	Text string
	Gone bool // only in the old version
	New  bool // only in the new version
}

// change is words that were replaced (none on a side that has none), and those that follow in both texts.
type change struct{ gone, new, same []string }

// TextDiff lists the pieces that turn one text into the other. It never cuts a
// word. Texts that have little in common are one piece each.
func TextDiff(before, after string) (parts []Part) {
	was, is := words(before), words(after)
	var list []change
	var now change
	changed := func(gone, new []string) {
		switch {
		case len(now.same) == 0:
		case len(now.gone)+len(now.new) == 0 || slices.ContainsFunc(now.same, func(w string) bool { return strings.ContainsFunc(w, inWord) }):
			list, now = append(list, now), change{}
		default: // what joins two changed words is a part of the change
			now = change{gone: append(now.gone, now.same...), new: append(now.new, now.same...)}
		}
		now.gone, now.new = append(now.gone, gone...), append(now.new, new...)
	}
	at, same := 0, 0
	for i, j := range append(linemerge.Match(was, is), len(is)) {
		if j < 0 {
			changed(was[i:i+1], nil)
			continue
		}
		if at < j {
			changed(nil, is[at:j])
		}
		if at = j + 1; i < len(was) {
			now.same, same = append(now.same, was[i]), same+len(was[i])
		}
	}
	if same*3 < min(len(before), len(after)) {
		list, now = nil, change{gone: was, new: is}
	}
	for _, c := range append(list, now) {
		for i, piece := range [][]string{c.gone, c.new, c.same} {
			if len(piece) > 0 {
				parts = append(parts, Part{Text: strings.Join(piece, ""), Gone: i == 0, New: i == 1})
			}
		}
	}
	return parts
}

// words cuts a text into words. A character that is neither letter nor digit is a word by itself,
// and so is one of a script without spaces.
func words(text string) (list []string) {
	start, open := 0, false
	for i, r := range text {
		goesOn := inWord(r) && r < firstEastAsian
		if i > start && !(open && goesOn) {
			list, start = append(list, text[start:i]), i
		}
		open = goesOn
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

// firstEastAsian is where Unicode's blocks of Chinese, Japanese and Korean begin.
const firstEastAsian = 0x2E80
