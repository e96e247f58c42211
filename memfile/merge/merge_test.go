package merge

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// memory is a file with items, tombstones and settings given as lines.
func memory(items, deletions string) string {
	return "# Notes\n\nOne.\n\nTwo.\n\n" + strings.NewReplacer("1970-01-01", "2026-01-02", "items: []\n", "items:\n"+items,
		"deletions: []\n", "deletions:\n"+deletions).Replace(memfile.Template) + "\nBelow.\n"
}

func itemText(key, value, rest string) string {
	return "    - key: " + key + "\n      value: " + value + "\n      added: 2026-01-01\n      source: s\n" + rest
}

func TestMergeRules(t *testing.T) {
	const high, medium = "      confidence: high\n", "      confidence: medium\n"
	const low = "      confidence: low\n      tags: [needs-confirmation]\n"
	tomb := func(day string) string { return "  - key: a.b\n    removed: " + day + "\n    reason: r\n" }
	why := func(text string) string {
		return strings.Replace(text, "announce_writes: true", "announce_writes: true # why", 1)
	}
	one := func(value, rest string) string { return memory(itemText("a.b", value, rest), "") }
	for name, c := range map[string]struct {
		base, ours, theirs string
		has, lacks         []string
	}{
		"a change on one side, beside text of the other": {one("x", high), one("y", high), strings.Replace(one("x", high), "One.", "1.", 1),
			[]string{"value: y", "1."}, []string{"value: x", "One.", "conflict"}},
		"two values, both high": {one("x", high), one("y", high), one("z", high),
			[]string{"value: y\n", "conflict:", "- value: z"}, []string{"needs-confirmation"}},
		"two values, one medium": {one("x", high), one("y", medium), one("z", high),
			[]string{"      value: z\n", "- value: \"y\"", "needs-confirmation", "      confidence: high"}, nil},
		"forgotten and changed": {one("x", high), memory("", tomb("2026-02-01")), one("z", high+"      updated: 2026-03-01\n"),
			[]string{"removed: 2026-02-01", "conflict:", "value: z"}, []string{"value: x", "      added: 2026-01-01\n      source: s\n      confidence"}},
		"forgotten and changed by an agent itself": {one("x", high), memory("", tomb("2026-02-01")), one("z", high+"      by: automatic\n"),
			[]string{"removed: 2026-02-01"}, []string{"value: z"}},
		"brought back on one side": {memory("", tomb("2026-02-01")), one("y", high), strings.Replace(memory("", tomb("2026-02-01")), "Two.", "2.", 1),
			[]string{"value: y", "2."}, []string{"removed:"}},
		"a tag taken out and one put in": {one("x", high+"      tags: [p, q]\n"), one("x", high+"      tags: [q]\n"), one("x", high+"      tags: [p, q, r]\n"),
			[]string{"q", "r"}, []string{"p,", "[p"}},
		"a command taken out, one put in, and ask": {one("x", high+"      commands: [p, q]\n"), one("x", high+"      commands: [q]\n"), one("x", high+"      commands: [p, q, r]\n      ask: true\n"),
			[]string{"q", "r", "ask: true"}, []string{"p,", "[p"}},
		"ask taken out on one side": {one("x", high+"      ask: true\n"), one("x", high), one("x", high+"      commands: [q]\n      ask: true\n"),
			[]string{"commands: [q]"}, []string{"ask"}},
		"an agent's value with ask beside a person's": {one("x", high+"      by: relayed\n"), one("y", high), one("z", high+"      commands: [q]\n      ask: true\n      by: relayed\n"),
			[]string{"      value: y\n"}, []string{"ask", "commands"}},
		"a person's doubt, and what an agent passed on": {one("x", low+"      by: automatic\n"), one("x", low), one("x", medium+"      by: relayed\n"),
			[]string{"confidence: low", "needs-confirmation"}, []string{"by:", "medium"}},
		"the same line of prose": {one("x", high), strings.Replace(one("x", high), "One.", "Eins.", 1), strings.Replace(one("x", high), "One.", "Un.", 1),
			[]string{"Eins.\nUn.\n"}, []string{"One.", "<<<"}},
		"neighbouring lines of prose": {"p\nq\n" + one("x", high), "P\nq\n" + one("x", high), "p\nQ\n" + one("x", high),
			[]string{"P\nQ\n"}, []string{"p\n", "q\n"}},
		"comments on both sides": {one("x", high), strings.Replace(one("x", high), "    - key: a", "    # ours\n    - key: a", 1), strings.Replace(one("x", high), "    - key: a", "    # theirs\n    - key: a", 1),
			[]string{"# ours", "# theirs"}, nil},
		"fields nobody knows": {one("x", high), strings.Replace(one("x", high), "saved_memory:", "mine: 1\nsaved_memory:", 1), strings.Replace(one("x", high), "deletions:", "yours: 2\ndeletions:", 1),
			[]string{"mine: 1", "yours: 2"}, nil},
		"a new setting before one with a comment, and an item taken out": {why(memory("", tomb("2026-01-05"))), why(one("x", high)),
			strings.NewReplacer("    announce", "    mood: calm\n    # inside\n\n    announce", "items:\n", "items: []\n").Replace(why(memory("", tomb("2026-02-01")))),
			[]string{"mood: calm\n", "# inside\n", "announce_writes: true # why\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Files(memfile.FileName, []byte(c.base), []byte(c.ours), []byte(c.theirs))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.has {
				if !strings.Contains(string(m.Bytes), want) {
					t.Errorf("%q is missing in\n%s", want, m.Bytes)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(string(m.Bytes), not) {
					t.Errorf("%q is in\n%s", not, m.Bytes)
				}
			}
			back, err := Files(memfile.FileName, []byte(c.base), []byte(c.theirs), []byte(c.ours))
			if err != nil || !bytes.Equal(back.Bytes, m.Bytes) {
				t.Errorf("the other way round: %v\n%s", err, back.Bytes)
			}
		})
	}
}

