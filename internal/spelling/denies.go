package spelling

import (
	"slices"
	"strings"
	"unicode"
)

// Denies reports whether a text says that something is not so, or only sometimes. A short list of words of the
// supported languages decides.
func Denies(text string) bool {
	denials := strings.Fields("not no never none nor neither nothing without cannot dont doesnt avoid stop except unless hate hates nicht kein keine keinen nie niemals ohne außer " +
		"pas jamais sans sauf nunca jamás sin salvo non mai senza não sem exceto ni не нет никогда без кроме")
	return strings.ContainsAny(text, "不没勿別禁않") || strings.Contains(text, "ない") || slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}), func(w string) bool {
		return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") || slices.Contains(denials, w)
	})
}
