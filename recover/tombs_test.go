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

// TestTombstoneForms reads tombstones that editors, agents and other scripts
// wrote in other forms: the key stays forgotten, and the item beside stays.
func TestTombstoneForms(t *testing.T) {
	day := "    removed: 2026-01-04\n"
	for _, form := range []string{
		"deletions:\n  - key: c.go\x07ne\n" + day,
		"deletions:\n  - key: \x00c.gone\n" + day,
		"deletions: [{key: c.gone\n",
		"deletions: [{key: b.gone, removed: 2026-01-04}, {\"key\": \"c.gone\", removed\n",
		"deletions: [\n  {key: b.gone},\n  {key: c.gone, removed: 2026-01-04},\n  {key\n",
		"deletions: [c.gone]\n",
		"deletions: c.gone\n",
		"deletions:\n  - keyc.gone\n" + day,
		"deletions:\n  - id: c.gone\n" + day,
		"deletions:\n  - id: c.gone\n",
		"deletions:\n  - key: [c.gone]\n" + day,
		"deletions:\n  - key: {c.gone: x}\n" + day,
		"deletions:\n  - key：c.gone\n" + day,
		"deletions：\n  - key: c.gone\n" + day,
		"deletions:\n  - Key: c.gone\n" + day,
		"deletions:\n  - KEY: c.gone\n" + day,
		"deletions:\n\t- key: c.gone\n\t  removed: 2026-01-04\n",
		"deletions:\n  - “key”: “c.gone”\n" + day,
		"deletions:\n  - c.gone\n",
		"deletions:\n  - \"c.gone\"\n",
		"deletions:\n  - c.gone:\n      removed: 2026-01-04\n",
		"deletions:\n  c.gone: 2026-01-04\n",
		"deletions:\n  - key = c.gone\n" + day,
		"deletions:\n  * key: c.gone\n" + day,
		"deletions:\n  • key: c.gone\n" + day,
		"deletions:\n  1. key: c.gone\n" + day,
		"deletions:\n    key: c.gone\n" + day,
		"deletions:\n  - \u200bkey: c.gone\n" + day,
		"\u200bdeletions:\n  - key: c.gone\n" + day,
		"deletions:\n\u00a0\u00a0-\u00a0key:\u00a0c.gone\n" + day,
		"deletions:\r  - key: c.gone\r    removed: 2026-01-04\r",
		"deletions: []\ndeletions:\n  - key: c.gone\n" + day,
		"deletions:\n  - &x key: c.gone\n" + day,
		"deletions:\n  - key: !!str c.gone\n" + day,
		"deletions:\n  | c.gone | 2026-01-04 |\n",
		"deletion:\n  - key: c.gone\n" + day,
		"deleted:\n  - key: c.gone\n" + day,
		"deletons:\n  - key: c.gone\n" + day,
		"DELETIONS:\n  - key: c.gone\n" + day,
		" deletions:\n  - key: c.gone\n" + day,
		"    deletions:\n      - key: c.gone\n        removed: 2026-01-04\n",
		"      deletions:\n        - key: c.gone\n          removed: 2026-01-04\n",
		"  deletion:\n    - key: c.gone\n      removed: 2026-01-04\n",
		"settings:\n  deletions:\n    - key: c.gone\n      removed: 2026-01-04\n",
		"    - key: c.gone\n      removed: 2026-01-04\ndeletions: []\n",
	} {
		src := []byte(head + tone + form + "```\n")
		if f, _ := memfile.Parse("m", src); f != nil {
			t.Errorf("%q passes as sound", form)
			continue
		}
		res, err := Recover("m", src, Options{Today: "2026-11-21"})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(res.Document.Deletions, func(g memfile.Tombstone) bool { return g.Key == "c.gone" }) {
			t.Errorf("%q: c.gone is not forgotten: %+v", form, res.Document.Deletions)
		}
		if len(res.Document.Items) != 1 {
			t.Errorf("%q: items %+v", form, res.Document.Items)
		}
	}
}

// TestMisspelledParts recovers a block whose parts stand under other names with
// all that it says, its comments too.
func TestMisspelledParts(t *testing.T) {
	src := strings.NewReplacer("items:", "itmes:", "enabled: true", "enabeld: false # for now").Replace(head+tone) +
		"deleted: # by ada\n  - key: c.gone\n    removed: 2026-01-04\n```\n"
	res, err := Recover("m", []byte(src), Options{Today: "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	doc := res.Document
	if len(doc.Items) != 1 || res.Kept != 1 || len(doc.Deletions) != 1 || doc.Settings.Enabled || !strings.Contains(string(res.Bytes), "deletions: # by ada\n") {
		t.Errorf("%d kept of %+v\n%s", res.Kept, doc, res.Bytes)
	}
}
