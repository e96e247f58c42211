package patch

import (
	"errors"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/memfiletest"
)

// TestRewrite shows the file before and after an edit.
func TestRewrite(t *testing.T) {
	one := memfile.Item{Key: "m.n", Value: memfile.Str("words"), Added: "2026-02-03", Labels: labels.Labels{Confidence: memfile.High}}
	tomb := memfile.Tombstone{Key: "a.b", Removed: "2026-02-03", Reason: "asked"}
	for name, c := range map[string]struct {
		src, want string
		edit      func(d *memfile.Document)
	}{
		"the first item": {
			"saved_memory:\n  items: []\ndeletions: []\n",
			"saved_memory:\n  items:\n    - key: m.n\n      value: words\n      added: 2026-02-03\n      confidence: high\ndeletions: []\n",
			func(d *memfile.Document) { d.Items = append(d.Items, one) },
		},
		"the last item": {
			"saved_memory:\n  items: # mine\n    # about it\n    - key: a.b\n      value: x\ndeletions: []\n",
			"saved_memory:\n  items: [] # mine\ndeletions: []\n",
			func(d *memfile.Document) { d.Items = nil },
		},
		"an item between two in order, with their layout": {
			"saved_memory:\n  items:\n  -   key: a.b\n\n  # about c\n  -   key: z.z\n  # the end\n",
			"saved_memory:\n  items:\n  -   key: a.b\n\n  -   key: m.n\n      value: words\n      added: 2026-02-03\n      confidence: high\n\n  # about c\n  -   key: z.z\n  # the end\n",
			func(d *memfile.Document) { d.Items = append(d.Items, one) },
		},
		"an item before the first": {
			"saved_memory:\n  items:\n    # about z\n    - key: z.z\n",
			"saved_memory:\n  items:\n    - key: m.n\n      value: words\n      added: 2026-02-03\n      confidence: high\n    # about z\n    - key: z.z\n",
			func(d *memfile.Document) { d.Items = append(d.Items, one) },
		},
		"an item is removed with its own comments": {
			"saved_memory:\n  items:\n    - key: a.b\n      # in a\n    # about b\n    -\n      key: b.c # x\n      value: |\n        text\n      # in b\n    # about c\n    - key: c.d\n",
			"saved_memory:\n  items:\n    - key: a.b\n      # in a\n    # about c\n    - key: c.d\n",
			func(d *memfile.Document) { d.Items = append(d.Items[:1:1], d.Items[2]) },
		},
		"a value and nothing else": {
			"saved_memory:\n  items:\n    - {key: a.b, value:   'x', mood: 01 } # why\n    - key:   \"c.d\"\n      value: |\n        two\n        lines\n      tags: [ a,b ]  # tags\n",
			"saved_memory:\n  items:\n    - key: a.b\n      value: 1.10\n      source: edited by hand\n      confidence: medium\n      by: relayed\n      mood: \"01\"\n      # why\n    - key:   \"c.d\"\n      value: [p, \"no\"]\n      source: edited by hand\n      confidence: medium\n      tags: [ a,b ]  # tags\n      by: relayed\n",
			func(d *memfile.Document) {
				d.Items[0].Value = memfile.Value{Kind: memfile.Number, Text: "1.10"}
				d.Items[1].Value = memfile.Value{Kind: memfile.List, List: []memfile.Value{memfile.Str("p"), memfile.Str("no")}}
			},
		},
		"a lesson in place of a text, and back": {
			"saved_memory:\n  items:\n    - key: a.b\n      value: x # why\n      added: 2026-01-01\n    - key: c.d\n      value: # because\n        issue: i\n        fix: f\n      added: 2026-01-01\n",
			"saved_memory:\n  items:\n    - key: a.b\n      value: # why\n        issue: i\n        fix: \"f: g\"\n      added: 2026-01-01\n    - key: c.d\n      value: x # because\n      added: 2026-01-01\n",
			func(d *memfile.Document) {
				d.Items[0].Value = memfile.Value{Kind: memfile.Map, Map: []memfile.Field{{Name: "issue", Value: memfile.Str("i")}, {Name: "fix", Value: memfile.Str("f: g")}}}
				d.Items[1].Value = memfile.Str("x")
			},
		},
		"fields that come and go": {
			"saved_memory:\n  items:\n    - tags: [a]\n      key: a.b\n      value: x\n      confidence: high\n      pinned: true\n      # mine\n      mood: good\n",
			"saved_memory:\n  items:\n    - key: a.b\n      value: x\n      added: 2026-01-01\n      confidence: high\n      signals: 2\n      # mine\n      mood: good\n",
			func(d *memfile.Document) {
				it := &d.Items[0]
				it.Tags, it.Pinned, it.Added, it.Signals = nil, false, "2026-01-01", 2
			},
		},
		"a value that changes loses its allowances": {
			"saved_memory:\n  items:\n    - key: a.b\n      value: x # memctl:allow too-long 00000000 why\n      # memctl:allow not-specific 00000000 why\n      # mine\n",
			"saved_memory:\n  items:\n    - key: a.b\n      value: new\n      source: edited by hand\n      confidence: medium\n      by: relayed\n      # mine\n",
			func(d *memfile.Document) { d.Items[0].Value = memfile.Str("new") },
		},
		"a tag that changes keeps the allowances": {
			"saved_memory:\n  items:\n    - key: a.b\n      value: x # memctl:allow too-long 00000000 why\n      confidence: high\n",
			"saved_memory:\n  items:\n    - key: a.b\n      value: x # memctl:allow too-long 00000000 why\n      confidence: high\n      tags: [t]\n",
			func(d *memfile.Document) { d.Items[0].Tags = []string{"t"} },
		},
		"a first deletion where there is no list": {
			"saved_memory:\n  version: 1\n  items:\n    - key: c.d\n      # in c\n# the end\n",
			"saved_memory:\n  version: 1\n  items:\n    - key: c.d\n      # in c\ndeletions:\n  - key: a.b\n    removed: 2026-02-03\n    reason: asked\n# the end\n",
			func(d *memfile.Document) { d.Deletions = append(d.Deletions, tomb) },
		},
		"a deletion beside one that stands inside saved_memory": {
			"saved_memory:\n  deletions:\n  - key: x.y\n    removed: 2026-01-01\ndeletions: ~\n",
			"saved_memory:\n  deletions:\n  - key: x.y\n    removed: 2026-01-02\ndeletions:\n  - key: a.b\n    removed: 2026-02-03\n    reason: asked\n",
			func(d *memfile.Document) {
				d.Deletions[0].Removed = "2026-01-02"
				d.Deletions = append(d.Deletions, tomb)
			},
		},
		"a deletion inside saved_memory goes": {
			"saved_memory:\n  deletions:\n    - key: x.y\n      removed: 2026-01-01\ndeletions:\n- key: a.b\n  removed: 2026-01-01\n",
			"saved_memory:\n  deletions: []\ndeletions:\n- key: a.b\n  removed: 2026-01-01\n",
			func(d *memfile.Document) { d.Deletions = d.Deletions[:1] },
		},
		"settings that are missing": {
			"saved_memory:\n  version: 1\n  items: []\n",
			"saved_memory:\n  version: 1\n  updated: 2026-02-03\n  settings:\n    enabled: false\n    announce_writes: true\n  items: []\n",
			func(d *memfile.Document) { d.Settings.Enabled, d.Updated = false, "2026-02-03" },
		},
		"one setting that is missing": {
			"saved_memory:\n  settings:\n      enabled: true # on\n",
			"saved_memory:\n  settings:\n      enabled: true # on\n      announce_writes: false\n",
			func(d *memfile.Document) { d.Settings.AnnounceWrites = false },
		},
		"items out of brackets": {
			"saved_memory:\n  items: [{key: a.b}, {key: b.c, value: x}, {key: c.d}]\n",
			"saved_memory:\n  items:\n    - key: b.c\n      value: x\n      source: edited by hand\n      confidence: medium\n      by: relayed\n",
			func(d *memfile.Document) { d.Items = d.Items[1:2] },
		},
		"an order that is not kept": {
			"saved_memory:\n  items:\n    - key: z.z\n      confidence: low\n    - key: a.b\n",
			"saved_memory:\n  items:\n    - key: z.z\n      value:\n      source: s\n      confidence: low\n    - key: a.b\n",
			func(d *memfile.Document) { d.Items[0].Source = "s"; d.Items[0], d.Items[1] = d.Items[1], d.Items[0] },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for layout, of := range map[string]func(s string) string{
				"plain": func(s string) string { return "```yaml\n" + s + "```\n" },
				"CR LF": func(s string) string { return strings.ReplaceAll("# x\n\n~~~yml\n"+s+"~~~\nend", "\n", "\r\n") },
				"BOM":   func(s string) string { return "\ufeff```YAML\n" + s + "```" },
				"set in": func(s string) string {
					return strings.ReplaceAll("  ```yaml\n  "+strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ")+"\n  ```\n", "\n  \n", "\n\n")
				},
			} {
				f, problems := memfile.Parse("m", []byte(of(c.src)))
				if f == nil {
					t.Fatal(layout, problems)
				}
				want := f.Document()
				c.edit(&want)
				got, err := Rewrite(f, want)
				if err != nil || string(got) != of(c.want) {
					t.Errorf("%s: %v\ngot\n%s\nwant\n%s", layout, err, got, of(c.want))
				}
			}
		})
	}
}

func TestRewriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		edit func(d *memfile.Document)
		want error
	}{
		"a file of a newer version": {"saved_memory: {version: 2}\n", func(d *memfile.Document) { d.Updated = "2026-01-01" }, ErrNewer},
		"a block in braces":         {"{saved_memory: {items: [{key: a.b}]}}\n", func(d *memfile.Document) { d.Items = nil }, memfile.ErrUnwritable},
		"a line without an item":    {"saved_memory:\n  items: []\n", func(d *memfile.Document) { d.Items = []memfile.Item{{Key: "a.b", Line: 7}} }, memfile.ErrUnwritable},
		"one item twice": {"saved_memory:\n  items: [{key: a.b}]\n", func(d *memfile.Document) { d.Items = append(d.Items, d.Items[0]) },
			memfile.ErrUnwritable},
		"text that is not UTF-8": {"saved_memory:\n  items: []\n", func(d *memfile.Document) { d.Items = []memfile.Item{{Key: "a.b", Value: memfile.Str("\xff")}} }, memfile.ErrUnwritable},
		"an item without a key":  {"saved_memory:\n  items: []\n", func(d *memfile.Document) { d.Items = []memfile.Item{{Value: memfile.Str("x")}} }, memfile.ErrUnwritable},
		"more than a block holds": {"saved_memory:\n  items: []\n", func(d *memfile.Document) {
			d.Items = []memfile.Item{{Key: "a.b", Value: memfile.Str(strings.Repeat("x", memfile.MaxBlockBytes))}}
		}, memfile.ErrUnwritable},
	} {
		t.Run(name, func(t *testing.T) {
			f, problems := memfile.Parse("m", []byte("```yaml\n"+c.src+"```\n"))
			if f == nil {
				t.Fatal(problems)
			}
			want := f.Document()
			c.edit(&want)
			if got, err := Rewrite(f, want); !errors.Is(err, c.want) || got != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestAddingAndForgettingGivesTheBytesBack(t *testing.T) {
	for seed := range uint64(500) {
		g := memfiletest.New(seed)
		src := g.Layout(g.Document())
		f, _ := memfile.Parse("m", []byte(src))
		want := f.Document()
		want.Items = append(want.Items, memfile.Item{Key: "k.k", Value: g.Value(0), Added: "2026-01-01"})
		out, err := Rewrite(f, want)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := memfile.Parse("m", out)
		back := again.Document()
		for i, it := range back.Items {
			if it.Key == "k.k" {
				back.Items = append(back.Items[:i:i], back.Items[i+1:]...)
				break
			}
		}
		got, err := Rewrite(again, back)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Document().Items) > 0 && f.Root().Field("saved_memory").Field("items").Style == yamltext.Block && string(got) != src {
			t.Fatalf("seed %d\n%s\n---\n%s", seed, src, got)
		}
	}
}

func TestANumberByHandStandsWhenAnotherFieldChanges(t *testing.T) {
	src := strings.Replace(memfile.Template, "items: []", "items:\n    - key: a.b\n      value: 0123\n      confidence: high\n    - key: a.c\n      value: 1e3\n      confidence: high", 1)
	f, problems := memfile.Parse("m", []byte(src))
	if f == nil {
		t.Fatal(problems)
	}
	doc := f.Document()
	doc.Items[0].Confidence = memfile.Medium
	doc.Items[1].Value = memfile.Value{Kind: memfile.List, List: []memfile.Value{{Kind: memfile.Number, Text: "1e3"}}}
	out, err := Rewrite(f, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"value: 0123\n", "confidence: medium\n", "value: [\"1e3\"]\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
