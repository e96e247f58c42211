package chars

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Rule is a line of a table, whose columns are separated by tabs: a kind; words of which the text must
// have one (several groups with " & " between; a word with capitals must stand there so; in a group after "form ", 0 is any
// digit); a regular expression without regard to case, whose group s is what is
// found; and checks that the table's reader knows. A rule with "digit" or "long35" among them is tried only on a text that
// has a digit, or a run of 35 bytes that a credential could be.
type Rule struct {
	Kind       string
	Checks     []string
	words      [][]string
	forms      []string
	needsDigit bool
	minRun     int
	re         func() *regexp.Regexp // compiled when a text first has the words
}

// Match is what a rule found, with its groups by name.
type Match struct {
	Text       string
	Start, End int // of the group s
	at         []int
	names      []string
}

// Group is what a group of the expression found; "" where it found nothing.
func (m *Match) Group(name string) string {
	if i := slices.Index(m.names, name); i > 0 && m.at[2*i] >= 0 {
		return m.Text[m.at[2*i]:m.at[2*i+1]]
	}
	return ""
}

// StandsAlone reports whether no letter or digit stands beside what the whole expression found.
func (m *Match) StandsAlone() bool {
	start, end := m.at[0], m.at[1]
	return (start == 0 || !IsAlnum(m.Text[start-1])) && (end == len(m.Text) || !IsAlnum(m.Text[end]))
}

// ParseRules reads a table. A line "{name} := text" gives what {name} stands for in the expressions after it; other lines
// without four columns are none of rules.
func ParseRules(table string) *WordIndex[Rule] {
	var list []Rule
	var macros []string
	expand := strings.NewReplacer()
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if name, text, ok := strings.Cut(line, " := "); ok && name[0] == '{' {
			macros = append(macros, name, expand.Replace(text))
			expand = strings.NewReplacer(macros...)
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) < 4 {
			continue
		}
		r := Rule{Kind: f[0], Checks: strings.Fields(f[3])}
		for _, check := range r.Checks {
			r.needsDigit = r.needsDigit || check == "digit"
			if run, ok := strings.CutPrefix(check, "long"); ok {
				r.minRun, _ = strconv.Atoi(run)
			}
		}
		for group := range strings.SplitSeq(f[1], " & ") {
			if forms, ok := strings.CutPrefix(group, "form "); ok {
				r.forms = strings.Split(forms, "|")
				continue
			}
			r.words = append(r.words, strings.Split(group, "|"))
		}
		known := expand
		r.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?is)" + known.Replace(f[2])) })
		list = append(list, r)
	}
	return NewIndex(list, func(r *Rule) []string { return r.words[0] })
}

// ParseLists reads the lists of a table, "name: word word". One may go on in another line with its name.
func ParseLists(table string) map[string][]string {
	lists := map[string][]string{}
	for line := range strings.Lines(table) {
		if name, words, ok := strings.Cut(line, ": "); ok && !strings.ContainsAny(name, " \t") {
			lists[name] = append(lists[name], strings.Fields(words)...)
		}
	}
	return lists
}

// Find gives what the rule finds in a text that has one of its first words.
func (r *Rule) Find(p *Part) (list []Match) {
	if r.needsDigit && !p.HasDigit || p.LongestRun < r.minRun || slices.ContainsFunc(r.words[1:], func(group []string) bool { return !p.ContainsAny(group...) }) ||
		r.forms != nil && !ContainsAny(zeroDigits().Replace(p.Lower), r.forms...) {
		return nil
	}
	for _, at := range r.re().FindAllStringSubmatchIndex(p.Text, -1) {
		m := Match{Text: p.Text, at: at, names: r.re().SubexpNames()}
		s := slices.Index(m.names, "s")
		m.Start, m.End = at[2*s], at[2*s+1]
		list = append(list, m)
	}
	return list
}

// zeroDigits puts 0 for each digit.
var zeroDigits = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("1", "0", "2", "0", "3", "0", "4", "0", "5", "0", "6", "0", "7", "0", "8", "0", "9", "0")
})

// Regexp is the rule's expression.
func (r *Rule) Regexp() *regexp.Regexp { return r.re() }
