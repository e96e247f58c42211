package format

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/policy/chars"
	"github.com/memctl/memctl/policy/instructions"
)

//go:embed rules.txt
var ruleText string

// pattern is a line of rules.txt about commands.
type pattern struct {
	rule, message string
	words         []string // of which a line of the text must have one
	re, unless    func() *regexp.Regexp
	forbids       bool // unless lifts the rule from the rest of a line
}

var orderMessages = map[string]string{
	RuleHide:     "tells the agent to hide something from the person",
	RuleOverride: "sets aside what the agent was told by others",
	RuleDisable:  "turns protection off",
	RuleSend:     "sends secrets away",
}

// policyKinds are the policy's kinds of orders that count in a skill, with their rules.
var policyKinds = map[string]string{"override": RuleOverride, "hide": RuleHide}

// ruleTables are what rules.txt says.
var ruleTables = sync.OnceValues(func() (commands []pattern, orders *instructions.Table) {
	var phrases strings.Builder
	var macros []string
	compiled := func(text string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(strings.NewReplacer(macros...).Replace(text)) })
	}
	for line := range strings.Lines(ruleText) {
		line = strings.TrimRight(line, "\n")
		if name, text, ok := strings.Cut(line, " := "); ok && name[0] == '{' {
			macros = append(macros, name, text)
			continue
		}
		switch f := strings.Split(line, "\t"); len(f) {
		case 2:
			fmt.Fprintf(&phrases, "%d %s %s\n", instructions.RefuseScore, f[0], strings.NewReplacer(macros...).Replace(f[1]))
		case 5:
			p := pattern{rule: f[0], message: f[1], words: strings.Split(f[2], "|"), re: compiled(f[3]), forbids: f[4] == "{forbids}"}
			if f[4] != "" {
				p.unless = compiled(f[4])
			}
			commands = append(commands, p)
		}
	}
	return commands, instructions.NewTable(phrases.String())
})

// passage is a part of a file: a text, or what decoding it gives.
type passage struct {
	text string
	line int    // of the file, where it begins
	how  string // it was decoded, "" where it was not
}

// text checks a file's text, and what decoding its paragraphs gives.
func (c *checking) text(text string, prose bool) {
	c.commands(passage{text, 1, ""})
	c.program(strings.ToLower(text))
	for line, text := range numberedParagraphs(text) {
		text = withoutQuotes(text)
		part := chars.NewPart("", text)
		c.orders(&part, passage{text, line, ""}, prose && len(text) < shortOrder)
		for _, r := range chars.Readings(&part) {
			if !prose && r.Encoding != "base64" && r.Encoding != "hex" {
				continue // programs are full of escapes and of names that read as others
			}
			p, inside := passage{r.Text, line, r.Encoding}, chars.NewPart("", r.Text)
			c.commands(p)
			c.orders(&inside, p, true)
		}
	}
}

// object reports what is wrong with a passage.
func (c *checking) object(rule, severity string, p passage, line int, message string) {
	if p.how != "" {
		message, line = message+", once it is decoded ("+p.how+")", p.line
	}
	c.add(rule, severity, line, 1, message, "")
}

// commands checks each line of a passage. A backslash at its end joins it to the next one.
func (c *checking) commands(p passage) {
	whole := strings.ToLower(p.text)
	all, _ := ruleTables()
	some := slices.DeleteFunc(slices.Clone(all), func(p pattern) bool { return !chars.ContainsAny(whole, p.words...) })
	if len(some) == 0 {
		return
	}
	n, first, held := 0, 0, ""
	for lower := range strings.Lines(whole + "\n") {
		n++
		lower = strings.TrimRight(lower, "\r\n")
		if held == "" {
			first = n
		}
		held += lower
		if cut, ok := strings.CutSuffix(held, "\\"); ok && len(held) < 4000 {
			held = cut + " "
			continue
		}
		c.command(some, held, p, first)
		held = ""
	}
}

