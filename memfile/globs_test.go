package memfile

import "testing"

func TestPathsMatchTheSessionsFolder(t *testing.T) {
	for name, tt := range map[string]struct {
		glob   string
		folder string
		want   bool
	}{
		"the folder itself":                 {"web", "web", true},
		"a folder below":                    {"web", "web/src/app", true},
		"another folder":                    {"web", "api", false},
		"a name that only begins alike":     {"web", "website", false},
		"the root is no folder below":       {"web", ".", false},
		"a slash at either end":             {"/web/", "web", true},
		"a star is one folder":              {"cmd/*", "cmd/x", true},
		"a star is not none":                {"cmd/*", "cmd", false},
		"two stars are none":                {"web/**", "web", true},
		"two stars are many":                {"**/testdata", "a/b/testdata/c", true},
		"two stars everywhere":              {"**", ".", true},
		"files right in the folder":         {"web/*.ts", "web", true},
		"files at the root":                 {"*.go", ".", true},
		"files at the root, further down":   {"*.go", "cmd", false},
		"files anywhere below":              {"src/**/*.go", "src/a/b", true},
		"files anywhere":                    {"**/*.go", "src", true},
		"files of another folder":           {"web/*.ts", "api", false},
		"out of the project goes nowhere":   {"../other", "x", false},
		"a broken glob matches nothing":     {"web/[", "web/x", false},
		"more stars than a glob may have":   {"**/a/**/b/**/c/**/d/**", "a/b/c/d", false},
		"any of several is enough, not all": {"none", "web", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := MatchesFolder([]string{tt.glob}, tt.folder); got != tt.want {
				t.Errorf("%q in %q: %t", tt.glob, tt.folder, got)
			}
		})
	}
	if !MatchesFolder([]string{"none", "web"}, "web") {
		t.Error("any of several globs is enough")
	}
}
