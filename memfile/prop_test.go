package memfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// gen makes random documents, layouts and edits.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 7))} }

func pick[T any](g gen, list ...T) T { return list[g.IntN(len(list))] }

func (g gen) key() string {
	return pick(g, "writing", "tooling", "lessons", "a", "user") + "." + pick(g, "tone", "go-test", "x1", "b_c", "build.cache")
}

func (g gen) text() string {
	return pick(g, "concise, no filler", "yes", "1.10", "0123", "~", "a: b", "x #y", "#", "- dash", "`tick`", "tab\there",
		"two\nlines", "", " lead", "trail ", "\"q\" 'r'", "é ☃ 𝄞", "1:30", "0x1F", "2026-01-02", "<<", "=", "a\u2028b", "\u200bz",
		"back\\slash", "{a}", "[b]", "c,d", "e:", "null", "Off", "nul\x00", "*star", "&amp", "%TAG", "@at", "|", ">", "!x", "?", "? q", "---", "...", "```", "word")
}

func (g gen) value(depth int) Value {
	switch n := g.IntN(10); {
	case n < 5:
		return Str(g.text())
	case n == 5:
		return Value{Kind: Number, Text: pick(g, "1", "1.10", "0123", "0x1F", "-.5e3", ".inf")}
	case n == 6:
		return Value{Kind: Bool, Text: pick(g, "true", "False")}
	case n == 7:
		return Value{Kind: Null, Text: pick(g, "~", "null", "NULL")}
	case depth > 2:
		return Str("deep")
	case n == 8:
		v := Value{Kind: List}
		for range g.IntN(4) {
			v.List = append(v.List, g.value(depth+1))
		}
		return v
	}
	return Value{Kind: Map, Map: g.fields(depth+1, "issue", "outcome", "yes", "a b", "c: d", "1", "")}
}

func (g gen) fields(depth int, names ...string) []Field {
	var list []Field
	for _, n := range names {
		if g.IntN(3) == 0 {
			list = append(list, Field{n, g.value(depth)})
		}
	}
	return list
}

func (g gen) day() string { return fmt.Sprintf("2026-%02d-%02d", 1+g.IntN(12), 1+g.IntN(28)) }

func (g gen) item() Item {
	it := Item{Key: g.key(), Value: g.value(0), Added: g.day(), Source: pick(g, "explicit user preference", "a: b", ""),
		Confidence: pick(g, Low, Medium, High)}
	if g.IntN(2) == 0 {
		it.Tags = pick(g, []string{"style"}, []string{"a", "b, c"}, []string{"needs-confirmation"})
	}
	if g.IntN(3) == 0 {
		it.Updated, it.Seen, it.Signals = g.day(), g.day(), 1+g.IntN(3)
	}
	if g.IntN(4) == 0 {
		it.Expires, it.Pinned, it.Locked, it.By = g.day(), true, true, pick(g, ByRelayed, ByAutomatic)
		it.Paths = []string{"src/**", "*.go"}
		it.Commands, it.Ask = []string{"git push*", "make  release"}, true
	}
	if g.IntN(4) == 0 {
		it.Conflict = []Rival{{Value: g.value(1), Added: g.day(), Confidence: Low, Signals: g.IntN(2)}}
	}
	if g.IntN(4) == 0 {
		it.Extra = g.fields(1, "mood", "x y", "z")
	}
	return it
}

func (g gen) tombstone() Tombstone {
	t := Tombstone{Key: g.key(), Removed: g.day(), Reason: g.text()}
	if g.IntN(3) == 0 {
		v := g.value(1)
		t.Value = &v
	}
	return t
}

func (g gen) document() Document {
	d := Document{Version: 1, Updated: g.day(), Settings: Settings{g.IntN(3) > 0, g.IntN(3) > 0}}
	for range g.IntN(6) {
		d.Items = append(d.Items, g.item())
	}
	for range g.IntN(4) {
		d.Deletions = append(d.Deletions, g.tombstone())
	}
	return d
}

// layout prints a document in one of many layouts a person might use.
func (g gen) layout(d Document) string {
	eol := pick(g, "\n", "\n", "\r\n")
	var b strings.Builder
	if g.IntN(5) == 0 {
		b.WriteString("\ufeff")
	}
	b.WriteString(pick(g, "", "# Memory\n\nSome prose with a list:\n\n- a: b\n  - key: c\n\n"))
	fence := pick(g, "```", "````", "~~~")
	b.WriteString(fence + pick(g, "yaml", "YML", "yaml title=x") + "\n")
	step := 1 + g.IntN(4)
	in := func(n int) string { return strings.Repeat(" ", n*step) }
	if g.IntN(4) == 0 {
		b.WriteString("# a comment\n\n")
	}
	tombs := func() {
		b.WriteString("deletions:")
		g.list(&b, pick(g, "", in(1)), len(d.Deletions), func(i int) []Field { return TombstoneFields(d.Deletions[i]) })
	}
	first := g.IntN(3) == 0
	if first {
		tombs()
	}
	b.WriteString("saved_memory:\n" + in(1) + "version: 1\n")
	fmt.Fprintf(&b, "%supdated: %s\n", in(1), d.Updated)
	if g.IntN(2) == 0 {
		fmt.Fprintf(&b, "%ssettings: {enabled: %v, announce_writes: %v} # why\n", in(1), d.Settings.Enabled, d.Settings.AnnounceWrites)
	} else {
		fmt.Fprintf(&b, "%ssettings:\n%senabled: %v\n%sannounce_writes: %v # why\n", in(1), in(2), d.Settings.Enabled, in(2), d.Settings.AnnounceWrites)
	}
	b.WriteString(in(1) + "items:")
	g.list(&b, pick(g, in(1), in(2)), len(d.Items), func(i int) []Field { return ItemFields(d.Items[i]) })
	if !first && (len(d.Deletions) > 0 || g.IntN(2) == 0) {
		tombs()
	}
	b.WriteString(fence + pick(g, "\n", "", "\n\nMore prose.\n"))
	return strings.ReplaceAll(b.String(), "\n", eol)
}

