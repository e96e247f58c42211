package chars

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
)

// HiddenKind is the kind of the first character that a reader does not see, or that turns
// the text around it: control, bidi, tags, zero-width, invalid-utf8; "" where there is none.
func HiddenKind(s string) string {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if kind := HiddenRune(r, n, s, i); kind != "" {
			return kind
		}
		i += n
	}
	return ""
}

// HiddenRune is HiddenKind of one character, of n bytes at i in s.
func HiddenRune(r rune, n int, s string, i int) string {
	switch {
	case r == utf8.RuneError && n == 1:
		return "invalid-utf8"
	case r == '\n' || r == '\t' || r == '\r':
		return ""
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return "control"
	case r < 0xad:
		return ""
	case spelling.IsBidi(r):
		return "bidi"
	case r >= 0xe0000 && r <= 0xe007f:
		if isFlagTag(s, i) {
			return ""
		}
		return "tags"
	case spelling.IsInvisible(r) && !isUsefulJoiner(r, s, i, n):
		return "zero-width"
	}
	return ""
}

// isUsefulJoiner reports whether an invisible character does honest work where it
// stands: joiners inside emoji, Indic, Arabic and Persian words, one variation
// selector after a symbol or a Han or Mongolian letter, a direction mark or a sign of
// numbers beside right-to-left letters, a blank beside Braille.
func isUsefulJoiner(r rune, s string, i, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	switch r {
	case 0x200c, 0x200d: // non-joiner, joiner
		return isJoinable(before) && (isJoinable(after) || r == 0x200d && unicode.Is(unicode.So, after))
	case 0x200e, 0x200f, 0x61c:
		return isBesideRightToLeft(s, i, n)
	case 0xfe0e, 0xfe0f:
		return before >= 0x80 && (unicode.IsSymbol(before) || unicode.IsPunct(before)) || after == 0x20e3 // of a key: 1️⃣
	case 0xad: // soft hyphen: inside a word only, where typesetters put it
		return unicode.IsLetter(before) && unicode.IsLetter(after) && strings.Count(s, "\u00ad") <= 2
	case 0x2800:
		return isBraille(before) || isBraille(after)
	case 0x180e:
		return unicode.Is(unicode.Mongolian, before) && unicode.Is(unicode.Mongolian, after)
	case 0x110bd, 0x110cd:
		return unicode.Is(unicode.Kaithi, after)
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return isBesideRightToLeft(s, i, n)
	}
	return unicode.Is(unicode.Variation_Selector, r) && unicode.IsLetter(before) && unicode.In(before, unicode.Han, unicode.Mongolian)
}

// isBraille reports whether the character is a Braille cell that is not empty.
func isBraille(r rune) bool { return r != 0x2800 && unicode.Is(unicode.Braille, r) }

func isJoinable(r rune) bool {
	return r == 0xfe0f || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || unicode.IsMark(r) ||
		unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
			unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
			unicode.Sinhala, unicode.Khmer, unicode.Mongolian, unicode.Tibetan, unicode.Myanmar)
}

// isBesideRightToLeft reports whether a letter of a right-to-left script is near the n bytes at i.
func isBesideRightToLeft(s string, i, n int) bool {
	return strings.ContainsFunc(s[max(0, i-24):i]+s[i+n:min(len(s), i+n+24)], isRightToLeft)
}

func isRightToLeft(r rune) bool {
	return unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana)
}

// isFlagTag reports whether a tag character belongs to the flag of a region:
// black flag, then at most seven tags.
func isFlagTag(s string, i int) bool {
	const flag = "\U0001F3F4"
	start := max(0, i-7*4-len(flag))
	from := strings.LastIndex(s[start:i], flag)
	if from < 0 {
		return false
	}
	from += start
	for _, r := range s[from+len(flag) : i] {
		if r < 0xe0000 || r > 0xe007f {
			return false
		}
	}
	return true
}
