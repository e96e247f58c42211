package page

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// functions are what the templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"title": title,
		"plural": func(n int, one, many string) string {
			if n == 1 {
				return one
			}
			return many
		},
		"pair": func(top, row any) map[string]any { return map[string]any{"Top": top, "Row": row} },
		"rows": func(text string) int { // that a text takes in an editor, about
			n := 1
			for line := range strings.Lines(text) {
				n += 1 + len(line)/80
			}
			return min(max(n, 2), 16)
		},
		"sum": func(a, b int) int { return a + b },
		"number": func(n int) string { // with its thousands apart
			digits := strconv.Itoa(n)
			for i := len(digits) - 3; i > 0; i -= 3 {
				digits = digits[:i] + "," + digits[i:]
			}
			return digits
		},
		"line":  func(s string) string { return policy.Cut(policy.Inert(s), 120) },
		"inert": policy.Inert,
		"clean": cleaned,
		"parts": partsOf, "idOf": idOf, "restorable": restorable, "earlierRev": earlierRev,
		"breaks": func(key string) template.HTML { // a long key wraps after its dots
			return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(key), ".", ".<wbr>"))
		},
	}
}

// title is a word with a capital letter.
func title(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// titled are pairs of a word and its title.
func titled(words []string) (pairs []string) {
	for _, word := range words {
		pairs = append(pairs, word, title(word))
	}
	return pairs
}

// kindTitles are pairs of a tier and its title.
func kindTitles() (pairs []string) {
	for _, k := range kinds() {
		pairs = append(pairs, k.Tier, k.Title)
	}
	return pairs
}

// kind is a tier, and what the filter calls its memories.
type kind struct{ Tier, Title string }

func kinds() []kind {
	return []kind{{view.Item, "Items"}, {entry.Fact, "Facts"}, {entry.Note, "Notes"}, {entry.Summary, "Summaries"}}
}
