package memfile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// fullRead is what Past must say: the whole, parsed.
func fullRead(src []byte) Document {
	if f, _ := Parse("m", src); f != nil {
		return f.Document()
	}
	return salvaged(src)
}

// salvaged stands in for what recovery finds in a damaged version.
func salvaged(src []byte) Document {
	return Document{Items: []Item{{Key: "damaged.file", Value: Str(string(src))}}}
}

// usual is a file of the form that memctl writes, with so many items.
func (g gen) usual(items int) string {
	f, _ := Parse("m", []byte(Template))
	doc := f.Document()
	for i := range items {
		it := g.item()
		it.Key = fmt.Sprintf("area%d.item-%d", i%3, i)
		doc.Items = append(doc.Items, it)
	}
	out, err := Rewrite(f, doc)
	if err != nil {
		return Template
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
		return insert(pick(g, "```\n", "~~~\n", "\n", "    # aside\n", "  # aside\n", "# aside\n", "\t\n", "        deep\n", "  items:\n", NotesHeading+"\n"))
	case 3:
		return strings.Join(append(lines[:i:i], lines[min(i+1, len(lines)):]...), "")
	case 4:
		return text[:g.IntN(len(text)+1)]
	case 5:
		return insert("    - key: area0.item-0\n      value: again\n")
	case 6:
		return insert(pick(g, "    - {key: a.b, value: c}\n", "    - value: x\n      key: a.c\n", "    - key: \"a.d\"\n", "    -\n      key: a.e\n", "    - key: a.f # memctl:allow x y\n"))
	case 7:
		at := g.IntN(len(text) + 1)
		return text[:at] + pick(g, "\"", "'", "|", "[", "{", ":", "#", "-", " ", "\n", "&", "\x00", "\xff") + text[at:]
	case 8:
		return "# Memory\n\n  items:\n    - key: prose.item\n\n" + text
	case 9:
		return text + pick(g, "\nmore\n", "    - key: stray.item\n      value: x\n", "<<<<<<< a\n>>>>>>> b\n")
	case 10:
		return strings.Replace(text, "value: ", pick(g, "value: \"open\n        ", "value: |\n        ", "value: >-\n\n        ", "value: 'a\n\n        b' #"), 1)
	}
	return strings.Replace(text, "  items:\n", pick(g, "  items: # all\n", "  items:\n\n", "  items:\n    # first\n", "  items: \n"), 1)
}

// TestPastSaysWhatParseSays: on random histories of sound, odd and damaged
// versions, reading by parts gives the same documents and the same differences.
func TestPastSaysWhatParseSays(t *testing.T) {
	byParts, whole := 0, 0
	for seed := range uint64(400) {
		g := newGen(seed)
		text := g.usual(1 + g.IntN(8))
		if g.IntN(3) == 0 {
			text = g.layout(g.document())
		}
		past := NewPast("m", salvaged)
		var last *Was
		var lastDoc Document
		for step := range 12 {
			was := past.Read([]byte(text))
			doc := fullRead([]byte(text))
			if was.frame != nil {
				byParts++
			} else {
				whole++
			}
			if got := was.Document(); !reflect.DeepEqual(got, doc) {
				t.Fatalf("seed %d, step %d: got %+v\nwant %+v\n%s", seed, step, got, doc, text)
			}
			if last != nil {
				for _, c := range []struct{ got, want []Delta }{
					{DiffPast(last, was), Diff(lastDoc, doc)}, {DiffPast(was, last), Diff(doc, lastDoc)}, {DiffPast(was, was), nil},
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
	if byParts < 1000 || whole < 500 {
		t.Errorf("%d versions were read by parts and %d whole: too few of one kind to say anything", byParts, whole)
	}
}

// nextVersion edits the text, as memctl does or as others do.
func (g gen) nextVersion(text string) string {
	f, _ := Parse("m", []byte(text))
	if f == nil {
		return g.usual(4)
	}
	if g.IntN(3) == 0 {
		return g.harm(text)
	}
	if out, err := Rewrite(f, g.edit(f.Document())); err == nil {
		return string(out)
	}
	return text
}

// TestPastParsesAnItemOnce: of a file of the usual form only what is new is read.
func TestPastParsesAnItemOnce(t *testing.T) {
	text := strings.ReplaceAll(newGen(1).usual(50), "```\"", "fence\"")
	past := NewPast("m", salvaged)
	for i := range 20 {
		if was := past.Read([]byte(text)); was.frame == nil {
			t.Fatalf("version %d is not read by its parts:\n%s", i, text)
		}
		text = strings.Replace(text, "      value: ", fmt.Sprintf("      note%d: x\n      value: ", i), 1)
	}
	if len(past.items) > 50+19 || len(past.frames) > 1 {
		t.Errorf("%d items and %d frames were parsed for 50 items and 19 changes", len(past.items), len(past.frames))
	}
}

// TestWhatPastGivesIsOnesOwn: changing a document changes no other reading.
func TestWhatPastGivesIsOnesOwn(t *testing.T) {
	src := []byte(newGen(3).usual(3))
	past := NewPast("m", salvaged)
	was := past.Read(src)
	doc := was.Document()
	doc.Items[0].Value = Str("other")
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
		past := NewPast("m", salvaged)
		b, a := past.Read(before), past.Read(after)
		if !reflect.DeepEqual(b.Document(), fullRead(before)) || !reflect.DeepEqual(a.Document(), fullRead(after)) {
			t.Fatal("read otherwise")
		}
		if !reflect.DeepEqual(DiffPast(b, a), Diff(fullRead(before), fullRead(after))) {
			t.Fatal("other differences")
		}
	})
}
