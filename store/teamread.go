package store

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// The smallest caps that a team can set: a repository must not be able to
// empty a person's profile.
const (
	minTeamBytes = 1000
	maxTeamLabel = 80 // bytes of a label or a rule's why
)

// ParseTeam reads the text of a team's file. What is wrong with one part takes
// nothing from the others: rules that cannot be read make the rest of the
// rules broken, and branches that cannot be read make all protected.
func ParseTeam(name string, src []byte) (Team, []memfile.Problem) {
	r := &teamReader{name: name}
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
	root, err := yamltext.Parse(yamltext.Source{Text: text, To: len(text), Line: 1})
	var bad *yamltext.Error
	switch {
	case len(src) > maxTeamFileBytes:
		r.add(memfile.Error, 1, 1, yamltext.RuleTooLarge, "the file has more than "+strconv.Itoa(maxTeamFileBytes)+" bytes")
		return *unreadableTeam(), r.problems
	case errors.As(err, &bad):
		r.add(memfile.Error, bad.Line, bad.Column, bad.Rule, bad.Message)
		return *unreadableTeam(), r.problems
	case root == nil:
		return r.team, nil
	case root.Kind != yamltext.Map:
		r.fail(root, "is not a map of settings")
		return *unreadableTeam(), r.problems
	}
	for _, e := range root.Entries {
		r.field(e)
	}
	if len(r.rules) > 0 || r.broken {
		r.team.Rules = policy.NewTeam(r.rules, r.broken)
	}
	for _, e := range r.team.Rules.Errors() {
		r.fail(r.patterns[e.Rule][e.Pattern], "the pattern "+e.Why)
	}
	return r.team, r.problems
}

// teamReader gathers what the file says.
type teamReader struct {
	name     string
	team     Team
	rules    []policy.TeamRule
	patterns [][]*yamltext.Node // where each rule's patterns stand
	words    int
	broken   bool
	problems []memfile.Problem
}

func (r *teamReader) add(severity memfile.Severity, line, column int, rule, message string) {
	r.problems = append(r.problems, memfile.Problem{
		Rule: rule, Severity: severity, File: r.name, Line: max(line, 1), Column: max(column, 1), Message: message,
		Hint: "see docs/settings.md for what " + TeamFile + " can say",
	})
}

func (r *teamReader) fail(n *yamltext.Node, message string) {
	r.add(memfile.Error, n.Line, n.Column, ruleTeamFile, message)
}

// breaks is fail for what makes the rules broken.
func (r *teamReader) breaks(n *yamltext.Node, message string) {
	r.fail(n, message)
	r.broken = true
}

// ruleTeamFile is the rule of what is wrong with the team's file.
const ruleTeamFile = "team-file"

func (r *teamReader) field(e yamltext.Entry) {
	v := e.Value
	switch e.Key.Text {
	case "version":
		if v.Text != "1" {
			r.fail(v, "the version is not 1, so this memctl may not know all of the file")
			r.broken, r.team.AllProtected = true, true
		}
	case "label":
		r.team.Label = r.line(v, "the label")
	case "profile":
		r.profile(v)
	case "protected_branches":
		r.branches(v)
	case "policy":
		r.policy(v)
	default:
		r.unknown(e.Key)
	}
}

// unknown names no field: it is somebody's text, and shown where it stands.
func (r *teamReader) unknown(key *yamltext.Node) {
	r.add(memfile.Warning, key.Line, key.Column, "unknown-field", "no setting has this name, so it does nothing")
}

// line reads one short line of plain words. They may reach an agent, so the
// policy rules on them like on memory.
func (r *teamReader) line(v *yamltext.Node, what string) string {
	switch {
	case v.Kind != yamltext.Scalar || len(v.Text) > maxTeamLabel || strings.ContainsAny(v.Text, "\n\r"):
		r.fail(v, what+" is one line of at most "+strconv.Itoa(maxTeamLabel)+" bytes")
	case policy.Rule(policy.Candidate{Value: memfile.Str(v.Text), Raw: true}).Verdict != policy.Accept:
		r.fail(v, what+" is a text that the policy refuses")
	default:
		return policy.Inert(v.Text)
	}
	return ""
}

