package page

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

// functions are what the templates call.
func functions() template.FuncMap {
	return template.FuncMap{
		"title":       func(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] },
		"kinds":       kinds,
		"recalled":    func() []kind { return append(kinds(), kind{"turn", "Turns"}, kind{"file", "Markdown files"}) },
		"confidences": func() []string { return []string{memfile.High, memfile.Medium, memfile.Low} },
		"plural":      plural,
		"pair":        func(top, row any) map[string]any { return map[string]any{"Top": top, "Row": row} },
		"editor": func(top, row any, action, view string) map[string]any {
			return map[string]any{"Top": top, "Row": row, "Action": action, "View": view}
		},
		"rows":   textRows,
		"sum":    func(a, b int) int { return a + b },
		"number": number,
		"line":   func(s string) string { return policy.Cut(policy.Inert(s), 120) },
		"breaks": breaks,
	}
}

// kind is a tier, and what the filter calls its memories.
type kind struct{ Tier, Title string }

func kinds() []kind {
	return []kind{{view.Item, "Items"}, {entry.Fact, "Facts"}, {entry.Note, "Notes"}, {entry.Summary, "Summaries"}}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// number is a number with its thousands apart.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// textRows is how many rows a text takes in an editor, about.
func textRows(text string) int {
	n := 1
	for line := range strings.Lines(text) {
		n += 1 + len(line)/80
	}
	return min(max(n, 2), 16)
}

// breaks lets a long key wrap after its dots.
func breaks(key string) template.HTML {
	parts := strings.Split(key, ".")
	for i := range parts {
		parts[i] = template.HTMLEscapeString(parts[i])
	}
	return template.HTML(strings.Join(parts, ".<wbr>"))
}
