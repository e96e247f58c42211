package rules

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write compiled.txt")

// TestCompiled compares compiled.txt with the tables.
func TestCompiled(t *testing.T) {
	lines := map[string]bool{}
	for _, table := range []string{"english", "other", "words", "namespaces"} {
		data, err := os.ReadFile("tables/" + table + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
			if table == "namespaces" {
				name = namespaceOf + name
			}
			for text := range strings.SplitSeq(list, ",") {
				if line := compile(name, strings.TrimSpace(text)); line != "" {
					lines[line] = true
				}
			}
			if table != "namespaces" && classOf(name) < 0 && !slices.Contains([]string{conjunction, introduction, filler, weak, neutral, ""}, name) {
				t.Errorf("tables/%s.txt: %q is no class", table, name)
			}
		}
	}
	var sorted []string
	for line := range lines {
		sorted = append(sorted, line)
	}
	slices.Sort(sorted)
	want := strings.Join(sorted, "")
	if len(sorted) < 1000 {
		t.Fatalf("%d phrases", len(sorted))
	}
	if *update {
		if err := os.WriteFile("compiled.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if compiled != want {
		t.Error("compiled.txt is not what the tables say; go test ./capture/rules -run TestCompiled -update writes it")
	}
}

// compile is the line of a phrase, "" where it has no words.
func compile(name, text string) string {
	text, first := strings.CutPrefix(text, "^")
	if first {
		name = "^" + name
	}
	var words []string
	for _, w := range strings.Fields(text) {
		if w == "*" {
			words = append(words, w)
			continue
		}
		for _, one := range wordsOf(w, 0) {
			words = append(words, one.form)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + "\t" + name + "\n"
}
