package policy

import (
	"strings"
	"sync"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// A gate that says no to a text that holds the word would switch a rule off.
func TestTheGateNeverDeniesAWordThatIsThere(t *testing.T) {
	looked := 0
	for _, cases := range corpus(t) {
		for _, s := range cases {
			p := newPart("value", s.Text)
			for i := range stems {
				if w := stems[i].text; strings.Contains(p.lower, w) {
					looked++
					if !p.pairs.may(w) {
						t.Errorf("%q: holds %q", s.Text, w)
					}
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d words looked at", looked)
	}
	if p := newPart("value", "concise, no filler"); p.pairs.may("token") {
		t.Error("the gate lets everything through")
	}
}

// Rulings work on benches that are used again: nothing of one may show in the
// next, in whatever order they come.
func TestRulingsDoNotShareWhatTheyWorkOn(t *testing.T) {
	many := Candidate{Value: memfile.Str("tabs"), Tags: strings.Fields(strings.Repeat("tag ", 20)), Raw: true}
	secret := Candidate{Key: "a.b", Value: memfile.Str(fakeToken), Raw: true}
	plain := Candidate{Key: "a.b", Value: memfile.Str("tabs, not spaces"), Raw: true}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if r := Rule(secret); r.Verdict != Refuse || len(r.Findings) != 1 {
					t.Errorf("a secret: %v %d", r.Verdict, len(r.Findings))
				}
				if r := Rule(plain); r.Verdict != Accept || len(r.Findings) != 0 {
					t.Errorf("plain text: %v %d", r.Verdict, len(r.Findings))
				}
				if r := Rule(many); r.Verdict != Accept || len(r.Findings) != 0 {
					t.Errorf("many tags: %v %d", r.Verdict, len(r.Findings))
				}
			}
		})
	}
	wg.Wait()
}

func TestNamesInCodeAreToldFromWhatAMachineMade(t *testing.T) {
	tests := map[string]struct {
		value string
		want  bool
	}{
		"camel case with a number":   {"x25519WrappedKey", true},
		"a long name of a test":      {"ReadPrivateSerializeForeignV5Key", true},
		"capitals inside":            {"IMDSv2SessionTokenURL", true},
		"underlines":                 {"rename_index_of_users2", true},
		"letters and digits at once": {"abcd1234efgh5678ijkl", false},
		"random letters":             {"kT9xLm2QpR7vWz4NcB8y", false},
		"hexadecimal":                {"9f86d081884c7d659a2f", false},
		"shouting in the middle":     {"splendid21RANDOMCONTENT_token", false},
		"one word":                   {"password1", false},
	}
	for name, tt := range tests {
		if got := codeName(tt.value); got != tt.want {
			t.Errorf("%s: %q: %v, want %v", name, tt.value, got, tt.want)
		}
	}
}
