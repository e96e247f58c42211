package store

import (
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// Whatever a repository brings as its team's file, it reads without harm, names
// places, and takes no rule of the policy away.
func FuzzParseTeam(f *testing.F) {
	for _, seed := range []string{
		"version: 1\nlabel: x\nprofile: {bullets: 5}\nprotected_branches: [main]\npolicy:\n  - {kind: k, words: [a], patterns: ['x+']}\n",
		"policy: [", "- a", "policy:\n  - words:\n    - {a: b}\n", "label: \"\\u202e\"\n", "policy:\n  - patterns: ['(?:a{500}){2}']\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		team, problems := ParseTeam(TeamFile, src)
		for _, p := range problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		if team.Bytes != 0 && team.Bytes < minTeamBytes {
			t.Errorf("cap %d", team.Bytes)
		}
		secret := policy.Candidate{Value: memfile.Str("gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a"), Team: team.Rules, Raw: true}
		if policy.Rule(secret).Verdict != policy.Refuse {
			t.Error("a secret passes")
		}
	})
}
