package secret

import (
	"strings"
	"testing"
)

func TestSeedsAmongOtherWords(t *testing.T) {
	const (
		phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
		long   = "scissors invite lock maple supreme raw rapid void congress muscle digital elegant little brisk hair mango congress clump"
		listed = "abandon ability able about above absent absorb abstract absurd abuse access accident"
	)
	for name, tt := range map[string]struct {
		text, want string
	}{
		"alone":                                 {phrase, phrase},
		"after words that are not in the list":  {"the wallets phrase reads plainly thus " + phrase, phrase},
		"before them":                           {phrase + " and keep that somewhere safe", phrase},
		"after words of the list":               {"able about above " + phrase, phrase},
		"before more than a phrase's words":     {phrase + " " + listed + " able", phrase},
		"one of eighteen words":                 {"shown below " + long + " was nothing", long},
		"the list itself":                       {listed, ""},
		"with another word in the middle":       {"legal winner thank year wave sausage ourselves worth useful legal winner thank yellow", ""},
		"twelve ordinary words and eleven more": {"every morning they walked along this quiet river before anyone else woke legal winner thank year wave sausage worth useful legal winner thank", ""},
	} {
		got := ""
		for _, h := range FindSeedPhrases(nil, tt.text) {
			got += tt.text[h.Start:h.End]
		}
		// Words of the list beside a phrase may be taken for a part of it.
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
