package rules

import (
	"slices"
	"testing"
)

func TestRequests(t *testing.T) {
	for text, want := range map[string][]string{
		"Fix the bug and write the commit message in Spanish.": {"commit messag spanish writ"},
		"commit message in Spanish please":                     {"commit messag spanish"},
		"Please run make lint before committing, and push":     {"commit lint run"},
		"escribe el mensaje del commit en español":             {"commit escrib español mensaj"},
		"can you update the changelog?":                        {"changelog updat"},
		"Fix the failing tests":                                nil, // another task each time
		"make the button blue":                                 nil, // the product
		"how do we run the tests?":                             nil,
		"I tried to run the tests but it failed":               nil,
		"create a helper class for it":                         nil,
		"commit":                                               nil,
		"continue":                                             nil,
	} {
		var got []string
		for _, r := range Requests(text) {
			got = append(got, r.Words)
			if r.From < 0 || r.To > len(text) || r.From >= r.To || r.Key == "" {
				t.Errorf("%q: %+v", text, r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
