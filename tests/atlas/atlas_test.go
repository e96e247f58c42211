package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlays plays everything, and compares the verdicts with those that docs/compare.md publishes.
func TestPlays(t *testing.T) {
	if testing.Short() {
		t.Skip("starts memctl several hundred times")
	}
	published := pageRows(t)
	results, err := playAll(false)
	if err != nil || len(results) != len(published) {
		t.Fatalf("%d results, %d published: %v", len(results), len(published), err)
	}
	for name, r := range results {
		if r.verdict != published[name] {
			t.Errorf("%s: %s; docs/compare.md says %s", name, r.text(), published[name])
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

// pageRows are the verdicts in docs/compare.md, by name.
func pageRows(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`([a-z]+\\.[a-z_]+)`").FindAllStringSubmatch(cells[2], -1) {
			rows[name[1]] = strings.TrimSpace(cells[1])
		}
	}
	return rows
}
