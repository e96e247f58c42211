package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// Forbids reports whether a word in small letters says not to do what follows: "never", "don't", "nicht".
func Forbids(word string) bool {
	switch word {
	case "not", "no", "never", "cannot", "dont", "doesnt", "avoid", "nobody", "without", "nicht", "kein", "keine", "keinen", "nie", "niemals", "ne", "pas", "jamais",
		"nunca", "jamás", "não", "non", "не", "никогда", "нельзя":
		return true
	}
	return strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t")
}

// Denies reports whether a text says that something is not so, or only sometimes. A short list of words of the
// supported languages decides.
func Denies(text string) bool {
	exceptions := strings.Fields("none nor neither nothing stop except unless hate hates ohne außer sans sauf sin salvo mai senza sem exceto ni нет без кроме")
	return strings.ContainsAny(text, "不没勿別禁않") || strings.Contains(text, "ない") || slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}), func(w string) bool { return Forbids(w) || slices.Contains(exceptions, w) })
}
