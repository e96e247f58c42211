package secret

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/policy/chars"
)

// isCodeRune: what stands in 4821, 48B21, B4821#, 27-14-33.
func isCodeRune(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsUpper(r) || strings.ContainsRune("-#*", r)
}

// placesWithCode are the lists of places with a code.
var placesWithCode = sync.OnceValue(func() *chars.WordIndex[string] {
	return chars.NewIndex([]string{"places", "rooms"}, func(list *string) []string { return wordsOf(*list) })
})

// findDoorCodes finds the codes of doors, gates, alarms and safes: in a sentence about one of them, with a word for a code or
// for opening, or with the key that ends an entry.
func findDoorCodes(hits []Hit, p *chars.Part) []Hit {
	if !p.HasDigit || p.ASCII && !placesWithCode().HasWord(p) {
		return hits
	}
	for start, end := 0, 0; end < len(p.Text); {
		if chars.ClassOf(p.Text[end])&chars.Digits == 0 {
			end++
			continue
		}
		start, end = len(strings.TrimRightFunc(p.Text[:end], isCodeRune)), len(p.Text)-len(strings.TrimLeftFunc(p.Text[end:], isCodeRune))
		if isDoorCode(p.Text[start:end]) && isOpener(p.Text, start, end) && !overlaps(hits, start, end) {
			hits = append(hits, Hit{start, end, "door-code"})
		}
	}
	return hits
}

// isDoorCode reports whether a text is four to eight signs, at most one letter, or two to five short numbers with dashes between; not where a longer word, a number
// or a time goes on.
func isDoorCode(code string) bool {
	inner := strings.Trim(code, "#*")
	digits, letters, dashes := 0, 0, strings.Count(inner, "-")
	for _, r := range inner {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r != '-':
			letters++
		}
	}
	if dashes > 0 {
		return letters == 0 && dashes <= 4 && digits <= 2*(dashes+1) && digits >= 3
	}
	return letters <= 1 && digits+letters >= 4 && digits+letters <= 8
}

// isOpener reports whether what stands at a place opens something.
func isOpener(text string, start, end int) bool {
	// Not a part of a word, of a measure, an address or a longer number: #d29922, 512mb, 3.5, 10:30.
	if start > 0 && strings.IndexByte(".:/_@$abcdefghijklmnopqrstuvwxyz", text[start-1]) >= 0 ||
		end < len(text) && (chars.ClassOf(text[end])&chars.Letters != 0 || strings.IndexByte("%_@/", text[end]) >= 0 || end+1 < len(text) && strings.IndexByte(".:,", text[end]) >= 0 && chars.IsAlnum(text[end+1])) {
		return false
	}
	const near = 60
	from, to := max(0, start-near), min(len(text), end+near)
	for _, stop := range [...]string{". ", "\n", "。", "; "} {
		if k := strings.LastIndex(text[from:start], stop); k >= 0 {
			from += k + len(stop)
		}
		if k := strings.Index(text[end:to], stop); k >= 0 {
			to = end + k
		}
	}
	sentence := chars.NewPart("", strings.ToLower(text[from:to]))
	before, enter := strings.TrimRight(text[from:start], " "), strings.HasSuffix(text[start:end], "#") || strings.HasSuffix(text[start:end], "*")
	if !enter && hasListedWord(&sentence, "no-places") {
		return false
	}
	if !hasListedWord(&sentence, "places") {
		return enter && hasListedWord(&sentence, "rooms") // a number in such a room is mostly something else
	}
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[end:], " ")) // a unit: 4500 ms
	return enter || hasListedWord(&sentence, "code-words") || hasListedWord(&sentence, "opening") ||
		(strings.HasSuffix(before, ":") || strings.HasSuffix(before, "：")) && end-start >= 4 && !unicode.IsLetter(after)
}

// hasListedWord reports whether a text has a word of a list. A word of Latin letters ends there, but for an s or a code.
func hasListedWord(p *chars.Part, list string) bool {
	text := p.Text
	for _, w := range wordsOf(list) {
		w = strings.ReplaceAll(w, "_", " ")
		for from := 0; p.Pairs.MayContain(w); {
			k := strings.Index(text[from:], w)
			if k < 0 {
				break
			}
			at := from + k
			from = at + len(w)
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			first, _ := utf8.DecodeRuneInString(w)
			rest := strings.TrimPrefix(strings.TrimPrefix(text[from:], "s"), "code")
			after, _ := utf8.DecodeRuneInString(rest)
			switch {
			case spelling.IsUnspaced(first), unicode.Is(unicode.Hangul, first):
				return true
			case unicode.IsLetter(before) && !spelling.IsUnspaced(before):
			case !unicode.Is(unicode.Latin, first), rest == "", !unicode.Is(unicode.Latin, after):
				return true
			}
		}
	}
	return false
}