func TestMergeKeepsALineEnding(t *testing.T) {
	base := memory(itemText("a.b", "x", "      confidence: high\n"), "")
	ours := strings.ReplaceAll(strings.Replace(base, "value: x", "value: y", 1), "\n", "\r\n")
	theirs := strings.Replace(base, "Two.", "2.", 1)
	m, err := Files(memfile.FileName, []byte(base), []byte(ours), []byte(theirs))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(ours, "Two.", "2.", 1)
	if string(m.Bytes) != want {
		t.Errorf("got %q", m.Bytes)
	}
}

func TestMergeNamesTheDamagedSide(t *testing.T) {
	good := []byte(memfile.Template)
	bad := []byte("```yaml\nsaved_memory: [\n```\n")
	_, err := Files(memfile.FileName, good, append([]byte("x\n"), good...), bad)
	var damaged *Error
	if !errors.As(err, &damaged) || damaged.Side != "theirs" {
		t.Errorf("err = %v", err)
	}
}

func TestMergeWithoutABaseAgreesWithSettle(t *testing.T) {
	for seed := range uint64(500) {
		g := newGen(seed)
		a, b := g.Item(), g.Item()
		b.Key = a.Key
		d := mergeDocuments(nil, memfile.Document{Items: []memfile.Item{a}}, memfile.Document{Items: []memfile.Item{b}})
		if want := SameKey([]memfile.Item{a, b}); len(d.out.Items) != 1 || !memfile.SameItem(d.out.Items[0], want) {
			t.Fatalf("seed %d: %v, want %v", seed, d.out.Items, want)
		}
	}
}

// TestMergeIsAssociativeInKeys: which keys stand and which are forgotten does
// not depend on the order in which three branches are merged.
func TestMergeIsAssociativeInKeys(t *testing.T) {
	differ := 0
	for seed := range triples() {
		g := newGen(seed)
		base := sideDocument(g.Document())
		a, b, c := g.forgetful(base), g.forgetful(base), g.forgetful(base)
		one := mergeDocuments(&base, mergeDocuments(&base, a, b).out, c).out
		two := mergeDocuments(&base, a, mergeDocuments(&base, b, c).out).out
		if !slices.Equal(keysOf(one), keysOf(two)) {
			t.Fatalf("seed %d: %q and %q", seed, keysOf(one), keysOf(two))
		}
		if len(memfile.Diff(one, two)) > 0 {
			differ++
		}
	}
	t.Logf("of %d triples, %d differ in something else than their keys", triples(), differ)
}

