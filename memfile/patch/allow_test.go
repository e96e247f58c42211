package patch

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

func TestRewriteAddsAllowances(t *testing.T) {
	file := func(t *testing.T, items string) *memfile.File {
		t.Helper()
		f, problems := memfile.Parse("memories.md", []byte("# Notes\n\n```yaml\nsaved_memory:\n  items:"+items+"deletions: []\n```\n"))
		if f == nil {
			t.Fatal(problems)
		}
		return f
	}
	const two = "\n    - key: a.b\n      value: one # why\n      added: 2026-01-01\n    - key: c.d\n      value: two\n      # below\n"
	const byHand = "      source: edited by hand\n      confidence: medium\n      by: relayed\n"
	below := func(s string) string { return strings.Replace(s, "      # below\n", byHand+"      # below\n", 1) }
	allow := func(it *memfile.Item, rule string, v memfile.Value) {
		it.Allow = append(it.Allow, memfile.Allowance{Rule: rule, Digest: memfile.AllowDigest(v), Why: "kept in review 2026-11-21"})
	}
	comment := func(rule, text string) string {
		return "      # memctl:allow " + rule + " " + memfile.AllowDigest(memfile.Str(text)) + " kept in review 2026-11-21\n"
	}
	tests := map[string]struct {
		items  string
		change func(*memfile.Document)
		want   string // of the items
	}{
		"to a new item": {" []\n", func(d *memfile.Document) {
			it := memfile.Item{Key: "a.b", Value: memfile.Str("one"), Added: "2026-01-01"}
			allow(&it, "too-long", it.Value)
			d.Items = append(d.Items, it)
		}, "\n    - key: a.b\n      value: one\n      added: 2026-01-01\n" + comment("too-long", "one")},
		"to an item that stands there": {two, func(d *memfile.Document) { allow(&d.Items[0], "too-long", memfile.Str("one")) },
			strings.Replace(two, "01-01\n", "01-01\n"+comment("too-long", "one"), 1)},
		"below the item's own comments": {two, func(d *memfile.Document) { allow(&d.Items[1], "too-long", memfile.Str("two")) }, below(two) + comment("too-long", "two")},
		"with another value": {two, func(d *memfile.Document) {
			d.Items[1].Value = memfile.Str("three")
			allow(&d.Items[1], "too-long", memfile.Str("three"))
		}, strings.Replace(below(two), "two", "three", 1) + comment("too-long", "three")},
		"two at once": {two, func(d *memfile.Document) {
			allow(&d.Items[1], "too-long", memfile.Str("two"))
			allow(&d.Items[1], "personal-data", memfile.Str("two"))
		}, below(two) + comment("too-long", "two") + comment("personal-data", "two")},
		"not for another value than the item's": {two, func(d *memfile.Document) { allow(&d.Items[1], "too-long", memfile.Str("other")) }, two},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := file(t, tt.items)
			doc := f.Document()
			tt.change(&doc)
			got, err := Rewrite(f, doc)
			if err != nil {
				t.Fatal(err)
			}
			if want := string(file(t, tt.want).Bytes()); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, _ := memfile.Parse("memories.md", got)
			if same, err := Rewrite(again, again.Document()); err != nil || string(same) != string(got) {
				t.Errorf("not stable: %v\n%s", err, same)
			}
		})
	}
}
