package personal

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

//go:embed addresses.txt
var addressText string

var addresses = sync.OnceValue(func() *chars.Index[chars.Rule] { return chars.Rules(addressText) })

// lists are those below the rules of addresses.txt.
var lists = sync.OnceValue(func() map[string][]string { return chars.Lists(addressText) })

func listed(list, word string) bool { return slices.Contains(lists()[list], word) }

// HasAddress reports whether a text tells where somebody lives or works.
func HasAddress(p *chars.Part) bool {
	capitals := !p.ASCII || p.Lower != p.Text
	for r := range addresses().In(p) {
		if capitals && slices.Contains(r.Checks, "small") || !capitals && slices.Contains(r.Checks, "name") {
			continue
		}
		for _, m := range r.Find(p) {
			if !slices.ContainsFunc(r.Checks, func(check string) bool { return !addressLike(check, p, &m) }) {
				return true
			}
		}
	}
	return false
}

func addressLike(check string, p *chars.Part, m *chars.Match) bool {
	switch check {
	case "small", "name":
		return true
	case "dated":
		before := strings.Fields(p.Lower[max(0, m.Start-16):m.Start])
		return len(before) == 0 || !unitWord(before[len(before)-1]) && !listItem(p.Text, m.Start)
	}
	after := strings.Fields(p.Lower[m.Start:m.End])
	return len(after) < 2 || !unitWord(after[len(after)-1]) // "unit"
}

// listItem reports whether a number begins an entry of a list: "4. ", at the beginning of a line.
func listItem(text string, at int) bool {
	n := chars.Span(text[at:], chars.Digits, 3)
	before := strings.TrimRight(text[:at], " \t#*-_>")
	return n <= 2 && at+n < len(text) && (text[at+n] == '.' || text[at+n] == ')') && (before == "" || before[len(before)-1] == '\n')
}

func unitWord(s string) bool {
	return strings.Contains(" am pm utc gmt mb gb kb ms hz january february march april may june july august september october november december ", " "+s+" ")
}
