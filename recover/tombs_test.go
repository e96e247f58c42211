package recovery

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestDamagedTombstones damages a block's deletions in one place after the
// other: a character more, less or another, a line less, a line joined to the
// next. Whatever it is, the key stays forgotten, unless the key itself was hit.
func TestDamagedTombstones(t *testing.T) {
	graves := "deletions:\n  - key: k.alpha\n    value: the first value\n    removed: 2026-01-04\n    reason: user asked to forget\n" +
		"  - key: k.beta\n    removed: 2026-01-05\n" +
		"  - value: a text that was forgotten\n    removed: 2026-01-06\n    reason: asked to\n"
	texts := []string{"k.alpha", "k.beta", "a text that was forgotten"}
	tried := 0
	check := func(what, damaged string) {
		src := []byte(head + "    - key: a.one\n      value: one\n      added: 2026-01-02\n      source: user\n      confidence: high\n" + damaged + "```\n")
		if f, _ := memfile.Parse("m", src); f != nil {
			return
		}
		tried++
		res, err := Recover("m", src, Options{Today: "2026-11-21"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range texts {
			hit := !regexp.MustCompile("(^|[^a-z])" + want + "($|[^a-z:])").MatchString(damaged) // itself
			if hit || want == texts[2] && (strings.Contains(what, "\\n") || strings.Contains(what, "x")) {
				continue // a text is not told from others where its field's name is cut in two
			}
			if !slices.ContainsFunc(res.Document.Deletions, func(g memfile.Tombstone) bool {
				return g.Removed != "" && (g.Key == want || g.Value != nil && g.Value.Plain() == want)
			}) {
				block, _, _ := strings.Cut(string(res.Bytes), "## Non-auth")
				t.Errorf("%s: %s is not forgotten\n%s%s", what, want, damaged, block)
			}
		}
	}
	for i := range graves {
		for _, c := range []string{"", " ", "  ", "\t", ":", "-", "\"", "'", "`", "x", "\n"} {
			check(fmt.Sprintf("%q put in at %d", c, i), graves[:i]+c+graves[i:])
			check(fmt.Sprintf("%q instead at %d", c, i), graves[:i]+c+graves[i+1:])
		}
	}
	lines := strings.SplitAfter(graves, "\n")
	for i := range lines {
		check(fmt.Sprintf("line %d gone", i), strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""))
		for n := range 5 {
			moved := slices.Clone(lines)
			moved[i] = strings.Repeat(" ", n) + strings.TrimLeft(moved[i], " ")
			check(fmt.Sprintf("line %d at column %d", i, n), strings.Join(moved, ""))
		}
	}
	if tried < 500 {
		t.Errorf("only %d files were damaged", tried)
	}
}
