package spelling

import (
	"os"
	"strings"
	"testing"
)

// pair is a line of a test set.
type pair struct {
	line string
	same bool
	part []string
}

func pairs(t *testing.T, name string, parts int) []pair {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var list []pair
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(strings.TrimSpace(line), " | ")
		if len(part) != parts+1 || part[0] != "same" && part[0] != "different" {
			t.Fatalf("%s: %q is no pair", name, line)
		}
		list = append(list, pair{strings.TrimSpace(line), part[0] == "same", part[1:]})
	}
	if len(list) < 30 {
		t.Fatalf("%s: only %d pairs", name, len(list))
	}
	return list
}

// testSet is a test set, and how many of its pairs that are the same are found at least. No pair
// of different ones may be taken for the same.
type testSet struct {
	name  string
	found int
}

func (s testSet) check(t *testing.T, parts int, is func(part []string) bool) {
	t.Helper()
	list := pairs(t, s.name, parts)
	same, found, different := 0, 0, 0
	for _, p := range list {
		got := is(p.part)
		switch {
		case p.same && got:
			found++
		case p.same:
			t.Logf("%s: missed: %s", s.name, p.line)
		case got:
			t.Errorf("%s: taken for the same: %s", s.name, p.line)
		}
		if p.same {
			same++
		} else {
			different++
		}
	}
	t.Logf("%s: %d of %d repeats found, among %d different pairs", s.name, found, same, different)
	if found < s.found {
		t.Errorf("%s: %d repeats found, want at least %d", s.name, found, s.found)
	}
}

func TestKeysFindsAMisspelling(t *testing.T) {
	for _, s := range []testSet{{"keys.txt", 14}, {"keys_heldout.txt", 10}} {
		s.check(t, 2, func(p []string) bool {
			if IsMisspelled(p[0], p[1]) != IsMisspelled(p[1], p[0]) {
				t.Errorf("not the same in both directions: %q", p)
			}
			return IsMisspelled(p[0], p[1])
		})
	}
}

func TestSame(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want bool
	}{
		"another value":                   {"tabs", "spaces", false},
		"the opposite":                    {"push to main", "never push to main", false},
		"a flag in another case":          {"pass -v", "pass -V", false},
		"another name of code":            {"camelCase", "CamelCase", false},
		"another word of code":            {"never use `any`", "never use `all`", false},
		"a number in words":               {"two approvals", "2 approvals", false},
		"another number":                  {"two approvals", "3 approvals", false},
		"words that say nothing":          {"always use it", "must be run", false},
		"denied before, denied after":     {"never commit before the tests", "never commit after the tests", false},
		"a detail more":                   {"run the tests", "run the tests with the race detector", false},
		"a language without English form": {"nie Leerzeichen", "Leerzeichen", false},
		"other filler words":              {"Run make test before each commit", "Please always run `make test` before each commit.", true},
		"marks of Markdown":               {"**never** push to main", "never push to _main_", true},
		"two ports changed places":        {"api on 8080, web on 3000", "api on 3000, web on 8080", false},
		"two branches changed places":     {"merge develop to main", "merge main to develop", false},
		"two layers changed places":       {"handlers call services", "services call handlers", false},
		"two days changed places":         {"do not deploy on Friday, deploy on Monday", "do not deploy on Monday, deploy on Friday", false},
		"two levels changed places":       {"log at debug, never log at info", "log at info, never log at debug", false},
		"limits changed places":           {"80% for core, 60% for cli", "60% for core, 80% for cli", false},
		"all and any":                     {"all checks must pass", "any check must pass", false},
		"and and or":                      {"ask the lead and the owner", "ask the lead or the owner", false},
		"both and either":                 {"validate both ends", "validate either end", false},
		"write and run":                   {"write tests before fixing", "run tests before fixing", false},
		"a star more":                     {"ignore *.log", "ignore .log", false},
		"underlines":                      {"use __init__", "use init", false},
		"whose dollars":                   {"US dollars", "dollars", false},
	} {
		if got, back := SameText(c.a, c.b), SameText(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%s: %q and %q: %v", name, c.a, c.b, got)
		}
	}
}

// BenchmarkSame compares one text with 500.
func BenchmarkSame(b *testing.B) {
	t := NewText("run make test before each commit")
	for b.Loop() {
		for range 500 {
			t.Same("wrap errors with fmt.Errorf and %w, so that callers can ask for the cause; never log and return")
		}
	}
}
