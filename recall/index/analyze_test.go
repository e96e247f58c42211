package index

import (
	"strings"
	"testing"
)

func TestTermsOfIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"parseHTTPHeader":    "parsehttphead pars http header",
		"snake_case_name":    "snakecasenam snake case name",
		"cmd/recall.go":      "cmdrecallgo cmd recal go",
		"v1.26.8":            "=1.26.8 v1 26 8",
		"don't in-person":    "person",
		"The APIs of José’s": "api jose",
	} {
		if got := strings.Join(Terms(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader net/http v1.2.3", "東京タワーへ行く", "don't José’s café", "_", "a/b\xff.c", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range Terms(text) {
			if term == "" || len(term) > maxTerm+1 {
				t.Errorf("%q gives the term %q", text, term)
			}
		}
	})
}

func FuzzThesaurus(f *testing.F) {
	data, err := BuildThesaurus(map[string][]Weighted{"car": {{"auto", 0.9}, {"motor", 0.2}}, "auto": {{"car", 0.9}}}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "car")
	f.Fuzz(func(_ *testing.T, data []byte, word string) { thesaurus(data).related(word) })
}