// command checks one line, in small letters.
func (c *checking) command(list []pattern, lower string, in passage, line int) {
	for _, p := range list {
		if !chars.ContainsAny(lower, p.words...) || !p.re().MatchString(lower) {
			continue
		}
		severity := fault.SeverityError
		if p.rule != RuleAccess && chars.ContainsAny(lower, "attacker", "malicious", "injection", "exploit", "vulnerab") {
			severity = fault.SeverityWarning // it tells of an attack instead of making one
		}
		switch {
		case p.unless == nil:
		case p.forbids && p.unless().MatchString(p.re().ReplaceAllString(lower, "")):
			continue // a word beside it speaks against it
		case !p.forbids && p.unless().MatchString(lower):
			severity = fault.SeverityWarning
		}
		c.object(p.rule, severity, in, line, p.message)
	}
}

// program checks what only a whole program shows: one line reads secrets or fetches something,
// and another sends data or runs what came.
func (c *checking) program(lower string) {
	if reads := position(lower, "/.ssh/", "/.aws/", "/.gnupg", "/.netrc"); reads >= 0 && position(lower, "requests.post(", "urlopen(", "curl -x post", "curl -d", "fetch(", "dig +short", "http.post(", "axios.post(") >= 0 {
		c.add(RuleSend, fault.SeverityError, lineAt(lower, reads), 1, "reads secrets of this machine, and the same file sends data away", "")
	}
	// In a program that evaluates what it gets, the two are close.
	const near = 400
	for at := 0; ; {
		i := position(lower[at:], "https.get(", "http.get(", ").get('http", ").get(\"http", "urlopen(", "fetch('http", "fetch(\"http", "requests.get(")
		if i < 0 {
			return
		}
		at += i + 1
		if position(lower[at:min(len(lower), at+near)], "eval(", " exec(", "\nexec(", "\texec(", "new function(") >= 0 {
			c.add(RuleFetch, fault.SeverityError, lineAt(lower, at), 1, "runs what it has fetched, so nobody can read it before", "")
		}
	}
}

// position is where the first of the words in the text stands; -1 where none does.
func position(text string, words ...string) int {
	first := -1
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// lineAt is the number of the line at an offset.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// shortOrder is the length, in bytes, below which the policy's rules for memory fit a paragraph
// too: a longer one explains something.
const shortOrder = 300

// orders looks for orders that no person would give: by the rules for skills, and in a short text by the policy's for memory.
func (c *checking) orders(part *chars.Part, p passage, short bool) {
	_, book := ruleTables()
	rule := book.ScoreText(instructions.Cut(part)).Kind
	if rule == "" && short {
		for _, f := range policy.RuleText(p.text).Findings {
			if f.Rule == policy.RuleInstruction && f.Verdict == policy.Refuse {
				rule = policyKinds[f.Kind]
			}
		}
	}
	if rule != "" && !(rule == RuleDisable && strings.HasPrefix(p.text, "|")) { // a table describes
		c.object(rule, fault.SeverityError, p, p.line, orderMessages[rule])
	}
}

// maxParagraph cuts a paragraph that no reader would take for one.
const maxParagraph = 2000

// numberedParagraphs gives the runs of lines without a blank one, each with the number of its first line. Items of lists, rows of
// tables and headings begin one of their own.
func numberedParagraphs(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n, first, held := 0, 0, ""
		for line := range strings.Lines(text + "\n\n") {
			n++
			line = strings.TrimSpace(line)
			begins := line == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || line[0] == '|' || line[0] == '#'
			if held != "" && (begins || len(held) > maxParagraph) {
				if !yield(first, held) {
					return
				}
				held = ""
			}
			if held == "" {
				first = n
			}
			if line != "" {
				held += line + " "
			}
		}
	}
}

// withoutQuotes takes what stands in double quotes out of a text that is about orders: it
// quotes them.
func withoutQuotes(text string) string {
	lower := chars.LowerASCII(text)
	if !strings.Contains(lower, "\"") || !chars.ContainsAny(lower, "injection", "attacker", "malicious", "phrase these", "for example", "e.g.", "such as", "like \"") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "\"") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}
