package secret

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/policy/chars"
)

//go:embed rules.txt
var ruleText string

// rule finds one kind of secret by what stands around it. It is a line of rules.txt, which
// describes the columns.
type rule struct {
	kind   string
	words  [][]string // one word of each group must stand in the text
	source string
	checks []string
	re     func() *regexp.Regexp // compiled when a text first has the words
}

// match is what a rule found, with its groups by name.
type match struct {
	text  string
	at    []int
	names []string
}

func (m match) group(name string) string {
	if i := slices.Index(m.names, name); i > 0 && m.at[2*i] >= 0 {
		return m.text[m.at[2*i]:m.at[2*i+1]]
	}
	return ""
}

var rules = sync.OnceValue(func() (list []rule) {
	macros := []string{}
	for line := range strings.Lines(ruleText) {
		line = strings.TrimRight(line, "\n")
		if name, text, ok := strings.Cut(line, " := "); ok && name[0] == '{' {
			macros = append(macros, name, text)
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) < 4 {
			continue // a comment
		}
		r := rule{kind: f[0], source: strings.NewReplacer(macros...).Replace(f[2]), checks: strings.Fields(f[3])}
		for group := range strings.SplitSeq(f[1], " & ") {
			r.words = append(r.words, strings.Split(group, "|"))
		}
		r.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?is)" + r.source) })
		list = append(list, r)
	}
	return list
})

// ruled finds what the rules describe. A text without their words costs a few bits a rule.
func ruled(hits []Hit, p *chars.Part) []Hit {
	for i := range rules() {
		r := &rules()[i]
		if !r.may(p) {
			continue
		}
		for _, at := range r.re().FindAllStringSubmatchIndex(p.Text, -1) {
			m := match{p.Text, at, r.re().SubexpNames()}
			if s := slices.Index(m.names, "s"); !slices.ContainsFunc(r.checks, func(check string) bool { return !holds(check, m.group("s"), m) }) {
				hits = append(hits, Hit{at[2*s], at[2*s+1], r.kind})
			}
		}
	}
	return hits
}

func (r *rule) may(p *chars.Part) bool {
	for _, group := range r.words {
		if !slices.ContainsFunc(group, func(w string) bool { return p.Pairs.May(w) && strings.Contains(p.Lower, w) }) {
			return false
		}
	}
	return true
}

// holds reports whether what a rule found, v, passes a check.
func holds(check, v string, m match) bool {
	c := chars.Count(v)
	switch check {
	case "real":
		return !placeholder(v)
	case "digit":
		return c.Digits > 0
	case "digits3":
		return c.Digits >= 3 && c.Uppers >= 3 && c.Lowers >= 3
	case "mixed":
		return c.Digits > 0 && c.Uppers > 0 && c.Lowers > 0 && mixedPassword(v)
	case "mixed-case":
		return c.Uppers >= 4 && c.Lowers >= 4
	case "base32":
		return c.Digits+c.Uppers >= 2
	case "password":
		return plausible(v)
	case "unlinked": // words that make no sentence
		return !slices.ContainsFunc(strings.FieldsFunc(chars.LowerASCII(v), func(r rune) bool { return r == ' ' || r == '-' }), func(w string) bool { return w != "over" && linking(w) || common(w) })
	case "bip39": // half of its words are in the list, and none makes a sentence
		n, known := 0, 0
		for w := range strings.FieldsFuncSeq(chars.LowerASCII(v), func(r rune) bool { return strings.ContainsRune(" ,/-", r) }) {
			if linking(w) {
				return false
			}
			if n++; seedNumber(w) >= 0 {
				known++
			}
		}
		return known*2 >= n
	case "unworded":
		return !wordy(v)
	case "opaque":
		return opaque(v, 12)
	case "argument":
		return argument(v)
	case "flag":
		return len(v) >= 5 && v[0] != '-' && v[0] != '/' && Has(v, chars.Letters) && (Has(v, chars.Digits|chars.Equals|chars.Plus) || strings.ContainsAny(v, "!@#%^*")) &&
			!strings.Contains(v, ":") && !about(v) && !common(v)
	case "setting":
		return !common(v) && !wordPath(v) && !strings.ContainsAny(v, "[(,")
	case "login": // of an address: user, s, host
		return !placeholder(m.group("user")) && urlSecret(m.group("user"), v)
	case "address":
		return urlSecret(m.group("user"), v) && !(wellKnown(v) && localHost(m.group("host"))) && !(strings.Contains(m.group("user"), ".") && strings.Contains(v, "/"))
	case "driver":
		return !namesPassword(chars.LowerASCII(v)) && !(wellKnown(v) && localHost(m.group("host")))
	case "alone": // no letter or digit beside it
		end, start := m.at[1], m.at[0]
		return (start == 0 || !chars.IsAlnum(m.text[start-1])) && (end == len(m.text) || !chars.IsAlnum(m.text[end]))
	case "codes":
		return !slices.ContainsFunc(strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" ,;\n\r\t.)*`|", r) }), func(code string) bool {
			return len(code) >= 4 && (len(code) > 24 || chars.Count(code).Digits < 2 || date(code) && len(code) > 4 && code[4] == '-')
		})
	}
	panic("secret: " + check + " is no check") // a test reads every rule
}

// urlSecret reports whether a password of an address is one.
func urlSecret(user, pass string) bool {
	u, p := chars.LowerASCII(user), chars.LowerASCII(pass)
	switch {
	case len(pass) < 3, placeholder(pass), namesPassword(p):
		return false
	case len(p) <= 3 && len(u) <= 4: // abc:xyz
		return false
	}
	return p != u || strings.ContainsAny(p, "0123456789") || len(p) >= 6
}

// wellKnown: the passwords that the images and manuals of servers begin with.
func wellKnown(pass string) bool { return listed("well-known", chars.LowerASCII(pass)) }

// namesPassword: the password's name in the password's place.
func namesPassword(p string) bool { return listed("names", strings.Trim(p, "_-")) }

// linking words stand in sentences and in no wallet's word list.
func linking(w string) bool { return listed("linking", w) }

// listed reports whether a list of rules.txt has the word.
func listed(list, word string) bool {
	line := wordLists()[list]
	return word != "" && strings.Contains(line, " "+word+" ")
}

func wordsOf(list string) []string { return strings.Fields(wordLists()[list]) }

// wordLists are the lists below the rules of rules.txt, each with a space around every word.
var wordLists = sync.OnceValue(func() map[string]string {
	lists := map[string]string{}
	for line := range strings.Lines(ruleText) {
		if name, words, ok := strings.Cut(line, ": "); ok && !strings.ContainsAny(name, " \t") {
			lists[name] += " " + strings.TrimSpace(words) + " "
		}
	}
	return lists
})

// localHost: this machine, or a name that only a network of containers knows.
func localHost(address string) bool {
	host := chars.LowerASCII(address[:chars.Span(address, chars.Dotted, len(address))])
	return strings.HasPrefix(address, "[::1]") || host == "host.docker.internal" || host == "127.0.0.1" || host == "0.0.0.0" ||
		strings.HasSuffix(host, ".local") || !strings.Contains(host, ".")
}

// argument reports whether an argument could be a password: letters with digits or signs.
func argument(v string) bool {
	if len(v) < 5 || v[0] == '-' || v[0] == '/' || strings.ContainsAny(v, "(){}[]<>") || placeholder(v) || about(v) || common(v) || IsVersion(v) {
		return false
	}
	return Has(v, chars.Letters) && (Has(v, chars.Digits) || strings.ContainsAny(v, "!@#%^*$&?")) && !wordy(v) && !measure(v)
}
