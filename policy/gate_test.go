package policy

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy/chars"
)

// A gate that says no to a text that holds the word would switch a rule off.
func TestTheGateNeverDeniesAWordThatIsThere(t *testing.T) {
	looked := 0
	for _, cases := range corpus(t) {
		for _, s := range cases {
			p := chars.NewPart("value", s.Text)
			for _, w := range strings.FieldsFunc(p.Lower, func(r rune) bool { return r < 'a' || r > 'z' }) {
				looked++
				if !p.Pairs.MayContain(w) {
					t.Errorf("%q: holds %q", s.Text, w)
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d words looked at", looked)
	}
	if p := chars.NewPart("value", "concise, no filler"); p.Pairs.MayContain("token") {
		t.Error("the gate lets everything through")
	}
}

// An index that misses a word which is there would switch a rule off, and one that finds others would only cost time.
func TestTheIndexFindsWhatASearchFinds(t *testing.T) {
	words := strings.Fields("always run the tests : 。 key token naïve пароль -- 42 ## a.b :// секрет 密码 go")
	index, found := chars.NewIndex(words, func(w *string) []string { return []string{"qqzx", *w} }), 0
	for _, cases := range corpus(t) {
		for _, s := range cases {
			p := chars.NewPart("value", s.Text)
			var want, got []string
			for _, w := range words {
				if strings.Contains(p.Lower, w) {
					want = append(want, w)
				}
			}
			for w := range index.FindIn(&p) {
				got = append(got, *w)
			}
			found += len(want)
			if !slices.Equal(got, want) || index.HasWord(&p) != (len(want) > 0) {
				t.Errorf("%q: %q, want %q", s.Text, got, want)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d words found", found)
	}
}

// Rulings work on benches that are used again: nothing of one may show in the
// next, in whatever order they come.
func TestRulingsDoNotShareWhatTheyWorkOn(t *testing.T) {
	many := Candidate{Value: memfile.Str("tabs"), Labels: labels.Labels{Tags: strings.Fields(strings.Repeat("tag ", 20))}, Raw: true}
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
