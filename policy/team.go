package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// RuleTeam is the rule of a team's own words and patterns; KindTeamBroken is its kind where they
// cannot be read.
const (
	RuleTeam       = "team"
	KindTeamBroken = "unreadable"
)

// Limits of a team's rules. Go's regular expressions take time in proportion to
// the text times the size of the compiled pattern, whatever is written in them;
// with both capped here, no match needs a clock to stop it.
const (
	MaxTeamRules      = 100
	MaxTeamWords      = 500  // words and patterns of all rules
	MaxTeamWordBytes  = 200  // of one word or pattern
	MaxTeamSteps      = 2000 // instructions of all compiled patterns
	MaxTeamText       = 4000 // bytes of one string that patterns are tried on
	kindTeamTooLong   = "too-long-to-check"
	maxTeamKindLength = 40
)

// TeamRule is one of a team's own rules. What it names is refused.
type TeamRule struct {
	Kind     string   // what a hit is called: lower-case words joined by dashes
	Why      string   // one line for the reader of a finding; may be ""
	Words    []string // literal words: whole words, whatever their case and width
	Patterns []string // Go regular expressions
}

// Team are the rules that a team adds to the policy. They only ever add
// findings. nil adds none.
type Team struct {
	rules        []TeamRule
	broken       bool
	key          string
	otherVersion *Team // of another version of the settings, ruling beside these
	compile      func() compiledTeam
}

// compiledTeam are a team's rules, compiled. That is put off until something is
// ruled on: a session that starts on an unchanged file rules on nothing.
type compiledTeam struct {
	rules  []compiledRule
	errors []*PatternError
}

type compiledRule struct {
	*TeamRule
	words    []string // in normal form
	patterns []*regexp.Regexp
}

// PatternError is a pattern that cannot be used, by its place in the rules.
type PatternError struct {
	Rule, Pattern int    // indexes
	Why           string // never repeats the pattern
}

func (e *PatternError) Error() string { return e.Why }

// NewTeam returns a team with these rules. broken says that others could not be read. Then, or if a
// pattern cannot be used, all new memory waits for a person's review.
func NewTeam(rules []TeamRule, broken bool) *Team {
	t := &Team{rules: rules, broken: broken, key: teamKey(rules, broken)}
	t.compile = sync.OnceValue(t.compileRules)
	return t
}

// Errors lists the patterns that cannot be used.
func (t *Team) Errors() []*PatternError {
	if t == nil {
		return nil
	}
	return t.compile().errors
}

// Broken reports whether part of the rules cannot be read or used.
func (t *Team) Broken() bool {
	return t != nil && (t.broken || len(t.compile().errors) > 0 || t.otherVersion.Broken())
}

func (t *Team) compileRules() compiledTeam {
	var made compiledTeam
	steps := 0
	for i := range t.rules {
		r := compiledRule{TeamRule: &t.rules[i]}
		for _, w := range r.Words {
			if w = memfile.NormalText(w); w != "" {
				r.words = append(r.words, w)
			}
		}
		for n, p := range r.Patterns {
			re, size, why := compilePattern(p, MaxTeamSteps-steps)
			if why != "" {
				made.errors = append(made.errors, &PatternError{Rule: i, Pattern: n, Why: why})
				continue
			}
			steps += size
			r.patterns = append(r.patterns, re)
		}
		made.rules = append(made.rules, r)
	}
	return made
}

// compilePattern makes a pattern of at most so many steps ready, or says why it
// cannot be used.
func compilePattern(p string, most int) (re *regexp.Regexp, steps int, why string) {
	if p == "" || len(p) > MaxTeamWordBytes {
		return nil, 0, "is empty, or longer than a pattern may be"
	}
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return nil, 0, "is not a regular expression that Go supports (RE2: no look-around, no back-references)"
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err == nil && len(prog.Inst) > most {
		return nil, 0, "is too large, with those before it; repeat less in it"
	}
	if err == nil {
		re, err = regexp.Compile(p)
	}
	if err != nil {
		return nil, 0, "is not a regular expression that Go can compile"
	}
	if re.MatchString("") {
		return nil, 0, "matches the empty text, and so everything"
	}
	return re, len(prog.Inst), ""
}

// Key names the rules: it changes whenever a verdict could. "" for none.
func (t *Team) Key() string {
	if t == nil || len(t.rules) == 0 && !t.broken {
		return ""
	}
	return t.key
}

func teamKey(rules []TeamRule, broken bool) string {
	h := sha256.New()
	for _, r := range rules {
		for _, list := range [][]string{{r.Kind, r.Why}, r.Words, r.Patterns} {
			for _, s := range list {
				h.Write([]byte(s))
				h.Write([]byte{0})
			}
			h.Write([]byte{1})
		}
	}
	if broken {
		h.Write([]byte{2})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// With are the rules of two versions of the settings together: what either
// refuses is refused.
func (t *Team) With(u *Team) *Team {
	switch {
	case t.Key() == "":
		return u
	case u.Key() == "" || t.key == u.key:
		return t
	}
	both := *t
	both.otherVersion, both.key = u, t.key+u.key
	return &both
}

// checkTeamRules rules by what the team has added.
func (j *judge) checkTeamRules() {
	for t := j.c.Team; t.Key() != ""; t = t.otherVersion {
		ready := t.compile()
		if (t.broken || len(ready.errors) > 0) && !j.c.Raw {
			j.addFinding(Finding{
				Rule: RuleTeam, Kind: KindTeamBroken, Verdict: Hold,
				Message: "part of the team's rules (.memctl.yaml) cannot be read, so memctl cannot tell whether they allow this",
			})
		}
		for i := range j.texts {
			for k := range ready.rules {
				j.checkTeamRule(&ready.rules[k], &j.texts[i])
			}
		}
	}
}

func (j *judge) checkTeamRule(r *compiledRule, p *chars.Part) {
	if len(r.patterns) > 0 && len(p.Text) > MaxTeamText {
		j.addFinding(Finding{
			Rule: RuleTeam, Kind: kindTeamTooLong, Where: p.Where, Verdict: Refuse,
			Message: "is too long to be checked against the team's patterns (.memctl.yaml)",
		})
		return
	}
	hit := false
	if len(r.words) > 0 {
		normal := memfile.NormalText(p.Text)
		for _, w := range r.words {
			hit = hit || hasWord(normal, w)
		}
	}
	for _, re := range r.patterns {
		hit = hit || re.MatchString(p.Text)
	}
	if hit {
		j.addFinding(r.finding(p.Where))
	}
}

func (r *compiledRule) finding(where string) Finding {
	f := Finding{
		Rule: RuleTeam, Kind: r.Kind, Where: where, Verdict: Refuse,
		Message: "the team's rules (.memctl.yaml) keep this out of memory (" + r.Kind + ")",
		Hint:    "say it without that, or change the rule in a pull request",
	}
	if r.Why != "" {
		f.Message += ": " + r.Why
	}
	return f
}

// hasWord reports whether text holds the word and not only as a part of a
// longer one. Both are in normal form.
func hasWord(text, word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !(start > 0 && isWordRune(first) && isWordRune(before)) && !(end < len(text) && isWordRune(last) && isWordRune(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsTeamKind reports whether a text can name a team's rule: lower-case words
// joined by dashes.
func IsTeamKind(s string) bool {
	if s == "" || len(s) > maxTeamKindLength || s[0] < 'a' || s[0] > 'z' || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return false
	}
	return s != KindTeamBroken && s != kindTeamTooLong
}
