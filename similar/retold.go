package similar

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// maxRetold is how many times as many words a text may have that says something again.
const maxRetold = 3

// Retells reports whether the rule and a text say one thing, one of them perhaps in more words: the
// distinctive words of the shorter are all in the longer, and none is denied in only one of them. It
// takes more for equal than Restated, and is for texts of one moment: what a person just said, and
// what an agent makes of it.
func (r Rule) Retells(text string) bool {
	short, long := r.said, readStatement(text)
	if len(short.words) > len(long.words) {
		short, long = long, short
	}
	if len(short.words) < minShared || len(long.words) > maxRetold*len(short.words) {
		return false
	}
	mine, theirs := short.limits(), long.limits()
	return !slices.ContainsFunc(short.words, func(w string) bool {
		return !slices.Contains(long.words, w) || isDenied(mine[w]) != isDenied(theirs[w])
	})
}

// English reports whether a text is probably English: its letters are, and of so many words or more
// one in twelve is a word that only holds English sentences together.
func English(text string, from int) bool {
	words, held := 0, 0
	for w := range strings.FieldsSeq(text) {
		w = strings.ToLower(strings.Trim(w, opening+closing))
		if strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
			return false
		}
		words++
		if english()[w] {
			held++
		}
	}
	return words < from || held*12 >= words
}

// english are words that are frequent in English and rare in languages with the same letters.
var english = sync.OnceValue(func() map[string]bool {
	return set(`the this that these those with from for of to in is are be was and or not never always please use add fix make run
write keep when why what how should must have has you your it its we our my all each every before after don't do only instead now
tests test files code commit`)
})
