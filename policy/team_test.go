package policy

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

func teamOf(rules ...TeamRule) *Team { return NewTeam(rules, false) }

func TestATeamsWordsAndPatternsAreRefused(t *testing.T) {
	team := teamOf(
		TeamRule{Kind: "code-name", Words: []string{"Bluebird", "Project  Heron", "C++"}},
		TeamRule{Kind: "ticket", Patterns: []string{`\bPAY-\d+\b`}},
	)
	tests := map[string]struct {
		c    Candidate
		kind string // "" for none
	}{
		"a word":                              {Candidate{Value: memfile.Str("we ship Bluebird in May")}, "code-name"},
		"a word in another case":              {Candidate{Value: memfile.Str("BLUEBIRD ships")}, "code-name"},
		"a word in full width":                {Candidate{Value: memfile.Str("ｂｌｕｅｂｉｒｄ")}, "code-name"},
		"two words over a line's end":         {Candidate{Value: memfile.Str("project\nheron is late")}, "code-name"},
		"a word that ends in no letter":       {Candidate{Value: memfile.Str("no c++ here")}, "code-name"},
		"a longer word that holds it":         {Candidate{Value: memfile.Str("bluebirds sing")}, ""},
		"a word that it ends":                 {Candidate{Value: memfile.Str("notbluebird")}, ""},
		"first within a word, then alone":     {Candidate{Value: memfile.Str("bluebirds and bluebird")}, "code-name"},
		"a pattern":                           {Candidate{Value: memfile.Str("see PAY-12")}, "ticket"},
		"a pattern in another case":           {Candidate{Value: memfile.Str("see pay-12")}, ""},
		"the key":                             {Candidate{Key: "a.bluebird"}, "code-name"},
		"a tag":                               {Candidate{Labels: labels.Labels{Tags: []string{"bluebird"}}}, "code-name"},
		"the source":                          {Candidate{Labels: labels.Labels{Source: "from PAY-1"}}, "ticket"},
		"an entry of a list":                  {Candidate{Value: memfile.Value{Kind: memfile.List, List: []memfile.Value{memfile.Str("PAY-1")}}}, "ticket"},
		"a text too long for the patterns":    {Candidate{Value: memfile.Str(strings.Repeat("a b ", MaxTeamText))}, kindTeamTooLong},
		"what has nothing to do with the two": {Candidate{Value: memfile.Str("tabs, not spaces")}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.c.Raw = true
			tt.c.Team = team
			kind := ""
			for _, f := range Rule(tt.c).Findings {
				if f.Rule == RuleTeam {
					kind = f.Kind
					if f.Verdict != Refuse {
						t.Errorf("verdict %s, want refuse", f.Verdict)
					}
				}
			}
			if kind != tt.kind {
				t.Errorf("kind %q, want %q", kind, tt.kind)
			}
		})
	}
}

func TestATeamTakesNoRuleAway(t *testing.T) {
	team := teamOf(TeamRule{Kind: "anything", Words: []string{"x"}})
	c := Candidate{Value: memfile.Str(fakeToken), Team: team}
	if r := Rule(c); r.Verdict != Refuse || r.Rules()[0] != RuleSecret {
		t.Errorf("a secret: %s %v", r.Verdict, r.Rules())
	}
}

func TestAnAllowanceDoesNotLiftATeamsRule(t *testing.T) {
	v := memfile.Str("Bluebird")
	c := Candidate{Value: v, Team: teamOf(TeamRule{Kind: "k", Words: []string{"bluebird"}}),
		Allow: []memfile.Allowance{{Rule: RuleTeam, Digest: memfile.AllowDigest(v)}}}
	if r := Rule(c); r.Verdict != Refuse {
		t.Errorf("verdict %s, want refuse", r.Verdict)
	}
}

func TestPatternsThatCannotBeUsedHoldWhatIsNew(t *testing.T) {
	tests := map[string]string{
		"no regular expression":   `(`,
		"a look-around":           `(?=a)b`,
		"one that matches all":    `a*`,
		"too many steps":          `[ab]{1000}[cd]{1000}[ef]{1000}x`,
		"nothing":                 ``,
		"longer than one may be":  strings.Repeat("a", MaxTeamWordBytes+1),
		"a repetition beyond all": `(a{1000}){1000}`,
	}
	for name, pattern := range tests {
		t.Run(name, func(t *testing.T) {
			team := teamOf(TeamRule{Kind: "k", Patterns: []string{pattern}, Words: []string{"bluebird"}})
			errs := team.Errors()
			if len(errs) != 1 {
				t.Fatalf("%d errors, want 1", len(errs))
			}
			if len(pattern) > 3 && strings.Contains(errs[0].Why, pattern) {
				t.Errorf("the error repeats the pattern: %s", errs[0].Why)
			}
			fresh := Candidate{Key: "a.b", Value: memfile.Str("tabs, not spaces"), Team: team}
			if r := Rule(fresh); r.Verdict != Hold {
				t.Errorf("something new: %s, want hold", r.Verdict)
			}
			fresh.Raw = true
			if r := Rule(fresh); r.Verdict != Accept {
				t.Errorf("what stands in the file: %s, want accept", r.Verdict)
			}
			if r := Rule(Candidate{Value: memfile.Str("bluebird"), Team: team, Raw: true}); r.Verdict != Refuse {
				t.Errorf("the rule's word: %s, want refuse", r.Verdict)
			}
		})
	}
}

func TestBothVersionsOfATeamsRulesCount(t *testing.T) {
	a, b := teamOf(TeamRule{Kind: "a", Words: []string{"alpha"}}), teamOf(TeamRule{Kind: "b", Words: []string{"beta"}})
	var none *Team
	for name, team := range map[string]*Team{"both": a.With(b), "the other way": b.With(a), "one of them alone": none.With(a.With(none)).With(b)} {
		for _, word := range []string{"alpha", "beta"} {
			if r := Rule(Candidate{Value: memfile.Str(word), Team: team, Raw: true}); r.Verdict != Refuse {
				t.Errorf("%s: %s: %s, want refuse", name, word, r.Verdict)
			}
		}
	}
	if a.With(b).Key() == a.Key() || a.Key() == b.Key() || none.Key() != "" || teamOf().Key() != "" {
		t.Error("keys do not tell rules apart")
	}
}

// The worst that a team's file can say stays within bounds: all steps there
// are, in patterns that keep many states alive, on the longest text. Without bounds the test does not end.
func TestTheDearestPatternsAreBounded(t *testing.T) {
	var patterns []string
	for range 3 {
		patterns = append(patterns, `(?:[a-z]?){150}(?:[a-z]){150}1`)
	}
	team := teamOf(TeamRule{Kind: "k", Patterns: patterns})
	if n := len(team.Errors()); n != 0 {
		t.Fatalf("%d patterns are too large for the test", n)
	}
	Rule(Candidate{Value: memfile.Str(strings.Repeat("a", MaxTeamText)), Team: team, Raw: true})
}
