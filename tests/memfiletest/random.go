// Package memfiletest makes random memory files and edits for the tests of memfile and
// the packages below it.
package memfiletest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// Random makes random documents, layouts and edits.
type Random struct{ *rand.Rand }

// New makes the same ones for the same seed.
func New(seed uint64) Random { return Random{rand.New(rand.NewPCG(seed, 7))} }

// Pick is one of the list.
func Pick[T any](g Random, list ...T) T { return list[g.IntN(len(list))] }

func (g Random) key() string {
	return Pick(g, "writing", "tooling", "lessons", "a", "user") + "." + Pick(g, "tone", "go-test", "x1", "b_c", "build.cache")
}

func (g Random) text() string {
	return Pick(g, "concise, no filler", "yes", "1.10", "0123", "~", "a: b", "x #y", "#", "- dash", "`tick`", "tab\there",
		"two\nlines", "", " lead", "trail ", "\"q\" 'r'", "é ☃ 𝄞", "1:30", "0x1F", "2026-01-02", "<<", "=", "a\u2028b", "\u200bz",
		"back\\slash", "{a}", "[b]", "c,d", "e:", "null", "Off", "nul\x00", "*star", "&amp", "%TAG", "@at", "|", ">", "!x", "?", "? q", "---", "...", "```", "word")
}

// Value is a random value; depth counts the lists and maps around it.
func (g Random) Value(depth int) memfile.Value {
	switch n := g.IntN(10); {
	case n < 5:
		return memfile.Str(g.text())
	case n == 5:
		return memfile.Value{Kind: memfile.Number, Text: Pick(g, "1", "1.10", "0123", "0x1F", "-.5e3", ".inf")}
	case n == 6:
		return memfile.Value{Kind: memfile.Bool, Text: Pick(g, "true", "False")}
	case n == 7:
		return memfile.Value{Kind: memfile.Null, Text: Pick(g, "~", "null", "NULL")}
	case depth > 2:
		return memfile.Str("deep")
	case n == 8:
		v := memfile.Value{Kind: memfile.List}
		for range g.IntN(4) {
			v.List = append(v.List, g.Value(depth+1))
		}
		return v
	}
	return memfile.Value{Kind: memfile.Map, Map: g.fields(depth+1, "issue", "outcome", "yes", "a b", "c: d", "1", "")}
}

func (g Random) fields(depth int, names ...string) []memfile.Field {
	var list []memfile.Field
	for _, n := range names {
		if g.IntN(3) == 0 {
			list = append(list, memfile.Field{Name: n, Value: g.Value(depth)})
		}
	}
	return list
}

func (g Random) day() string { return fmt.Sprintf("2026-%02d-%02d", 1+g.IntN(12), 1+g.IntN(28)) }

// Item is a random item.
func (g Random) Item() memfile.Item {
	it := memfile.Item{Key: g.key(), Value: g.Value(0), Added: g.day(), Labels: labels.Labels{Source: Pick(g, "explicit user preference", "a: b", ""), Confidence: Pick(g, memfile.Low, memfile.Medium, memfile.High)}}
	if g.IntN(2) == 0 {
		it.Tags = Pick(g, []string{"style"}, []string{"a", "b, c"}, []string{"needs-confirmation"})
	}
	if g.IntN(3) == 0 {
		it.Updated, it.Seen, it.Signals = g.day(), g.day(), 1+g.IntN(3)
	}
	if g.IntN(4) == 0 {
		it.Expires, it.Pinned, it.Locked, it.By = g.day(), true, true, Pick(g, memfile.ByRelayed, memfile.ByAutomatic)
		it.Paths = []string{"src/**", "*.go"}
		it.Commands, it.When, it.Ask = []string{"git push*", "make  release"}, []string{"deploy key", "403"}, true
	}
	if g.IntN(4) == 0 {
		it.Conflict = []memfile.Rival{{Value: g.Value(1), Added: g.day(), Labels: labels.Labels{Confidence: memfile.Low, Signals: g.IntN(2)}}}
	}
	if g.IntN(4) == 0 {
		it.Extra = g.fields(1, "mood", "x y", "z")
	}
	return it
}

func (g Random) tombstone() memfile.Tombstone {
	t := memfile.Tombstone{Key: g.key(), Removed: g.day(), Reason: g.text()}
	if g.IntN(3) == 0 {
		v := g.Value(1)
		t.Value = &v
	}
	if g.IntN(3) == 0 {
		t.Hashes = memfile.TextHashes("a1b2c3", g.text())
	}
	return t
}

// Document is a random document, in which a key may stand twice.
func (g Random) Document() memfile.Document {
	d := memfile.Document{Version: 1, Updated: g.day(), Settings: memfile.Settings{Enabled: g.IntN(3) > 0, AnnounceWrites: g.IntN(3) > 0}}
	for range g.IntN(6) {
		d.Items = append(d.Items, g.Item())
	}
	for range g.IntN(4) {
		d.Deletions = append(d.Deletions, g.tombstone())
	}
	return d
}

