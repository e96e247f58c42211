package recovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestDamagedTombstones damages a block's deletions in one place after the other: a character
// more, less or another, a line less, a line moved. Whatever it is, each tombstone of the
// earlier version is there, and none of its lines becomes an item.
func TestDamagedTombstones(t *testing.T) {
	items := "    - key: a.one\n      value: one\n      added: 2026-01-02\n      source: user\n      confidence: high\n"
	tombs := "deletions:\n  - key: k.alpha\n    value: the first value\n    removed: 2026-01-04\n    reason: user asked to forget\n" +
		"  - key: k.beta\n    removed: 2026-01-05\n" +
		"  - value: a text that was forgotten\n    removed: 2026-01-06\n    reason: asked to\n"
	f, _ := memfile.Parse("m", []byte(head+items+tombs+"```\n"))
	base := f.Document()
	tried := 0
	check := func(what, damaged string) {
		src := []byte(head + items + damaged + "```\n")
		if f, _ := memfile.Parse("m", src); f != nil {
			return
		}
		tried++
		res, err := Recover("m", src, Options{Today: "2026-11-21", Base: &base})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range base.Deletions {
			if !slices.ContainsFunc(res.Document.Deletions, func(g memfile.Tombstone) bool { return memfile.TombstoneKey(g) == memfile.TombstoneKey(want) }) {
				t.Errorf("%s: %s is not forgotten\n%s", what, memfile.TombstoneText(want), damaged)
			}
		}
		if got := showAll(res.Document); got != "a.one = one (high)" {
			t.Errorf("%s: items\n%s\nof\n%s", what, got, damaged)
		}
	}
	for i := range tombs {
		for _, c := range []string{"", " ", "  ", "\t", ":", "-", "\"", "'", "`", "x", "\n"} {
			check(fmt.Sprintf("%q put in at %d", c, i), tombs[:i]+c+tombs[i:])
			check(fmt.Sprintf("%q instead at %d", c, i), tombs[:i]+c+tombs[i+1:])
		}
	}
	lines := strings.SplitAfter(tombs, "\n")
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

// TestMisspelledParts recovers a block whose parts have other names with all that it says.
func TestMisspelledParts(t *testing.T) {
	src := strings.NewReplacer("items:", "itmes:", "enabled: true", "enabled: false # for now").Replace(head+tone) +
		"deleted: # by ada\n  - key: c.gone\n    removed: 2026-01-04\n```\n"
	res, err := Recover("m", []byte(src), Options{Today: "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	doc := res.Document
	if len(doc.Items) != 1 || res.Kept != 1 || len(doc.Deletions) != 1 || doc.Settings.Enabled {
		t.Errorf("%d kept of %+v\n%s", res.Kept, doc, res.Bytes)
	}
}
