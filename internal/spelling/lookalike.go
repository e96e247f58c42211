package spelling

import (
	"strings"
	"unicode"
)

// LatinLookalike returns the small Latin letter that a letter of another script is taken
// for, such as a Cyrillic or a Greek one; 0 where there is none. Capitals are listed
// only where they look like another letter than their small form does: Greek
// Ν is an N, and ν a v.
func LatinLookalike(r rune) byte {
	switch r {
	case 'а', 'α', 'ɑ':
		return 'a'
	case 'в', 'Β', 'β':
		return 'b'
	case 'с', 'ϲ':
		return 'c'
	case 'ԁ', 'ɗ':
		return 'd'
	case 'е', 'ε', 'є':
		return 'e'
	case 'ɡ', 'ց':
		return 'g'
	case 'һ', 'н', 'Η', 'հ':
		return 'h'
	case 'і', 'ι', 'ı', 'ɩ', 'ї':
		return 'i'
	case 'ј', 'ϳ':
		return 'j'
	case 'к', 'κ':
		return 'k'
	case 'ӏ':
		return 'l'
	case 'м', 'Μ':
		return 'm'
	case 'п', 'η', 'Ν', 'ո', 'ռ':
		return 'n'
	case 'о', 'ο', 'օ':
		return 'o'
	case 'р', 'ρ':
		return 'p'
	case 'ԛ', 'զ':
		return 'q'
	case 'ѕ':
		return 's'
	case 'т', 'τ':
		return 't'
	case 'υ', 'ս', 'ʋ':
		return 'u'
	case 'ѵ', 'ν':
		return 'v'
	case 'ԝ', 'ω':
		return 'w'
	case 'х', 'χ':
		return 'x'
	case 'у', 'ү', 'γ', 'Υ':
		return 'y'
	case 'ζ':
		return 'z'
	}
	return 0
}

// IsUnspaced reports whether a letter is of a script that sets no spaces between words, or the sign that makes a vowel of
// one long.
func IsUnspaced(r rune) bool {
	return r >= 0x2E80 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)) ||
		r >= 0x0E00 && r < 0x1800 && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer)
}

// IsBidi reports whether a character embeds, overrides or isolates the direction of
// text. The plain marks (LRM, RLM, ALM) are in honest Arabic and Hebrew.
func IsBidi(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0x206a && r <= 0x206f
}

// IsInvisible reports whether a reader does not see the character: those that Unicode calls formatting, default
// ignorable or variation selectors, and blanks that are no white space. IsBidi's are among them. Scripts and emoji need
// some of them in their place.
func IsInvisible(r rune) bool {
	switch r {
	case 0x2028, 0x2029, 0x2800, 0x1107f, 0x16fe4, 0x1d159: // separators, an empty Braille cell, a joiner, a filler, an empty note
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Fold returns a text in the form in which texts that read the same are compared:
// without invisible and control characters, with full case folding (ß is ss), with
// one apostrophe and one hyphen, and with words of other scripts' letters
// that can be read as Latin ones in Latin letters. A word with a letter that no
// Latin one looks like stays, so that honest Russian or Greek texts stay apart. The
// caller brings the text to NFKD before and to NFKC after.
func Fold(s string) string {
	s = strings.Map(foldInvisible, s)
	var b strings.Builder
	for len(s) > 0 {
		end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
		if end < 0 {
			end = len(s)
		}
		b.WriteString(foldWord(s[:end]))
		if s = s[end:]; s == "" {
			break
		}
		next := strings.IndexFunc(s, unicode.IsLetter)
		if next < 0 {
			next = len(s)
		}
		b.WriteString(s[:next])
		s = s[next:]
	}
	return b.String()
}

// foldInvisible drops a character that nobody sees, and brings apostrophes and hyphens
// together.
func foldInvisible(r rune) rune {
	switch {
	case r < 0x80 && r >= ' ' && r != 0x7f, unicode.IsSpace(r):
		return r
	case unicode.Is(unicode.Cc, r), IsInvisible(r):
		return -1
	case r == '’', r == '‘', r == 'ʼ', r == '＇':
		return '\''
	case r == '‐', r == '‑', r == '−':
		return '-'
	case r == 0x345: // Greek's iota below
		return 'ι'
	}
	return r
}

// foldWord folds the letters of one word.
func foldWord(w string) string {
	read, all := latinWord(w)
	if all {
		w = read
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range w {
		switch r = foldRune(r); {
		case r == 'ß':
			b.WriteString("ss")
		case r == 0x307 && (last == 'i' || last == 'j'): // the dot that they have anyway
			continue
		default:
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// latinWord reads a word in Latin letters; all is false where a letter of another
// script is left.
func latinWord(w string) (read string, all bool) {
	all = true
	read = strings.Map(func(r rune) rune {
		if l := LatinLookalike(r); l != 0 {
			return rune(l)
		}
		if l := LatinLookalike(foldRune(r)); l != 0 {
			return rune(l)
		}
		all = all && (r < 0x80 || unicode.IsMark(r) || unicode.Is(unicode.Latin, r))
		return r
	}, w)
	return read, all
}

// foldRune maps all letters that differ in case alone to one of them, the small form
// of the least.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if least == 0x345 { // a mark; its letter is ι
		return 'ι'
	}
	return unicode.ToLower(least)
}