// list prints a list of maps: on one line, or as lines in several styles.
func (g gen) list(b *strings.Builder, indent string, n int, fields func(i int) []Field) {
	if n == 0 {
		b.WriteString(pick(g, " []\n", "\n", " # none\n", " [ ]\n"))
		return
	}
	if g.IntN(6) == 0 {
		parts := make([]string, n)
		for i := range n {
			parts[i] = flowMap(fields(i))
		}
		b.WriteString(" [" + strings.Join(parts, pick(g, ", ", ",\n"+indent+"   ")) + pick(g, "", ",", " ") + "]\n")
		return
	}
	b.WriteString(pick(g, "\n", " # all\n"))
	offset, blank := 2+g.IntN(2), g.IntN(4) == 0
	for i := range n {
		if blank && i > 0 {
			b.WriteString("\n")
		}
		if g.IntN(4) == 0 {
			b.WriteString(indent + "# about what follows\n")
		}
		l := BlockWriter{EOL: "\n"}
		switch g.IntN(5) {
		case 0:
			l.add(0, indent+"- "+flowMap(fields(i)))
		case 1:
			l.add(0, indent+"-")
			l.Nested(len(indent)+offset, Value{Kind: Map, Map: fields(i)})
		default:
			l.Entry(len(indent), offset, Value{Kind: Map, Map: fields(i)})
		}
		b.WriteString(l.String())
		if g.IntN(5) == 0 {
			b.WriteString(indent + "  # inside\n")
		}
	}
}

// edit changes a document at random, and says which entries it touched.
func (g gen) edit(d Document) Document {
	d = d.Clone()
	for range 1 + g.IntN(3) {
		switch g.IntN(8) {
		case 0:
			d.Updated = g.day()
		case 1:
			d.Settings.Enabled = !d.Settings.Enabled
		case 2:
			d.Items = append(d.Items, g.item())
		case 3:
			if len(d.Items) > 0 {
				i := g.IntN(len(d.Items))
				d.Items = slices.Delete(d.Items, i, i+1)
			}
		case 4, 5:
			if len(d.Items) > 0 {
				it := &d.Items[g.IntN(len(d.Items))]
				now := g.item()
				now.Key, now.Line, now.Column = it.Key, it.Line, it.Column
				*it = now
			}
		case 6:
			if len(d.Items) > 0 {
				it := &d.Items[g.IntN(len(d.Items))]
				it.Value, it.Confidence, it.Tags = g.value(0), High, nil
			}
		case 7:
			d.Deletions = append(d.Deletions, g.tombstone())
			if g.IntN(2) == 0 {
				i := g.IntN(len(d.Deletions))
				d.Deletions = slices.Delete(d.Deletions, i, i+1)
			}
		}
	}
	return d
}

func TestRewriteGivesWhatWasWantedOnRandomFiles(t *testing.T) {
	for seed := range uint64(2000) {
		g := newGen(seed)
		doc := g.document()
		src := g.layout(doc)
		f, problems := Parse("m", []byte(src))
		if f == nil {
			t.Fatalf("seed %d: %+v\n%s", seed, problems, src)
		}
		if where := Difference(f.doc, doc); where != "" {
			t.Fatalf("seed %d: read otherwise: %s\n%s", seed, where, src)
		}
		same, err := Rewrite(f, f.Document())
		if err != nil || string(same) != src {
			t.Fatalf("seed %d: no change changed the bytes: %v", seed, err)
		}
		want := g.edit(f.Document())
		out, err := Rewrite(f, want)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		checkUntouched(t, seed, f, want, src, out)
	}
}

// checkUntouched finds every entry that the edit left alone byte for byte in
// the result, and every comment and line of prose.
func checkUntouched(t *testing.T, seed uint64, f *File, want Document, src string, out []byte) {
	t.Helper()
	for i, it := range f.doc.Items {
		j := slices.IndexFunc(want.Items, func(w Item) bool { return w.Line == it.Line && w.Column == it.Column })
		if j < 0 || !SameItem(want.Items[j], it) {
			continue
		}
		e := f.root.Field("saved_memory").Field("items").Entries[i]
		if !bytes.Contains(out, []byte(src[e.Start:e.Value.End])) {
			t.Fatalf("seed %d: item %d changed its bytes\n%s\n---\n%s", seed, i, src, out)
		}
	}
	start, end := f.Block()
	if !bytes.HasPrefix(out, []byte(src[:start])) || !bytes.HasSuffix(out, []byte(src[end:])) {
		t.Fatalf("seed %d: bytes outside the block changed", seed)
	}
	if strings.Contains(src, "\r\n") && strings.Count(src, "\n") == strings.Count(src, "\r\n") && bytes.Count(out, []byte("\n")) != bytes.Count(out, []byte("\r\n")) {
		t.Fatalf("seed %d: line endings are mixed", seed)
	}
}
