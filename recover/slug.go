package recovery

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// latin spells the letters that have no accent to drop as their readers do.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ı", "i", "ŋ", "n")

// ascii spells Latin letters without their accents. Letters of other scripts
// stay as they are.
func ascii(text string) string {
	plain := strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	if plain {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(latin.Replace(text)))
}

// slug makes a part of a key: lower-case ASCII letters and digits, everything
// else one hyphen. It is cut at a word where it can be.
func slug(text string, limit int) string {
	var b strings.Builder
	for _, r := range ascii(strings.ToLower(text)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
		if b.Len() > limit {
			break
		}
	}
	s := b.String()
	if len(s) > limit {
		s = s[:limit]
		if i := strings.LastIndexByte(s, '-'); i > limit/2 {
			s = s[:i]
		}
	}
	return strings.Trim(s, "-")
}
