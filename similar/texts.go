package similar

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is a text that was read once to be compared with many.
type Text struct {
	words []string
	probe string // is in every equal text
}

// NewText reads a text.
func NewText(text string) Text {
	all, telling := read(text)
	t := Text{words: all}
	for _, w := range telling {
		if n := min(4, len(w)-1); n > len(t.probe) && w[0] < utf8.RuneSelf && !isSynonym()[w] { // an ending may have changed the last letters
			t.probe = strings.ToLower(w[:n])
		}
	}
	return t
}

// Same reports whether another text is equal but for case, punctuation, marks of Markdown and words such as "the" and
// "always": its other words, with "not" and its like, are the same in the same order.
func (t Text) Same(text string) bool {
	if len(t.words) == 0 || !strings.Contains(strings.ToLower(text), t.probe) {
		return false
	}
	words, _ := read(text)
	return slices.Equal(t.words, words)
}

// Same is Text.Same for two texts.
func Same(a, b string) bool { return NewText(a).Same(b) }

// Distinctive returns the words that say what a text is about, sorted, in the form in which they are compared.
func Distinctive(text string) []string {
	_, words := read(text)
	slices.Sort(words)
	return slices.Compact(words)
}

// read returns the words of a text in their order, and those of them that limit no other word.
func read(text string) (all, telling []string) {
	for token := range strings.FieldsSeq(pullRequests.Replace(text)) {
		code := len(token) > 2 && token[0] == '`' && strings.Trim(token[1:], closing) != "" && strings.Contains(token[1:], "`")
		for _, word := range split(unmarked(token)) {
			w := fold(word)
			if turn := turns()[w]; turn != "" && !code || strings.HasSuffix(w, "n't") {
				all = append(all, cmp.Or(turn, denied))
				continue
			}
			form := w
			if !exact(word) {
				form = meaning(w)
			}
			if code || !filler()[w] && !filler()[form] {
				all, telling = append(all, form), append(telling, form)
			}
		}
	}
	return all, telling
}

// unmarked is a token without the marks around it: quotes, brackets, what Markdown sets in
// pairs, and a sentence's marks at its end.
func unmarked(token string) string {
	token = strings.TrimRight(strings.TrimLeft(token, opening), closing)
	for _, mark := range []string{"**", "*", "_"} {
		if inner, ok := strings.CutPrefix(token, mark); ok && len(inner) > len(mark) && strings.HasSuffix(inner, mark) {
			return strings.TrimSuffix(inner, mark)
		}
	}
	return token
}

const (
	opening = "\"'`“”„‘’«»("
	closing = "\"'`“”„‘’«»),;:!?.…"
)

// split cuts a token with hyphens, or two words with a slash, into its words; a name, a path
// or a flag stays whole.
func split(token string) []string {
	if exact(token) {
		return []string{token}
	}
	return strings.FieldsFunc(token, func(r rune) bool { return r == '-' || r == '/' || r == '–' || r == '—' })
}

// exact reports whether a token counts as it is written: a number, a name of code, a path or
// a flag. Words joined by hyphens, and two words with a slash between, do not.
func exact(token string) bool {
	if strings.HasPrefix(token, "-") || strings.HasPrefix(token, "/") {
		return true
	}
	small := false
	for i, r := range token {
		switch {
		case unicode.IsUpper(r) && small && i > 0 && !unicode.IsUpper(rune(token[0])):
			return true // camelCase
		case unicode.IsLetter(r), r == '-', r == '–', r == '—', r == '\'', r == '’':
		case r == '/' && plainSides(token):
		default:
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// plainSides reports whether a token is two words with a slash between, as in "and/or", and
// no path.
func plainSides(token string) bool {
	left, right, _ := strings.Cut(token, "/")
	letter := func(r rune) bool { return unicode.IsLetter(r) }
	return left != "" && right != "" && strings.IndexFunc(left+right, func(r rune) bool { return !letter(r) }) < 0
}

// fold is a word in lower case. A flag and camelCase keep their case: "-v" and "-V" are two
// flags, and PascalCase is another name.
func fold(word string) string {
	word = strings.ReplaceAll(word, "’", "'")
	letters := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	if strings.HasPrefix(word, "-") || letters && exact(word) {
		return word
	}
	return strings.ToLower(word)
}

// pullRequests writes two words for one thing as one.
var pullRequests = strings.NewReplacer("pull request", "PR", "Pull request", "PR", "Pull Request", "PR", "merge request", "PR", "Merge request", "PR")
