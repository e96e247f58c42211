package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestPlays plays everything, and compares the verdicts with those that docs/compare.md publishes.
func TestPlays(t *testing.T) {
	if testing.Short() {
		t.Skip("starts memctl several hundred times")
	}
	exceptions, pass := pageExceptions(t)
	results, err := playAll(false)
	if err != nil || len(results) != len(exceptions)+pass {
		t.Fatalf("%d results; docs/compare.md says that %d pass and %d do not: %v", len(results), pass, len(exceptions), err)
	}
	for name, r := range results {
		if want := cmp.Or(exceptions[name], passed); r.verdict != want {
			t.Errorf("%s: %s; docs/compare.md says %s", name, r.text(), want)
		}
	}
	steps, err := playDeletion(false)
	if err != nil || len(steps) != 13 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	for i, s := range steps {
		if s.verdict != passed {
			t.Errorf("step %d: %s", i+1, s.text())
		}
	}
}

// TestSpecifications reads a list that has one that nobody plays.
func TestSpecifications(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".agents", "protocol", "tests.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("tests:\n\n  - id: new.one\n    proves: a: b\n\n  - id: prompt.other_one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	names, err := specifications(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	counts := printSpecifications(&out, names, map[string]result{"prompt.other_one": {"said", failed, "why"}})
	for _, want := range []string{"| `new.one` |  | not played |", "| `prompt.other_one` | said | failed: why |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if counts[notPlayed] != 1 || counts[failed] != 1 {
		t.Errorf("counts %v", counts)
	}
	if _, err := specifications(t.TempDir()); err == nil {
		t.Error("a folder without specifications is taken")
	}
}

// pageExceptions are the verdicts in docs/compare.md of what does not pass, by name, and how many pass.
func pageExceptions(t *testing.T) (verdicts map[string]string, pass int) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	verdicts = map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^- `([a-z]+\\.[a-z_]+)`( fails:)?").FindAllStringSubmatch(string(page), -1) {
		if verdicts[m[1]] = notApplicable; m[2] != "" {
			verdicts[m[1]] = failed
		}
	}
	m := regexp.MustCompile(`, (\d+) pass\.`).FindStringSubmatch(string(page))
	if m == nil {
		t.Fatal("docs/compare.md does not say how many pass")
	}
	if pass, err = strconv.Atoi(m[1]); err != nil {
		t.Fatal(err)
	}
	return verdicts, pass
}
