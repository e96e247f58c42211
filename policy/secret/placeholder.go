package secret

import (
	"strings"

	"github.com/memctl/memctl/policy/chars"
)

// isPlaceholder reports whether a value stands for a secret without being one:
// a variable, a template, a row of x, the word for what belongs there.
func isPlaceholder(v string) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '$', '%', '<', '{', '[', '(', '*', '&', '#':
		return true
	}
	v = v[:min(len(v), 200)]
	c := chars.CountBytes(v)
	if len(v) >= 6 && c.Distinct <= 3 || c.LongestRun >= 8 && c.LongestRun*3 >= len(v) {
		return true
	}
	l := chars.LowerASCII(v)
	if strings.HasPrefix(l, "var.") || strings.HasPrefix(l, "local.") || strings.HasPrefix(l, "data.") {
		return true // of Terraform
	}
	if plain, ok := chars.DecodeBase64(strings.TrimRight(v, "=")); ok && len(plain) <= 60 && !strings.HasPrefix(plain, "{\"") {
		_, pass, _ := strings.Cut(plain, ":")
		if isPlaceholder(plain) || pass != "" && (isPlaceholder(pass) || isPasswordName(pass)) {
			return true
		}
	}
	return chars.ContainsAny(l, "new ", "null)") || chars.ContainsAny(l, wordsOf("placeholder")...)
}

// isSamplePassword reports whether a value is one that tutorials and tests have: the word password with
// words or a short number around it.
func isSamplePassword(l string) bool {
	k := strings.Index(l, "password")
	if k < 0 || len(l) > 24 || chars.SpanLen(l, chars.Lowers|chars.Digits|chars.Underline|chars.Dash, len(l)) != len(l) {
		return false
	}
	before, after := strings.Trim(l[:k], "_-"), strings.Trim(l[k+len("password"):], "_-")
	return (after == "" || after == "123" || after == "1" || after == "here") && (before == "" || chars.SpanLen(before, chars.Lowers, 12) == len(before))
}