func (r *teamReader) profile(v *yamltext.Node) {
	if v.Kind != yamltext.Map {
		r.fail(v, "profile is a map with bytes")
		return
	}
	for _, e := range v.Entries {
		switch e.Key.Text {
		case "bytes":
			r.team.Bytes = r.limit(e.Value, minTeamBytes)
		default:
			r.unknown(e.Key)
		}
	}
}

// limit reads a cap. One that is too low counts as the lowest.
func (r *teamReader) limit(v *yamltext.Node, least int) int {
	n, err := strconv.Atoi(v.Text)
	if v.Kind != yamltext.Scalar || err != nil || n < least {
		r.fail(v, "the cap must be a number from "+strconv.Itoa(least)+"; a cap above memctl's own has no effect")
		return least
	}
	return n
}

func (r *teamReader) branches(v *yamltext.Node) {
	for _, n := range r.texts(v, "protected_branches is a list of names, which may hold *", &r.team.AllProtected) {
		if _, err := path.Match(n.Text, ""); err != nil || n.Text == "" {
			r.fail(n, "this is not a branch name or pattern")
			r.team.AllProtected = true
			continue
		}
		r.team.Protected = append(r.team.Protected, n.Text)
	}
}

// texts are the strings of a list, or one string; what is neither is a problem
// that sets bad.
func (r *teamReader) texts(v *yamltext.Node, want string, bad *bool) []*yamltext.Node {
	list := []*yamltext.Node{v}
	if v.Kind == yamltext.List {
		list = nil
		for _, e := range v.Entries {
			list = append(list, e.Value)
		}
	}
	var out []*yamltext.Node
	for _, n := range list {
		if n.Kind != yamltext.Scalar || strings.TrimSpace(n.Text) == "" {
			r.fail(n, want)
			*bad = true
			continue
		}
		out = append(out, n)
	}
	return out
}

func (r *teamReader) policy(v *yamltext.Node) {
	if v.Kind != yamltext.List {
		r.breaks(v, "policy is a list of rules, each with kind and words or patterns")
		return
	}
	for i, e := range v.Entries {
		if i == policy.MaxTeamRules {
			r.breaks(e.Value, "more than "+strconv.Itoa(policy.MaxTeamRules)+" rules")
			return
		}
		r.rule(e.Value)
	}
}

func (r *teamReader) rule(v *yamltext.Node) {
	if v.Kind != yamltext.Map {
		r.breaks(v, "a rule is a map with kind, and words or patterns")
		return
	}
	rule := policy.TeamRule{Kind: "team"}
	var places []*yamltext.Node
	for _, e := range v.Entries {
		switch e.Key.Text {
		case "kind":
			if !policy.TeamKind(e.Value.Text) {
				r.fail(e.Value, "a kind is made of lower-case words joined by dashes, such as code-name")
				continue
			}
			rule.Kind = e.Value.Text
		case "why":
			rule.Why = r.line(e.Value, "why")
		case "words":
			for _, n := range r.limited(e.Value, "words is a list of texts") {
				rule.Words = append(rule.Words, n.Text)
			}
		case "patterns":
			places = r.limited(e.Value, "patterns is a list of regular expressions")
			for _, n := range places {
				rule.Patterns = append(rule.Patterns, n.Text)
			}
		default:
			r.unknown(e.Key)
		}
	}
	if len(rule.Words)+len(rule.Patterns) == 0 {
		r.breaks(v, "the rule has neither words nor patterns")
		return
	}
	r.rules, r.patterns = append(r.rules, rule), append(r.patterns, places)
}

// limited are the texts of a list, within the limits of all rules together.
func (r *teamReader) limited(v *yamltext.Node, want string) []*yamltext.Node {
	list := r.texts(v, want, &r.broken)
	if r.words += len(list); r.words > policy.MaxTeamWords {
		r.breaks(v, "more than "+strconv.Itoa(policy.MaxTeamWords)+" words and patterns in all rules")
		return nil
	}
	var out []*yamltext.Node
	for _, n := range list {
		if len(n.Text) > policy.MaxTeamWordBytes {
			r.breaks(n, "longer than "+strconv.Itoa(policy.MaxTeamWordBytes)+" bytes")
			continue
		}
		out = append(out, n)
	}
	return out
}
