package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a text: its folded form, and where it stands.
type word struct {
	form     string // lower case, the ending of an English verb or plural taken off
	entries  string // the lines of the tables that begin with it
	from, to int    // bytes of the text
}

// wordsOf splits a text into words. A letter of a script without spaces is a word of its own.
func wordsOf(text string, offset int) []word {
	words := make([]word, 0, len(text)/5+1)
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, newWord(fold(text[start:at]), offset+start, offset+at))
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case spaceless(r):
			end(i)
			words = append(words, newWord(string(r), offset+i, offset+i+utf8.RuneLen(r)))
		case inWord(r) || start >= 0 && joins(text, i, r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return words
}

func newWord(form string, from, to int) word { return word{form, entriesOf(form), from, to} }

// spaceless reports whether words of the letter's script stand without spaces between them.
func spaceless(r rune) bool {
	return r >= 0x2E80 && (r == 'ー' || unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Thai, r))
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '@'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// joins reports whether a sign within a word is part of it: an apostrophe, a hyphen, the
// dot of a file name or a version.
func joins(text string, i int, r rune) bool {
	switch r {
	case '\'', '’', '-', '.', '/', '\\', '+', '#', ':':
	default:
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	if r == '+' || r == '#' { // C++ and C#
		return !inWord(next)
	}
	return inWord(next) && !spaceless(next)
}

// fold makes the forms of one English word equal: lower case, a plain apostrophe, and no
// ending of a plural or a verb.
func fold(w string) string {
	w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
	return stem(strings.TrimPrefix(w, "@"))
}

// stem takes the ending of a plural, of -ing and of -ed off.
func stem(w string) string {
	if len(w) < 4 || w[len(w)-1] >= utf8.RuneSelf || strings.ContainsAny(w, "'./\\_") {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	case strings.HasSuffix(w, "ing") && len(w) > 5 && strings.ContainsAny(w[:len(w)-3], "aeiouy"):
		return undouble(w[:len(w)-3])
	case strings.HasSuffix(w, "ed") && len(w) > 4 && strings.ContainsAny(w[:len(w)-2], "aeiouy"):
		return undouble(w[:len(w)-2])
	case strings.HasSuffix(w, "e") && len(w) > 4:
		return w[:len(w)-1]
	}
	return w
}

// undouble takes back the letter that an ending doubled, and an e that it replaced stays
// away: "committ" is "commit", "us" is "us".
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
