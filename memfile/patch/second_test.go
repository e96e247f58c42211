package patch

import (
	"errors"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

func TestSecondReaderReadsWhatIsWritten(t *testing.T) {
	values := []memfile.Value{
		memfile.Str("plain"), memfile.Str("1.10"), memfile.Str("yes"), memfile.Str("NULL"), memfile.Str("0123"), memfile.Str("`tick"), memfile.Str("a: b"), memfile.Str("a #b"), memfile.Str(" lead"), memfile.Str("trail "),
		memfile.Str("tab\there"), memfile.Str("two\nlines"), memfile.Str("quote \" and \\ and '"), memfile.Str("- dash"), memfile.Str("2026-11-21"), memfile.Str("€ ü 漢字 \U0001F600"), memfile.Str("\u2028\u0085"), memfile.Str(""),
		memfile.Str("[x]"), memfile.Str("{x: y}"), memfile.Str("&a *b !c"), memfile.Str("%d @at"), memfile.Str("? q"), memfile.Str("~"), memfile.Str("="), memfile.Str("<<"),
		{Kind: memfile.Number, Text: "1.10"}, {Kind: memfile.Bool, Text: "true"}, {Kind: memfile.List, List: []memfile.Value{memfile.Str("a, b"), memfile.Str("c]"), memfile.Str("d: e")}},
		{Kind: memfile.Map, Map: []memfile.Field{{Name: "issue", Value: memfile.Str("x: y")}, {Name: "outcome", Value: memfile.Str("`z`")}, {Name: "fix", Value: memfile.Str("w #v")}}},
	}
	for _, eol := range []string{"\n", "\r\n"} {
		f, problems := memfile.Parse("memories.md", []byte(strings.ReplaceAll("  "+strings.ReplaceAll(strings.TrimSuffix(memfile.Template, "\n"), "\n", "\n  ")+"\n", "\n", eol)))
		if f == nil {
			t.Fatal(problems)
		}
		doc := f.Document()
		for i, v := range values {
			doc.Items = append(doc.Items, memfile.Item{Key: "a.k" + strings.Repeat("x", i), Value: v, Added: "2026-11-21", Labels: labels.Labels{Source: "test: source", Confidence: memfile.High, Tags: []string{"a", "b c"}}})
		}
		out, err := Rewrite(f, doc)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := memfile.Parse("memories.md", out)
		if p, differ := ReadersDiffer(g); differ {
			t.Errorf("%q: %+v", eol, p)
		}
	}
}

// A plain scalar with a tab inside loses it in the other reader: a person's own
// line is reported, and does not keep other changes from being written.
func TestReadersDifferIsReportedAndHindersNothing(t *testing.T) {
	src := strings.Replace(memfile.Template, "items: []", "items:\n    - key: a.b\n      value: tab\there\n      confidence: low\n      tags: [needs-confirmation]", 1)
	f, problems := memfile.Parse("memories.md", []byte(src))
	if f == nil {
		t.Fatal(problems)
	}
	p, differ := ReadersDiffer(f)
	if !differ || p.Rule != ruleReadersDiffer || p.Severity != memfile.Warning || p.Line == 0 {
		t.Fatalf("got %+v, %v", p, differ)
	}
	doc := f.Document()
	doc.Items[0].Confidence, doc.Items[0].Tags = memfile.High, nil
	if _, err := Rewrite(f, doc); err != nil {
		t.Error(err)
	}
	if err := secondOpinion(f.Source(), f.Root(), memfile.Document{}, f.Document()); !errors.Is(err, yamltext.ErrReadersDiffer) {
		t.Errorf("a field that is new: %v", err)
	}
}
