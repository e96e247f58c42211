package secret

import (
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/policy/chars"
)

// A rule must compile, name the secret s, and use checks that exist; holds panics at others.
func TestEveryRuleIsComplete(t *testing.T) {
	all := rules().List
	if len(all) < 50 {
		t.Fatalf("%d rules", len(all))
	}
	for _, r := range all {
		if !slices.Contains(r.Regexp().SubexpNames(), "s") {
			t.Errorf("%s: no group s: %s", r.Kind, r.Regexp())
		}
		for _, check := range r.Checks {
			if check != "alone" {
				passesCheck(check, "Abc123!x", &chars.Match{})
			}
		}
	}
}

// The rules' words only decide whether an expression is tried, so each secret must be found with its words alone.
func TestRulesNeedTheirWords(t *testing.T) {
	for text, want := range map[string]bool{
		"see https://ada:Tr0ub4dor@db.example.org/x":          true,
		"see https://db.example.org/x":                        false,
		"sshpass -p 'k9#Lmq2w' ssh host":                      true,
		"sshpass -f file ssh host":                            false,
		"backup codes: 8f3k2-91md4, 77ab1-k20s9, p0s8d-11xk2": true,
		"backup of the code: see the wiki and the docs":       false,
	} {
		part := chars.NewPart("value", text)
		if got := len(findByRules(nil, &part)) > 0; got != want {
			t.Errorf("%q: found %t", text, got)
		}
	}
}

func TestRulesFileHasNoHalfLines(t *testing.T) {
	for line := range strings.Lines(ruleText) {
		if n := strings.Count(line, "\t"); n != 0 && n != 3 {
			t.Errorf("%d tabs: %s", n, line)
		}
	}
}

// A check such as "long58" tells how long a text's longest run must be: never longer than the shortest token of the rule.
func TestTheShortestTokensAreTried(t *testing.T) {
	for kind, text := range map[string]string{
		"discord-token":  "MTk4NjIyNDgzNDcxOTI1MjQ" + ".Cl2FMQ." + "ZnCjm1XVW7vRze4b7Cq4se7kKWs",
		"telegram-token": "bot 71195993:" + "Bk9lrFnr4_EgCbEtWtuY9J-DOMeU3q5qXa4",
		"password-file":  "db.example.org:5432:shop:ada:Tr0ub4dor9x",
	} {
		part := chars.NewPart("value", text)
		if hits := findByRules(nil, &part); len(hits) != 1 || hits[0].Kind != kind {
			t.Errorf("%s: %v", kind, hits)
		}
	}
}
