package secret

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

//go:embed rules.txt
var ruleText string

// rules are those of rules.txt.
var rules = sync.OnceValue(func() *chars.WordIndex[chars.Rule] { return chars.ParseRules(ruleText) })

// findByRules finds what the rules describe.
func findByRules(hits []Hit, p *chars.Part) []Hit {
	for r := range rules().FindIn(p) {
		for _, m := range r.Find(p) {
			if !slices.ContainsFunc(r.Checks, func(check string) bool { return !passesCheck(check, m.Group("s"), &m) }) {
				hits = append(hits, Hit{m.Start, m.End, r.Kind})
			}
		}
	}
	return hits
}

// passesCheck reports whether what a rule found, v, passes a check.
func passesCheck(check, v string, m *chars.Match) bool {
	c := chars.CountBytes(v)
	switch check {
	case "real":
		return !isPlaceholder(v)
	case "digit":
		return c.Digits > 0
	case "long35", "long58": // of the text
		return true
	case "digits3":
		return c.Digits >= 3 && c.Uppers >= 3 && c.Lowers >= 3
	case "mixed":
		return c.Digits > 0 && c.Uppers > 0 && c.Lowers > 0 && isPlausible(v)
	case "mixed-case":
		return c.Uppers >= 4 && c.Lowers >= 4
	case "base32":
		return c.Digits+c.Uppers >= 2
	case "password":
		return isPlausible(v)
	case "unlinked": // words that make no sentence
		return !slices.ContainsFunc(strings.FieldsFunc(chars.LowerASCII(v), func(r rune) bool { return r == ' ' || r == '-' }), func(w string) bool { return w != "over" && isLinkingWord(w) || isCommonWord(w) })
	case "runtogether": // words without spaces, one of them in the list
		return !chars.ContainsAny(v, "pass", "word", "secret", "token", "auth", "example") && slices.ContainsFunc(seedWords(), func(w string) bool { return len(w) >= 5 && strings.Contains(v, w) })
	case "joined":
		return isPlausible(toLatin(v)) || isNumberedWords(v)
	case "drawn": // as words are drawn for a wallet: hardly one twice, and none makes a sentence
		words := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return strings.ContainsRune(" ,　、", r) })
		n := len(words)
		return !slices.ContainsFunc(words, isLinkingWord) && len(slices.Compact(slices.Sorted(slices.Values(words)))) >= n-1
	case "unworded":
		return !isMadeOfWords(v)
	case "opaque":
		return looksRandom(v, 12)
	case "setting":
		return !isCommonWord(v) && !isWordPath(v) && !strings.ContainsAny(v, "[(,")
	case "login": // of an address: user, s, host
		return !isPlaceholder(m.Group("user")) && isURLPassword(m.Group("user"), v)
	case "address":
		return isURLPassword(m.Group("user"), v) && !(isDefaultPassword(v) && isLocalHost(m.Group("host"))) && !(strings.Contains(m.Group("user"), ".") && strings.Contains(v, "/"))
	case "driver":
		return !isPasswordName(chars.LowerASCII(v)) && !(isDefaultPassword(v) && isLocalHost(m.Group("host")))
	case "alone": // no letter or digit beside it
		return m.StandsAlone()
	case "codes":
		return !slices.ContainsFunc(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" ,;\n\r\t.)*`|、，", r) }), func(code string) bool {
			return len(code) >= 4 && (len(code) > 24 || chars.CountBytes(code).Digits < 2 || isDate(code) && len(code) > 4 && code[4] == '-')
		})
	}
	panic("secret: " + check + " is no check") // a test reads every rule
}

// isURLPassword reports whether a password of an address is one.
func isURLPassword(user, pass string) bool {
	u, p := chars.LowerASCII(user), chars.LowerASCII(pass)
	switch {
	case len(pass) < 3, isPlaceholder(pass), isPasswordName(p):
		return false
	case len(p) <= 3 && len(u) <= 4: // abc:xyz
		return false
	}
	return p != u || strings.ContainsAny(p, "0123456789") || len(p) >= 6
}

// isDefaultPassword reports whether a password is one that the images and manuals of servers begin with.
func isDefaultPassword(pass string) bool { return isInList("well-known", chars.LowerASCII(pass)) }

// isPasswordName reports whether the name of a password stands in its place.
func isPasswordName(p string) bool { return isInList("names", strings.Trim(p, "_-")) }

// isLinkingWord reports whether a word stands in sentences and in no wallet's word list.
func isLinkingWord(w string) bool { return isInList("linking", w) }

// isInList reports whether a list of rules.txt has the word.
func isInList(list, word string) bool { return slices.Contains(wordsOf(list), word) }

// wordsOf are the words of a list.
func wordsOf(list string) []string { return wordLists()[list] }

// wordLists are the lists below the rules of rules.txt.
var wordLists = sync.OnceValue(func() map[string][]string { return chars.ParseLists(ruleText) })

// isLocalHost: this machine, or a name that only a network of containers knows.
func isLocalHost(address string) bool {
	host := chars.LowerASCII(address[:chars.SpanLen(address, chars.Dotted, len(address))])
	return strings.HasPrefix(address, "[::1]") || host == "host.docker.internal" || host == "127.0.0.1" || host == "0.0.0.0" ||
		strings.HasSuffix(host, ".local") || !strings.Contains(host, ".")
}
