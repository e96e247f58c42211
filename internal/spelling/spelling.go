// Package spelling compares words and texts as they are written: how far one word is from another, letters that look alike,
// whether a key is another key misspelled, and whether two texts are equal but for words that say nothing.
package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// Distance is the number of single-character edits between two words, where
// two neighbours that changed places count as one.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}

// IsProhibition reports whether a word in small letters says not to do what follows: "never", "don't", "nicht".
func IsProhibition(word string) bool {
	switch word {
	case "not", "no", "never", "cannot", "dont", "doesnt", "avoid", "nobody", "without", "nicht", "kein", "keine", "keinen", "nie", "niemals", "ne", "pas", "jamais",
		"nunca", "jamás", "não", "non", "не", "никогда", "нельзя":
		return true
	}
	return strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t")
}

// HasNegation reports whether a text says that something is not so, or only sometimes. A short list of words of the
// supported languages decides.
func HasNegation(text string) bool {
	exceptions := strings.Fields("none nor neither nothing stop except unless hate hates ohne außer sans sauf sin salvo mai senza sem exceto ni нет без кроме")
	return strings.ContainsAny(text, "不没勿別禁않") || strings.Contains(text, "ない") || slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}), func(w string) bool { return IsProhibition(w) || slices.Contains(exceptions, w) })
}