// sideDocument is the document with each key once, and no tombstone where its
// item stands, as memctl writes it.
func sideDocument(doc memfile.Document) memfile.Document {
	doc = mergeDocuments(nil, doc, doc).out
	doc.Deletions = slices.DeleteFunc(doc.Deletions, func(x memfile.Tombstone) bool {
		return slices.ContainsFunc(doc.Items, func(it memfile.Item) bool { return it.Key == x.Key })
	})
	return doc
}

// forgetful edits, and forgets as memctl does.
func (g gen) forgetful(doc memfile.Document) memfile.Document {
	doc = g.Edit(doc)
	if len(doc.Items) > 0 && g.IntN(3) == 0 {
		i := g.IntN(len(doc.Items))
		doc.Deletions = append(doc.Deletions, memfile.Tombstone{Key: doc.Items[i].Key, Removed: "2026-12-30"})
		doc.Items = slices.Delete(doc.Items, i, i+1)
	}
	return sideDocument(doc)
}

func keysOf(doc memfile.Document) []string {
	keys := map[string]bool{}
	for _, it := range doc.Items {
		keys[it.Key] = true
	}
	for _, tomb := range doc.Deletions {
		keys["-"+memfile.TombstoneKey(tomb)] = true
	}
	return slices.Sorted(maps.Keys(keys))
}

func FuzzMerge(f *testing.F) {
	base := memory(itemText("a.b", "x", "      confidence: high\n"), "")
	f.Add(base, strings.Replace(base, "value: x", "value: y", 1), strings.Replace(base, "One.", "1.", 1))
	f.Add("", memfile.Template, base)
	f.Add(memfile.Template, strings.ReplaceAll(base, "\n", "\r\n"), base+"x")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		b := []byte(base)
		if base == "" {
			b = nil
		}
		m, err := Files(memfile.FileName, b, []byte(ours), []byte(theirs))
		n, err2 := Files(memfile.FileName, b, []byte(theirs), []byte(ours))
		if (err == nil) != (err2 == nil) || !bytes.Equal(m.Bytes, n.Bytes) {
			t.Fatalf("not symmetric: %v, %v\n%q\n%q", err, err2, m.Bytes, n.Bytes)
		}
		if err != nil || ours == theirs || base == ours || base == theirs {
			return
		}
		if file, problems := memfile.Parse("m", m.Bytes); file == nil {
			t.Fatalf("not sound: %v\n%q", problems, m.Bytes)
		}
	})
}

// TestMergeKeepsLineEndings: one line that ends otherwise turns no file over, and ends as the others do then.
func TestMergeKeepsLineEndings(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	base := crlf("# Memory\n" + memfile.Template)
	ours := strings.Replace(base, "announce_writes: true", "announce_writes: false", 1)
	theirs := strings.Replace(base, "# Memory\r\n", "# Memory\r\nby a script\n", 1)
	want := strings.Replace(ours, "# Memory\r\n", "# Memory\r\nby a script\r\n", 1)
	m, err := Files(memfile.FileName, []byte(base), []byte(ours), []byte(theirs))
	if err != nil || string(m.Bytes) != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, m.Bytes, want)
	}
}

// TestFilesKeepUnknownFieldsOfTheBlock adds fields that memctl does not know on both sides, beside other changes.
func TestFilesKeepUnknownFieldsOfTheBlock(t *testing.T) {
	file := func(memory, settings, items, root string) []byte {
		return []byte("```yaml\nsaved_memory:\n  version: 1\n" + memory + "  settings:\n    enabled: true\n" + settings + "  items:\n" + items + "deletions: []\n" + root + "```\n")
	}
	item := func(key, value string) string {
		return "    - key: " + key + "\n      value: " + value + "\n      added: 2026-01-01\n"
	}
	base := file("  mood: calm\n", "", item("a.b", "one"), "")
	ours := file("  color: red\n  mood: calm\n", "    sound: low\n", item("a.b", "one")+item("c.d", "ours"), "left: 1\n")
	theirs := file("  mood: good\n", "    light: high\n", item("a.b", "two"), "right:\n  deep: [2]\n")
	got, err := Files("m", base, ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  color: red\n", "  mood: good\n", "    sound: low\n", "    light: high\n", "left: 1\n", "right:\n  deep: [2]\n", "value: two\n", "value: ours\n"} {
		if !strings.Contains(string(got.Bytes), want) {
			t.Errorf("%q is not there:\n%s", want, got.Bytes)
		}
	}
}
