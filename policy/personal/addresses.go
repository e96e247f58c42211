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

var addresses = sync.OnceValue(func() *chars.WordIndex[chars.Rule] { return chars.ParseRules(addressText) })

// lists are those below the rules of addresses.txt.
var lists = sync.OnceValue(func() map[string][]string { return chars.ParseLists(addressText) })

func isInList(list, word string) bool { return slices.Contains(lists()[list], word) }

// HasAddress reports whether a text tells where somebody lives or works.
func HasAddress(p *chars.Part) bool {
	capitals := !p.ASCII || p.Lower != p.Text
	for r := range addresses().FindIn(p) {
		if capitals && slices.Contains(r.Checks, "small") || !capitals && slices.Contains(r.Checks, "name") {
			continue
		}
		for _, m := range r.Find(p) {
			if !slices.ContainsFunc(r.Checks, func(check string) bool { return !passesAddressCheck(check, p, &m) }) {
				return true
			}
		}
	}
	return false
}

func passesAddressCheck(check string, p *chars.Part, m *chars.Match) bool {
	switch check {
	case "small", "name":
		return true
	case "dated":
		before := strings.Fields(p.Lower[max(0, m.Start-16):m.Start])
		return len(before) == 0 || !isUnit(before[len(before)-1]) && !isListNumber(p.Text, m.Start)
	}
	after := strings.Fields(p.Lower[m.Start:m.End])
	return len(after) < 2 || !isUnit(after[len(after)-1]) // "unit"
}

// isListNumber reports whether a number begins an entry of a list: "4. ", at the beginning of a line.
func isListNumber(text string, at int) bool {
	n := chars.SpanLen(text[at:], chars.Digits, 3)
	before := strings.TrimRight(text[:at], " \t#*-_>")
	return n <= 2 && at+n < len(text) && (text[at+n] == '.' || text[at+n] == ')') && (before == "" || before[len(before)-1] == '\n')
}

func isUnit(s string) bool {
	return strings.Contains(" am pm utc gmt mb gb kb ms hz january february march april may june july august september october november december ", " "+s+" ")
}
