package spelling

import (
	"slices"
	"strings"
)

const (
	// minLenDoubled is the length from which a letter written once or twice, or two letters
	// that changed places, are a mistake: "form" and "from" are two words.
	minLenDoubled = 5
	// minLenEdited is the length from which any one wrong letter within the word is a mistake.
	// Shorter words have too many neighbours: "content" and "context", "tracing" and
	// "tracking".
	minLenEdited = 9
)

// IsMisspelled reports whether one of two different keys is probably the other one misspelled: all
// their words are equal but one, which differs by one typing mistake. A word and its plural are
// two words: "node.version" and "node.versions". Keys that differ in nothing but their separators are the same, too,
// and so are keys that look the same because their letters are of other alphabets.
func IsMisspelled(a, b string) bool {
	if a == b || a == "" || b == "" {
		return false
	}
	if a, b = Fold(a), Fold(b); a == b {
		return true
	}
	if a == "" || b == "" || a[0] != b[0] { // no mistake is in a word's first letter
		return false
	}
	v, w := splitKey(a), splitKey(b)
	if len(v) != len(w) {
		return withoutSeparators(a) == withoutSeparators(b)
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
	return other < 0 || isMisspelledWord(v[other], w[other])
}

// splitKey are the words of a key.
func splitKey(key string) []string {
	return strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// withoutSeparators is a key without its separators, except those beside a digit: "v1.1" is not "v11".
func withoutSeparators(key string) string {
	digit := func(i int) bool { return i >= 0 && i < len(key) && '0' <= key[i] && key[i] <= '9' }
	var b strings.Builder
	for i := range len(key) {
		if strings.IndexByte(".-_", key[i]) < 0 || digit(i-1) || digit(i+1) {
			b.WriteByte(key[i])
		}
	}
	return b.String()
}

// isMisspelledWord reports whether one of two words is the other one with one typing mistake after its first letter and before its last: mistakes there make other words, as in
// "trust" and "rust", "route" and "router".
func isMisspelledWord(v, w string) bool {
	a, b := []rune(v), []rune(w)
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.ContainsFunc(v+w, isOwnWord) || a[0] != b[0] {
		return false
	}
	if a[len(a)-1] != b[len(b)-1] || Distance(v, w) != 1 {
		return false
	}
	return len(b) >= minLenEdited || len(b) >= minLenDoubled && (slices.Equal(withoutDoubles(a), withoutDoubles(b)) || len(a) == len(b) && isTransposed(a, b))
}

// isOwnWord reports whether a character makes another word where it differs: a digit, or
// one that is a word or a syllable, as in Chinese, Japanese and Korean.
func isOwnWord(r rune) bool { return '0' <= r && r <= '9' || r >= 0x2e80 }

// withoutDoubles is a word with every doubled letter written once.
func withoutDoubles(word []rune) []rune { return slices.Compact(slices.Clone(word)) }

// isTransposed reports whether two words of one length, at distance 1, differ by two letters that
// changed places.
func isTransposed(a, b []rune) bool {
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 2
}
