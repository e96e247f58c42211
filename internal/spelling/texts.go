package spelling

import (
	"strings"
	"unicode/utf8"
)

// Text is a text in the form in which texts are compared: its words in lower case, without the marks around them and without
// the words that change nothing. "not" and its like stay, as do the cases of flags and of names in code.
type Text string

// NewText brings a text to the form in which texts are compared.
func NewText(text string) Text {
	var words []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, "’", "'")) {
		word = strings.TrimRight(strings.TrimLeft(word, openingMarks), closingMarks)
		for _, mark := range []string{"**", "*", "_"} { // of Markdown, which sets them in pairs
			inner, ok := strings.CutPrefix(word, mark)
			if inner, closed := strings.CutSuffix(inner, mark); ok && closed && inner != "" && !strings.HasPrefix(inner, mark) {
				word = inner
			}
		}
		_, first := utf8.DecodeRuneInString(word)
		if rest := word[first:]; !strings.HasPrefix(word, "-") && strings.ToLower(rest) == rest { // neither a flag nor camelCase
			word = strings.ToLower(word)
		}
		if word != "" && !strings.Contains(fillerWords, " "+word+" ") {
			words = append(words, word)
		}
	}
	return Text(strings.Join(words, " "))
}

// Same reports whether another text has the same words in the same order. A text without words is the same as no other.
func (t Text) Same(text string) bool {
	word, _, _ := strings.Cut(string(t), " ")
	return t != "" && strings.Contains(strings.ToLower(text), strings.ToLower(word)) && t == NewText(text) // the search is much cheaper
}

// SameText is Text.Same for two texts.
func SameText(a, b string) bool { return NewText(a).Same(b) }

// Words returns how many words are compared.
func (t Text) Words() int { return len(strings.Fields(string(t))) }

const (
	openingMarks = "\"'`“”„‘’«»("
	closingMarks = "\"'`“”„‘’«»),;:!?.…"
	// fillerWords are words that change nothing about what a rule says.
	fillerWords = " a an the this that these those there here it its it's of in on at by for with to as so also too then is are be been being" +
		" was were am has have having had do does did must should shall will would ought need needs required always every simply just" +
		" please sure ensure i we you they our your their my me us them use used uses using run runs running keep keeps kept prefer" +
		" prefers follow follows take takes put puts "
)
