package similar

import (
	"strings"

	"github.com/memctl/memctl/internal/spelling"
)

const (
	// minPlural is the length from which a word and the same word with an s are one: not
	// "c" and "cs".
	minPlural = 4
	// minDoubled is the length from which a letter written once or twice, or two letters
	// that changed places, are a mistake: "form" and "from" are two words.
	minDoubled = 5
	// minEdited is the length from which any one wrong letter within the word is a mistake.
	// Shorter words have too many neighbours: "content" and "context", "tracing" and
	// "tracking".
	minEdited = 9
)

// Keys reports whether one of two different keys is probably the other one misspelled: all
// their words are equal but one, which differs by one typing mistake. A word and its plural are
// two words: "node.version" and "node.versions". Keys that differ in nothing but their separators are the same, too.
func Keys(a, b string) bool {
	if a == b || a == "" || b == "" || a[0] != b[0] { // no mistake is in a word's first letter
		return false
	}
	v, w := keyWords(a), keyWords(b)
	if len(v) != len(w) {
		return letters(a) == letters(b)
	}
	other := -1
	for i := range v {
		if v[i] == w[i] {
			continue
		}
		if other >= 0 {
			return false
		}
		other = i
	}
	return other < 0 || misspelled(v[other], w[other])
}

// keyWords are the words of a key.
func keyWords(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// letters is a key without its separators, except those beside a digit: "v1.1" is not "v11".
func letters(key string) string {
	digit := func(i int) bool { return i >= 0 && i < len(key) && '0' <= key[i] && key[i] <= '9' }
	var b strings.Builder
	for i := range len(key) {
		if strings.IndexByte(".-_", key[i]) < 0 || digit(i-1) || digit(i+1) {
			b.WriteByte(key[i])
		}
	}
	return b.String()
}

// misspelled reports whether one of two words is the other one with one typing mistake after its first letter and before its last: mistakes there make other words, as in
// "trust" and "rust", "route" and "router".
func misspelled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.ContainsAny(a+b, "0123456789") || a[0] != b[0] {
		return false
	}
	if a[len(a)-1] != b[len(b)-1] || spelling.Distance(a, b) != 1 {
		return false
	}
	return len(b) >= minEdited || len(b) >= minDoubled && (once(a) == once(b) || len(a) == len(b) && swapped(a, b))
}

// once is a word with every doubled letter written once.
func once(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if i == 0 || word[i] != word[i-1] {
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

// swapped reports whether two words of one length, at distance 1, differ by two letters that
// changed places.
func swapped(a, b string) bool {
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 2
}
