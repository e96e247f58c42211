package memfile

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memctl/memctl/internal/spelling"
)

// KeyForm reports whether key has the form that memctl writes: at least two parts joined by
// dots, each of lower-case letters of any script and the digits 0 to 9, joined by single '-'
// or '_', in Unicode's form NFC, the whole beginning with a letter, at most MaxKeyBytes bytes.
// The letters of one word are of one alphabet where alphabets look alike, so that no key
// passes for another one by a Cyrillic "о" among Latin letters.
func KeyForm(key string) bool {
	if len(key) > MaxKeyBytes || key == "" {
		return false
	}
	dots, joined, plain := 0, true, true // joined: a separator stands before
	var of alphabet
	for i, r := range key {
		switch {
		case keySeparator(r):
			if joined {
				return false
			}
			joined, of = true, 0
			if r == '.' {
				dots++
			}
			continue
		case isDigit(r):
			if i == 0 {
				return false
			}
		case isLower(r):
			of |= latin
		default:
			if !KeyLetter(r) || joined && unicode.IsMark(r) {
				return false
			}
			plain, of = false, of|alphabetOf(r)
		}
		if of&(of-1) != 0 { // letters of two alphabets
			return false
		}
		joined = false
	}
	return dots > 0 && !joined && (plain || norm.NFC.IsNormalString(key) && lowerKey(key) == key)
}

func isLower(r rune) bool      { return r >= 'a' && r <= 'z' }
func isDigit(r rune) bool      { return r >= '0' && r <= '9' }
func keySeparator(r rune) bool { return r == '.' || r == '-' || r == '_' }

// KeyLetter reports whether a character of a text in lower case can be part of a word in a
// key: a letter, a digit from 0 to 9, or a mark that a reader sees on a letter.
func KeyLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return isLower(r) || isDigit(r)
	}
	return (unicode.IsLetter(r) || unicode.In(r, unicode.Mn, unicode.Mc)) && !spelling.IsInvisible(r)
}

// An alphabet is one bit, 0 for scripts that mix with all others.
type alphabet uint8

const (
	latin alphabet = 1 << iota
	greek
	cyrillic
	otherAlphabet
)

// alphabetOf returns the alphabet of a letter. Japanese, Chinese and Korean write Latin
// letters within words (Tシャツ), and none of their own looks like one. Marks go with any.
func alphabetOf(r rune) alphabet {
	switch {
	case unicode.IsMark(r) || r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo):
		return 0
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Greek, r):
		return greek
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	}
	return otherAlphabet
}

// lowerKey returns a key in lower case and NFC. A letter that is only another shape of ASCII
// letters (ａ, ﬁ) becomes those.
func lowerKey(key string) string {
	lower := strings.ToLower(key)
	if isPrintableASCII(lower) {
		return lower
	}
	var b strings.Builder
	for _, r := range lower {
		if plain := norm.NFKC.String(string(r)); r >= utf8.RuneSelf && plain != " " && isPrintableASCII(plain) {
			b.WriteString(strings.ToLower(plain))
		} else {
			b.WriteRune(r)
		}
	}
	// Lower-casing İ leaves a second dot above the i.
	return norm.NFC.String(strings.ReplaceAll(b.String(), "i\u0307", "i"))
}

// NormalKey trims, lower-cases, composes (NFC) and turns spaces to '-'; nearest is the nearest
// key that has the form ("" where none can be made).
func NormalKey(key string) (normal, nearest string) {
	normal = strings.Join(strings.Fields(lowerKey(key)), "-")
	if KeyForm(normal) {
		return normal, normal
	}
	return normal, nearestKey(normal)
}

// nearestKey keeps letters and digits, makes one separator of each run of anything else, and
// joins a single part to "general", because a key needs two.
func nearestKey(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, func(r rune) bool { return !KeyLetter(r) })
		if n < 0 {
			n = len(s)
		}
		word := keyWord(s[:n])
		if b.Len() == 0 {
			word = strings.TrimLeft(word, "0123456789-")
		}
		b.WriteString(word)
		s = s[n:]
		n = strings.IndexFunc(s, KeyLetter)
		if n < 0 {
			break
		}
		if b.Len() > 0 {
			b.WriteString(keySeparatorOf(s[:n]))
		}
		s = s[n:]
	}
	key := b.String()
	if key != "" && !strings.Contains(key, ".") {
		key = "general." + key
	}
	key = strings.TrimRight(CutKey(key, MaxKeyBytes), ".-_")
	if !KeyForm(key) {
		return ""
	}
	return key
}

// keySeparatorOf returns the one separator for a run of characters between two words.
func keySeparatorOf(run string) string {
	switch {
	case strings.ContainsAny(run, "./:"):
		return "."
	case strings.Trim(run, "_") == "":
		return "_"
	case strings.TrimFunc(run, spelling.IsInvisible) == "": // nobody sees that two words stand there
		return ""
	}
	return "-"
}

// keyWord returns a lower-case word of letters, marks and digits in the form that it has in a
// key: composed (NFC), and where it mixes alphabets that look alike, in Latin letters if all
// of them look like some, else with a hyphen between the alphabets.
func keyWord(word string) string {
	word = lowerKey(word)
	if isPrintableASCII(word) {
		return word
	}
	var read, cut strings.Builder
	latinAlone := true
	of, all := alphabet(0), alphabet(0)
	for i, r := range word {
		a := alphabetOf(r)
		if r < utf8.RuneSelf && isDigit(r) || unicode.IsMark(r) {
			a = 0
		}
		if unicode.IsMark(r) && i == 0 { // a mark on nothing
			continue
		}
		if a != 0 && of != 0 && a != of {
			cut.WriteByte('-')
			of = 0
		}
		of, all = of|a, all|a
		cut.WriteRune(r)
		if l := spelling.LatinLookalike(r); l != 0 {
			r = rune(l)
		}
		latinAlone = latinAlone && (r < utf8.RuneSelf || unicode.IsMark(r) || unicode.Is(unicode.Latin, r))
		read.WriteRune(r)
	}
	if all&(all-1) != 0 && latinAlone {
		return norm.NFC.String(read.String())
	}
	return cut.String()
}

// KeyPart makes one part of a key of a text: its words joined by hyphens, in lower case, at
// most limit bytes. It is cut behind a word where one ends in its second half. It is "" where
// the text has neither letters nor digits.
func KeyPart(text string, limit int) string {
	var part strings.Builder
	part.Grow(len(text))
	for word := range strings.FieldsFuncSeq(lowerKey(text), func(r rune) bool { return !KeyLetter(r) }) {
		if part.Len() > 0 {
			part.WriteByte('-')
		}
		if part.WriteString(keyWord(word)); part.Len() > limit {
			break
		}
	}
	cut := CutKey(part.String(), limit)
	if i := strings.LastIndexByte(cut, '-'); len(cut) < part.Len() && i > limit/2 {
		cut = cut[:i]
	}
	return strings.Trim(cut, "-")
}

// CutKey cuts a key to at most limit bytes, at a whole character.
func CutKey(key string, limit int) string {
	if len(key) <= limit {
		return key
	}
	for limit > 0 && !utf8.RuneStart(key[limit]) {
		limit--
	}
	return key[:limit]
}
