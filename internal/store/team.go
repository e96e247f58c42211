package store

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// minTeamBytes is the smallest cap that a team can set: a repository must not be able to
	// empty a person's profile.
	minTeamBytes = 1000
	maxTeamWhy   = 80 // bytes of a rule's why
	// ruleTeamFile is the rule of what is wrong with the team's file.
	ruleTeamFile = "team-file"
)

// ParseTeam reads the text of a team's file. If any part of it cannot be read, the rules count as
// broken and all branches as protected; what can be read holds beside that.
func ParseTeam(name string, src []byte) (Team, []memfile.Problem) {
	r := &teamReader{name: name}
	text := strings.ReplaceAll(strings.TrimPrefix(string(src), "\ufeff"), "\r\n", "\n")
	root, err := yamltext.Parse(yamltext.Source{Text: text, To: len(text), Line: 1})
	var bad *yamltext.Error
	switch {
	case len(src) > maxTeamFileBytes:
		r.add(memfile.Error, 1, 1, yamltext.RuleTooLarge, fmt.Sprintf("the file has more than %d bytes", maxTeamFileBytes))
	case errors.As(err, &bad):
		r.add(memfile.Error, bad.Line, bad.Column, bad.Rule, bad.Message)
	case root != nil:
		r.fields(root, "the file is not a map of settings", r.setting)
	}
	rules := policy.NewTeam(r.rules, false)
	for _, e := range rules.Errors() {
		r.fail(r.patterns[e.Rule][e.Pattern], "the pattern "+e.Why)
	}
	if r.team.AllProtected || len(r.rules) > 0 {
		r.team.Rules = policy.NewTeam(r.rules, r.team.AllProtected)
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
	problems []memfile.Problem
}

func (r *teamReader) add(severity memfile.Severity, line, column int, rule, message string) {
	r.team.AllProtected = r.team.AllProtected || severity == memfile.Error
	r.problems = append(r.problems, memfile.Problem{
		Rule: rule, Severity: severity, File: r.name, Line: max(line, 1), Column: max(column, 1), Message: message,
		Hint: "see docs/settings.md for what " + TeamFile + " can say",
	})
}

func (r *teamReader) fail(n *yamltext.Node, message string) {
	r.add(memfile.Error, n.Line, n.Column, ruleTeamFile, message)
}

// fields reads a map; known is false for a name that means nothing. No message repeats the name: it
// is somebody's text, and shown where it stands.
func (r *teamReader) fields(m *yamltext.Node, want string, read func(name string, v *yamltext.Node) (known bool)) {
	if m.Kind != yamltext.Map {
		r.fail(m, want)
		return
	}
	for _, e := range m.Entries {
		if !read(e.Key.Text, e.Value) {
			r.add(memfile.Warning, e.Key.Line, e.Key.Column, "unknown-field", "no setting has this name, so it does nothing")
		}
	}
}

func (r *teamReader) setting(name string, v *yamltext.Node) bool {
	switch name {
	case "version":
		if v.Text != "1" {
			r.fail(v, "the version is not 1, so this memctl may not know all of the file")
		}
	case "profile":
		r.fields(v, "profile is a map with bytes", func(name string, v *yamltext.Node) bool {
			if name != "bytes" {
				return false
			}
			n, err := strconv.Atoi(v.Text)
			if err != nil || n < minTeamBytes {
				r.fail(v, fmt.Sprintf("the cap must be a number from %d; a cap above memctl's own has no effect", minTeamBytes))
			}
			if err == nil {
				r.team.Bytes = max(n, minTeamBytes)
			}
			return true
		})
	case "protected_branches":
		for _, n := range r.texts(v, "protected_branches is a list of names, which may hold *") {
			if _, err := path.Match(n.Text, ""); err != nil {
				r.fail(n, "this is not a branch name or pattern")
			}
			r.team.Protected = append(r.team.Protected, n.Text)
		}
	case "policy":
		if v.Kind != yamltext.List || len(v.Entries) > policy.MaxTeamRules {
			r.fail(v, fmt.Sprintf("policy is a list of at most %d rules, each with kind and words or patterns", policy.MaxTeamRules))
		}
		for i := 0; v.Kind == yamltext.List && i < min(len(v.Entries), policy.MaxTeamRules); i++ {
			r.rule(v.Entries[i].Value)
		}
	default:
		return false
	}
	return true
}

// why reads one short line of plain words. They may reach an agent, so the
// policy rules on them like on memory.
func (r *teamReader) why(v *yamltext.Node) string {
	switch {
	case v.Kind != yamltext.Scalar || len(v.Text) > maxTeamWhy || strings.ContainsAny(v.Text, "\n\r"):
		r.fail(v, "why is one line of at most "+strconv.Itoa(maxTeamWhy)+" bytes")
	case policy.Rule(policy.Candidate{Value: memfile.Str(v.Text), Raw: true}).Verdict != policy.Accept:
		r.fail(v, "why is a text that the policy refuses")
	default:
		return policy.Inert(v.Text)
	}
	return ""
}

// texts are the strings of a list, or one string.
func (r *teamReader) texts(v *yamltext.Node, want string) (out []*yamltext.Node) {
	list := []*yamltext.Node{v}
	if v.Kind == yamltext.List {
		list = nil
		for _, e := range v.Entries {
			list = append(list, e.Value)
		}
	}
	for _, n := range list {
		if n.Kind != yamltext.Scalar || strings.TrimSpace(n.Text) == "" {
			r.fail(n, want)
			continue
		}
		out = append(out, n)
	}
	return out
}

func (r *teamReader) rule(v *yamltext.Node) {
	rule := policy.TeamRule{Kind: "team"}
	var places []*yamltext.Node
	texts := func(v *yamltext.Node, want string) (list []string, nodes []*yamltext.Node) {
		for _, n := range r.texts(v, want) {
			if r.words++; len(n.Text) > policy.MaxTeamWordBytes || r.words > policy.MaxTeamWords {
				r.fail(n, fmt.Sprintf("longer than %d bytes, or more than %d words and patterns in all rules", policy.MaxTeamWordBytes, policy.MaxTeamWords))
				continue
			}
			list, nodes = append(list, n.Text), append(nodes, n)
		}
		return list, nodes
	}
	r.fields(v, "a rule is a map with kind, and words or patterns", func(name string, v *yamltext.Node) bool {
		switch name {
		case "kind":
			if rule.Kind = v.Text; !policy.IsTeamKind(v.Text) {
				r.fail(v, "a kind is made of lower-case words joined by dashes, such as code-name")
				rule.Kind = "team"
			}
		case "why":
			rule.Why = r.why(v)
		case "words":
			rule.Words, _ = texts(v, "words is a list of texts")
		case "patterns":
			rule.Patterns, places = texts(v, "patterns is a list of regular expressions")
		default:
			return false
		}
		return true
	})
	if len(rule.Words)+len(rule.Patterns) > 0 {
		r.rules, r.patterns = append(r.rules, rule), append(r.patterns, places)
	} else if v.Kind == yamltext.Map {
		r.fail(v, "the rule has neither words nor patterns")
	}
}

// TeamFile is the file, at the project's root, in which a team shares what can
// only tighten: it never takes a rule away, raises a cap or names a URL, a
// command or a path.
const TeamFile = ".memctl.yaml"

// maxTeamFileBytes caps it.
const maxTeamFileBytes = 64 << 10

// Team is what the team's file says. The zero value says nothing.
type Team struct {
	Bytes     int      // a lower cap on its bytes; 0 for none
	Protected []string // branches that memctl never commits to, as for path.Match
	Rules     *policy.Team
	// AllProtected: which branches are protected cannot be read, so all count.
	AllProtected bool
}

// Team reads the team's file, once a session. Of a file that is damaged it
// gives what can be read, on the strict side, and tells the person.
func (ss *Stores) Team() *Team {
	if ss.team != nil {
		return ss.team
	}
	ss.team = &Team{}
	src, err := ss.teamBytes()
	switch {
	case err != nil:
		ss.team = unreadableTeam()
		ss.Talk(`"` + TeamFile + `" cannot be read, so new memory waits for review: ` + err.Error())
	case src != nil:
		team, problems := ParseTeam(TeamFile, src)
		ss.team = &team
		for _, p := range problems {
			if p.Severity == memfile.Error {
				ss.Talk(`"` + TeamFile + `" is damaged, so memctl applies the strict settings; memctl validate ` + TeamFile + ` says where`)
				break
			}
		}
	}
	return ss.team
}

// TeamOf is Team where the file is vouched for, else a team that says nothing; nil
// vouches for every file.
func (ss *Stores) TeamOf(vouched func(name string, data []byte) bool) *Team {
	if vouched == nil {
		return ss.Team()
	}
	if src, err := ss.teamBytes(); err != nil || src == nil || !vouched(TeamFile, src) {
		return &Team{}
	}
	return ss.Team()
}

// teamBytes are the file's bytes; nil without an error where it is not there.
func (ss *Stores) teamBytes() ([]byte, error) {
	if ss.root == "" {
		return nil, nil
	}
	return ReadFile(ss.root, TeamFile, maxTeamFileBytes)
}

// unreadableTeam stands for a file of which nothing can be read.
func unreadableTeam() *Team { return &Team{Rules: policy.NewTeam(nil, true), AllProtected: true} }

// TeamRules are the team's rules for a scope. They hold for what the team
// shares: a repository must not be able to keep a person's own memory from
// them.
func (ss *Stores) TeamRules(scope string) *policy.Team {
	if scope != Project && scope != Only {
		return nil
	}
	return ss.Team().Rules
}

// Rule asks the policy about a candidate for this store.
func (st *Store) Rule(c policy.Candidate) policy.Ruling {
	c.Scope = st.Scope
	return st.Stores.Rule(c)
}
