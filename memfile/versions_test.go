package memfile_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/memfiletest"
	"github.com/memctl/memctl/memfile/patch"
)

// gen makes random versions of files.
type gen struct{ memfiletest.Random }

func newGen(seed uint64) gen { return gen{memfiletest.New(seed)} }

// fullRead is what Past must say: the whole, parsed.
func fullRead(src []byte) memfile.Document {
	if f, _ := memfile.Parse("m", src); f != nil {
		return f.Document()
	}
	return salvaged(src)
}

// salvaged stands in for what recovery finds in a damaged version.
func salvaged(src []byte) memfile.Document {
	return memfile.Document{Items: []memfile.Item{{Key: "damaged.file", Value: memfile.Str(string(src))}}}
}

// usual is a file of the form that memctl writes, with so many items.
func (g gen) usual(items int) string {
	f, _ := memfile.Parse("m", []byte(memfile.Template))
	doc := f.Document()
	for i := range items {
		it := g.Item()
		it.Key = fmt.Sprintf("area%d.item-%d", i%3, i)
		doc.Items = append(doc.Items, it)
	}
	out, err := patch.Rewrite(f, doc)
	if err != nil {
		return memfile.Template
	}
	return string(out)
}

// harm does to a file's text what people, editors and merges do.
func (g gen) harm(text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := g.IntN(len(lines))
	insert := func(s string) string { return strings.Join(lines[:i], "") + s + strings.Join(lines[i:], "") }
	switch g.IntN(12) {
	case 0:
		return strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		return insert("<<<<<<< ours\n")
	case 2:
		return insert(memfiletest.Pick(g.Random, "```\n", "~~~\n", "\n", "    # aside\n", "  # aside\n", "# aside\n", "\t\n", "        deep\n", "  items:\n", memfile.NotesHeading+"\n"))
	case 3:
		return strings.Join(append(lines[:i:i], lines[min(i+1, len(lines)):]...), "")
	case 4:
		return text[:g.IntN(len(text)+1)]
	case 5:
		return insert("    - key: area0.item-0\n      value: again\n")
	case 6:
		return insert(memfiletest.Pick(g.Random, "    - {key: a.b, value: c}\n", "    - value: x\n      key: a.c\n", "    - key: \"a.d\"\n", "    -\n      key: a.e\n", "    - key: a.f # memctl:allow x y\n"))
	case 7:
		at := g.IntN(len(text) + 1)
		return text[:at] + memfiletest.Pick(g.Random, "\"", "'", "|", "[", "{", ":", "#", "-", " ", "\n", "&", "\x00", "\xff") + text[at:]
	case 8:
		return "# Memory\n\n  items:\n    - key: prose.item\n\n" + text
	case 9:
		return text + memfiletest.Pick(g.Random, "\nmore\n", "    - key: stray.item\n      value: x\n", "<<<<<<< a\n>>>>>>> b\n")
	case 10:
		return strings.Replace(text, "value: ", memfiletest.Pick(g.Random, "value: \"open\n        ", "value: |\n        ", "value: >-\n\n        ", "value: 'a\n\n        b' #"), 1)
	}
	return strings.Replace(text, "  items:\n", memfiletest.Pick(g.Random, "  items: # all\n", "  items:\n\n", "  items:\n    # first\n", "  items: \n"), 1)
}

