package memfile

import (
	"errors"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/yamltext"
)

func TestSecondReaderReadsWhatIsWritten(t *testing.T) {
	values := []Value{
		Str("plain"), Str("1.10"), Str("yes"), Str("NULL"), Str("0123"), Str("`tick"), Str("a: b"), Str("a #b"), Str(" lead"), Str("trail "),
		Str("tab\there"), Str("two\nlines"), Str("quote \" and \\ and '"), Str("- dash"), Str("2026-11-21"), Str("€ ü 漢字 \U0001F600"), Str("\u2028\u0085"), Str(""),
		Str("[x]"), Str("{x: y}"), Str("&a *b !c"), Str("%d @at"), Str("? q"), Str("~"), Str("="), Str("<<"),
		{Kind: Number, Text: "1.10"}, {Kind: Bool, Text: "true"}, {Kind: List, List: []Value{Str("a, b"), Str("c]"), Str("d: e")}},
		{Kind: Map, Map: []Field{{"issue", Str("x: y")}, {"outcome", Str("`z`")}, {"fix", Str("w #v")}}},
	}
	for _, eol := range []string{"\n", "\r\n"} {
		f, problems := Parse("memories.md", []byte(strings.ReplaceAll("  "+strings.ReplaceAll(strings.TrimSuffix(Template, "\n"), "\n", "\n  ")+"\n", "\n", eol)))
		if f == nil {
			t.Fatal(problems)
		}
		doc := f.Document()
		for i, v := range values {
			doc.Items = append(doc.Items, Item{Key: "a.k" + strings.Repeat("x", i), Value: v, Added: "2026-11-21", Source: "test: source", Confidence: High, Tags: []string{"a", "b c"}})
		}
		out, err := Rewrite(f, doc)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := Parse("memories.md", out)
		if p, differ := ReadersDiffer(g); differ {
			t.Errorf("%q: %+v", eol, p)
		}
	}
}

// A plain scalar with a tab inside loses it in the other reader: a person's own
// line is reported, and does not keep other changes from being written.
func TestReadersDifferIsReportedAndHindersNothing(t *testing.T) {
	src := strings.Replace(Template, "items: []", "items:\n    - key: a.b\n      value: tab\there\n      confidence: low\n      tags: [needs-confirmation]", 1)
	f, problems := Parse("memories.md", []byte(src))
	if f == nil {
		t.Fatal(problems)
	}
	p, differ := ReadersDiffer(f)
	if !differ || p.Rule != RuleReadersDiffer || p.Severity != Warning || p.Line == 0 {
		t.Fatalf("got %+v, %v", p, differ)
	}
	doc := f.Document()
	doc.Items[0].Confidence, doc.Items[0].Tags = High, nil
	if _, err := Rewrite(f, doc); err != nil {
		t.Error(err)
	}
	if err := secondOpinion(f.Source(), f.Root(), Document{}, f.Document()); !errors.Is(err, yamltext.ErrReadersDiffer) {
		t.Errorf("a field that is new: %v", err)
	}
}