// Layout prints a document in one of many layouts a person might use.
func (g Random) Layout(d memfile.Document) string {
	eol := Pick(g, "\n", "\n", "\r\n")
	var b strings.Builder
	if g.IntN(5) == 0 {
		b.WriteString("\ufeff")
	}
	b.WriteString(Pick(g, "", "# Memory\n\nSome prose with a list:\n\n- a: b\n  - key: c\n\n"))
	fence := Pick(g, "```", "````", "~~~")
	b.WriteString(fence + Pick(g, "yaml", "YML", "yaml title=x") + "\n")
	step := 1 + g.IntN(4)
	in := func(n int) string { return strings.Repeat(" ", n*step) }
	if g.IntN(4) == 0 {
		b.WriteString("# a comment\n\n")
	}
	tombs := func() {
		b.WriteString("deletions:")
		g.list(&b, Pick(g, "", in(1)), len(d.Deletions), func(i int) []memfile.Field { return memfile.TombstoneFields(d.Deletions[i]) })
	}
	first := g.IntN(3) == 0
	if first {
		tombs()
	}
	b.WriteString("saved_memory:\n" + in(1) + "version: 1\n")
	fmt.Fprintf(&b, "%supdated: %s\n", in(1), d.Updated)
	if on := d.Settings; g.IntN(2) == 0 {
		fmt.Fprintf(&b, "%ssettings: {enabled: %v, announce_writes: %v} # why\n", in(1), on.Enabled, on.AnnounceWrites)
	} else {
		fmt.Fprintf(&b, "%ssettings:\n%senabled: %v\n%sannounce_writes: %v # why\n", in(1), in(2), on.Enabled, in(2), on.AnnounceWrites)
	}
	b.WriteString(in(1) + "items:")
	g.list(&b, Pick(g, in(1), in(2)), len(d.Items), func(i int) []memfile.Field { return memfile.ItemFields(d.Items[i]) })
	if !first && (len(d.Deletions) > 0 || g.IntN(2) == 0) {
		tombs()
	}
	b.WriteString(fence + Pick(g, "\n", "", "\n\nMore prose.\n"))
	return strings.ReplaceAll(b.String(), "\n", eol)
}

// list prints a list of maps: on one line, or as lines in several styles.
func (g Random) list(b *strings.Builder, indent string, n int, fields func(i int) []memfile.Field) {
	if n == 0 {
		b.WriteString(Pick(g, " []\n", "\n", " # none\n", " [ ]\n"))
		return
	}
	if g.IntN(6) == 0 {
		parts := make([]string, n)
		for i := range n {
			parts[i] = memfile.Value{Kind: memfile.Map, Map: fields(i)}.YAML()
		}
		b.WriteString(" [" + strings.Join(parts, Pick(g, ", ", ",\n"+indent+"   ")) + Pick(g, "", ",", " ") + "]\n")
		return
	}
	b.WriteString(Pick(g, "\n", " # all\n"))
	offset, blank := 2+g.IntN(2), g.IntN(4) == 0
	for i := range n {
		if blank && i > 0 {
			b.WriteString("\n")
		}
		if g.IntN(4) == 0 {
			b.WriteString(indent + "# about what follows\n")
		}
		l := memfile.BlockWriter{EOL: "\n"}
		switch g.IntN(5) {
		case 0:
			b.WriteString(indent + "- " + memfile.Value{Kind: memfile.Map, Map: fields(i)}.YAML() + "\n")
		case 1:
			b.WriteString(indent + "-\n")
			l.Nested(len(indent)+offset, memfile.Value{Kind: memfile.Map, Map: fields(i)})
		default:
			l.Entry(len(indent), offset, memfile.Value{Kind: memfile.Map, Map: fields(i)})
		}
		b.WriteString(l.String())
		if g.IntN(5) == 0 {
			b.WriteString(indent + "  # inside\n")
		}
	}
}

// Edit changes a document at random, and says which entries it touched.
func (g Random) Edit(d memfile.Document) memfile.Document {
	d = d.Clone()
	for range 1 + g.IntN(3) {
		switch g.IntN(8) {
		case 0:
			d.Updated = g.day()
		case 1:
			on := d.Settings.Switches()[g.IntN(2)].At
			*on = !*on
		case 2:
			d.Items = append(d.Items, g.Item())
		case 3:
			if len(d.Items) > 0 {
				i := g.IntN(len(d.Items))
				d.Items = slices.Delete(d.Items, i, i+1)
			}
		case 4, 5:
			if len(d.Items) > 0 {
				it := &d.Items[g.IntN(len(d.Items))]
				now := g.Item()
				now.Key, now.Line, now.Column = it.Key, it.Line, it.Column
				*it = now
			}
		case 6:
			if len(d.Items) > 0 {
				it := &d.Items[g.IntN(len(d.Items))]
				it.Value, it.Confidence, it.Tags = g.Value(0), memfile.High, nil
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