// TestPastSaysWhatParseSays: on random histories of sound, odd and damaged
// versions, reading by parts gives the same documents and the same differences.
func TestPastSaysWhatParseSays(t *testing.T) {
	byParts, whole := 0, 0
	for seed := range uint64(150) {
		g := newGen(seed)
		text := g.usual(1 + g.IntN(8))
		if g.IntN(3) == 0 {
			text = g.Layout(g.Document())
		}
		past := memfile.NewPast("m", salvaged)
		var last *memfile.Was
		var lastDoc memfile.Document
		for step := range 12 {
			was := past.Read([]byte(text))
			doc := fullRead([]byte(text))
			if was.ByParts() {
				byParts++
			} else {
				whole++
			}
			if got := was.Document(); !reflect.DeepEqual(got, doc) {
				t.Fatalf("seed %d, step %d: got %+v\nwant %+v\n%s", seed, step, got, doc, text)
			}
			if last != nil {
				for _, c := range []struct{ got, want []memfile.Delta }{
					{memfile.DiffPast(last, was), memfile.Diff(lastDoc, doc)}, {memfile.DiffPast(was, last), memfile.Diff(doc, lastDoc)}, {memfile.DiffPast(was, was), nil},
				} {
					if !reflect.DeepEqual(c.got, c.want) {
						t.Fatalf("seed %d, step %d: got %+v\nwant %+v\n%s", seed, step, c.got, c.want, text)
					}
				}
			}
			last, lastDoc = was, doc
			text = g.nextVersion(text)
		}
	}
	if byParts < 400 || whole < 200 {
		t.Errorf("%d versions were read by parts and %d whole: too few of one kind to say anything", byParts, whole)
	}
}

// nextVersion edits the text, as memctl does or as others do.
func (g gen) nextVersion(text string) string {
	f, _ := memfile.Parse("m", []byte(text))
	if f == nil {
		return g.usual(4)
	}
	if g.IntN(3) == 0 {
		return g.harm(text)
	}
	if out, err := patch.Rewrite(f, g.Edit(f.Document())); err == nil {
		return string(out)
	}
	return text
}

// TestPastParsesAnItemOnce: of a file of the usual form only what is new is read.
func TestPastParsesAnItemOnce(t *testing.T) {
	text := strings.ReplaceAll(newGen(1).usual(50), "```\"", "fence\"")
	past := memfile.NewPast("m", salvaged)
	for i := range 20 {
		if was := past.Read([]byte(text)); !was.ByParts() {
			t.Fatalf("version %d is not read by its parts:\n%s", i, text)
		}
		text = strings.Replace(text, "      value: ", fmt.Sprintf("      note%d: x\n      value: ", i), 1)
	}
	if items, frames := past.Parsed(); items > 50+19 || frames > 1 {
		t.Errorf("%d items and %d frames were parsed for 50 items and 19 changes", items, frames)
	}
}

// TestWhatPastGivesIsOnesOwn: changing a document changes no other reading.
func TestWhatPastGivesIsOnesOwn(t *testing.T) {
	src := []byte(newGen(3).usual(3))
	past := memfile.NewPast("m", salvaged)
	was := past.Read(src)
	doc := was.Document()
	doc.Items[0].Value = memfile.Str("other")
	doc.Items[1].Tags = append(doc.Items[1].Tags[:0], "other")
	src[len(src)-10] = 'X'
	if !reflect.DeepEqual(was.Document(), past.Read([]byte(newGen(3).usual(3))).Document()) {
		t.Error("a document that was given out changed what is read")
	}
}

func FuzzPast(f *testing.F) {
	for seed := range uint64(20) {
		g := newGen(seed)
		text := g.usual(3)
		f.Add([]byte(text), []byte(g.harm(text)))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		past := memfile.NewPast("m", salvaged)
		b, a := past.Read(before), past.Read(after)
		if !reflect.DeepEqual(b.Document(), fullRead(before)) || !reflect.DeepEqual(a.Document(), fullRead(after)) {
			t.Fatal("read otherwise")
		}
		if !reflect.DeepEqual(memfile.DiffPast(b, a), memfile.Diff(fullRead(before), fullRead(after))) {
			t.Fatal("other differences")
		}
	})
}

func TestYAMLGivesTheSameValueBack(t *testing.T) {
	for seed := range uint64(2000) {
		v := newGen(seed).Value(0)
		back, err := memfile.ParseValue(v.YAML())
		if err != nil || !memfile.SameRead(v, back) {
			t.Fatalf("%s: %+v, %v", v.YAML(), back, err)
		}
	}
}
