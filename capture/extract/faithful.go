package extract

import (
	"slices"
	"strings"
	"unicode"
)

// faithful reports whether a statement keeps the meaning of the texts. Each of its figures and names is in them. It
// denies something only if its text does, and it denies everything that the clause in its text denies.
func faithful(statement string, texts []string) bool {
	said := figures(strings.Join(texts, "\n"))
	for _, figure := range figures(statement) {
		if !slices.Contains(said, figure) {
			return false
		}
	}
	spoken := wordsOf(betweenScripts(strings.Join(texts, "\n")))
	for _, name := range names(betweenScripts(statement)) {
		if !slices.ContainsFunc(spoken, func(w string) bool { return len(w) > 2 && strings.HasPrefix(name, w) || strings.HasPrefix(w, name) }) {
			return false
		}
	}
	words, most, origin, around := distinctive(statement), 0.0, "", strings.Join(texts, "\n")
	for _, text := range texts {
		for _, clause := range strings.FieldsFunc(text, endsClause) {
			if n := shared(words, distinctive(clause)); n > most {
				most, origin, around = n, clause, text
			}
		}
	}
	if denies(statement) {
		return denies(around)
	}
	return !denies(origin)
}

func endsClause(r rune) bool { return strings.ContainsRune(",;:.!?()\n，；。！？", r) }

// wordsOf are the words of a text in lower case, with their apostrophes and figures.
func wordsOf(text string) []string {
	return strings.FieldsFunc(normal(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' })
}

// names are the words with a capital letter that do not begin a sentence, in lower case.
func names(text string) (list []string) {
	begins := true
	for field := range strings.FieldsSeq(text) {
		word := strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if !begins && strings.IndexFunc(word, unicode.IsUpper) == 0 && word != "I" {
			list = append(list, wordsOf(word)...)
		}
		begins = strings.ContainsAny(field[len(field)-1:], ".!?:-*")
	}
	return list
}

// figures are the words of a text that have a digit.
func figures(text string) []string {
	return slices.DeleteFunc(wordsOf(text), func(w string) bool { return !strings.ContainsFunc(w, unicode.IsDigit) })
}

// denies reports whether a text says that something is not so, or is not to be done.
func denies(text string) bool {
	for _, w := range wordsOf(text) {
		if strings.HasSuffix(w, "n't") || slices.Contains(denials(), w) || strings.ContainsAny(w, "不没勿別") {
			return true
		}
	}
	return false
}

func denials() []string {
	return strings.Fields("not no never none nor neither nothing without cannot dont doesnt avoid stop except unless refuse hate hates dislike dislikes " +
		"nicht kein keine keinen nie niemals ohne pas jamais sans nunca jamás sin non não sem ni")
}
