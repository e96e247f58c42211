package entry

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/linemerge"
)

func file(t testing.TB, change func(e *Entry)) []byte {
	t.Helper()
	e := Entry{ID: "a", Role: RoleSummary, Conversation: "talk", Created: "2026-11-21T09:03:00.000Z", Labels: labels.Labels{Tags: []string{"one"}, Confidence: "medium"}, Text: "One.\nTwo.\nThree."}
	change(&e)
	src, err := Print(e)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// merge merges both ways round and reads the result.
func merge(t testing.TB, base, ours, theirs []byte) (Entry, []string) {
	t.Helper()
	out, notes, err := Merge("", base, ours, theirs)
	if err != nil {
		t.Fatalf("%v\nbase\n%s\nours\n%s\ntheirs\n%s", err, base, ours, theirs)
	}
	back, backNotes, err := Merge("", base, theirs, ours)
	if err != nil || !bytes.Equal(out, back) || !slices.Equal(notes, backNotes) {
		t.Fatalf("not symmetric: %v\n%s\n%v\nand\n%s\n%v", err, out, notes, back, backNotes)
	}
	f, problems := Parse("", out)
	if f == nil {
		t.Fatalf("%v\n%s", problems, out)
	}
	return f.Entry(), notes
}

func TestMerge(t *testing.T) {
	base := file(t, func(*Entry) {})
	for name, c := range map[string]struct {
		ours, theirs func(e *Entry)
		want         func(e Entry) bool
		notes        int
	}{
		"two fields":                     {func(e *Entry) { e.Category = "rule" }, func(e *Entry) { e.Pinned = true }, func(e Entry) bool { return e.Category == "rule" && e.Pinned }, 0},
		"two tags":                       {func(e *Entry) { e.Tags = []string{"one", "two"} }, func(e *Entry) { e.Tags = []string{"one", "three"} }, func(e Entry) bool { return len(e.Tags) == 3 }, 0},
		"two commands and an ask":        {func(e *Entry) { e.Commands = []string{"git push*"} }, func(e *Entry) { e.Commands, e.Ask = []string{"git tag*"}, true }, func(e Entry) bool { return len(e.Commands) == 2 && e.Ask }, 0},
		"a tag less and one more":        {func(e *Entry) { e.Tags = nil }, func(e *Entry) { e.Tags = []string{"one", "three"} }, func(e Entry) bool { return slices.Equal(e.Tags, []string{"three"}) }, 0},
		"two lines":                      {func(e *Entry) { e.Text = "1.\nTwo.\nThree." }, func(e *Entry) { e.Text = "One.\nTwo.\n3." }, func(e Entry) bool { return e.Text == "1.\nTwo.\n3." }, 0},
		"one line, twice":                {func(e *Entry) { e.Text = "One.\nA.\nThree." }, func(e *Entry) { e.Text = "One.\nB.\nThree." }, func(e Entry) bool { return e.Text == "One.\nA.\nB.\nThree." }, 1},
		"a line gone, its neighbour new": {func(e *Entry) { e.Text = "One.\nThree." }, func(e *Entry) { e.Text = "One.\nTwo.\nThree!" }, func(e Entry) bool { return !strings.Contains(e.Text, "Two.") && strings.Contains(e.Text, "Three!") }, 1},
		"two confidences":                {func(e *Entry) { e.Confidence = "high" }, func(e *Entry) { e.Confidence = "low" }, func(e Entry) bool { return e.Confidence == "high" }, 1},
		"two counts":                     {func(e *Entry) { e.Signals = 2 }, func(e *Entry) { e.Signals = 5 }, func(e Entry) bool { return e.Signals == 5 }, 1},
		"two sources":                    {func(e *Entry) { e.Source = "b" }, func(e *Entry) { e.Source = "a" }, func(e Entry) bool { return e.Source == "a" }, 1},
		"an agent's day, tags and lock on what a person confirmed": {func(e *Entry) {
			e.By = "relayed"
			e.Expires = "2026-11-23"
			e.Tags = []string{"needs-confirmation"}
			e.Locked, e.Commands = true, []string{"git push*"}
			e.Confidence = "high"
		}, func(e *Entry) { e.Source = "confirmed" }, func(e Entry) bool {
			return e.Expires == "" && !e.Locked && e.Commands == nil && slices.Equal(e.Tags, []string{"one"}) && e.Confidence == "medium"
		}, 0},
		"a person's and an agent's": {func(e *Entry) { e.By = "automatic"; e.Weight = 2 }, func(e *Entry) { e.Weight = 3 }, func(e Entry) bool { return e.By == "automatic" && e.Weight == 3 }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, notes := merge(t, base, file(t, c.ours), file(t, c.theirs))
			if !c.want(e) || len(notes) != c.notes {
				t.Errorf("merged to %+v, notes %q", e, notes)
			}
		})
	}
}

func TestMergeWithoutBase(t *testing.T) {
	early, late := file(t, func(e *Entry) { e.Created = "2026-01-01T00:00:00.000Z"; e.Tags = []string{"b"} }), file(t, func(e *Entry) { e.By = "automatic" })
	e, notes := merge(t, nil, early, late)
	if e.Created != "2026-01-01T00:00:00.000Z" || slices.Contains(e.Tags, "one") || !slices.Contains(e.Tags, "b") || e.By != "" || len(notes) != 0 {
		t.Errorf("%+v, %q", e, notes)
	}
	if _, _, err := Merge("", nil, early, []byte("no entry")); err == nil {
		t.Error("merged with what is no entry")
	}
}

func TestMergeKeepsCommentsAndUnknownFields(t *testing.T) {
	put := func(line string) []byte {
		return bytes.Replace(file(t, func(*Entry) {}), []byte("role:"), []byte(line+"\nrole:"), 1)
	}
	base := put("mood: good")
	out, _, err := Merge("", base, put("# ours\nmood: good"), put("mood: bad\nmore: {a: 1}\n# theirs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# ours\n", "# theirs\n", "mood: bad\n", "more: {a: 1}\n"} {
		if strings.Count(string(out), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, out)
		}
	}
	if out, _, err = Merge("", base, put("# gone"), put("mood: good\nmore: 1")); err != nil || strings.Contains(string(out), "mood") {
		t.Errorf("%v, a field that one side took out is there:\n%s", err, out)
	}
}

func randomEntry(r *rand.Rand, e Entry) Entry {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	some := func(list ...string) []string {
		var out []string
		for _, s := range list {
			if r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	for range r.IntN(4) {
		switch r.IntN(9) {
		case 0:
			e.Tags = some("a", "b", "c: d", "no")
		case 1:
			e.Category = pick("", "rule", "gotcha")
		case 2:
			e.Text = pick("", "New.\n") + strings.Join(some("One.", "Two.", "", "Three.", "Four."), "\n") + pick("", "\nEnd.")
			e.Text = CleanText(e.Text)
		case 3:
			e.Pinned = !e.Pinned
		case 4:
			e.Confidence = pick("low", "medium", "high")
		case 5:
			e.Expires = pick("", "2026-12-01", "2027-01-01")
		case 6:
			e.Weight = float64(r.IntN(3))
		case 7:
			e.Anchors = []Anchor{{Path: pick("a.go#L1", "b.go"), Commit: pick("", "123")}}
		case 8:
			e.Reason = pick("", "x # y", "it's")
		}
	}
	return e
}

// TestMergeProperties merges many random changes: symmetric, readable, and what
// one side alone did is there.
func TestMergeProperties(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		start := randomEntry(r, Entry{ID: "a", Role: RoleFact, Conversation: "c", Created: "2026-11-21T09:03:00.000Z", Text: "One.\nTwo."})
		one, two := randomEntry(r, start), randomEntry(r, start)
		var files [][]byte
		for _, e := range []Entry{start, one, two} {
			src, err := Print(e)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			files = append(files, src)
		}
		e, _ := merge(t, files[0], files[1], files[2])
		if start.Category == one.Category && e.Category != two.Category || start.Text == one.Text && e.Text != two.Text {
			t.Fatalf("seed %d: what one side alone changed is lost: %+v", seed, e)
		}
		for _, tag := range one.Tags {
			if !slices.Contains(start.Tags, tag) && !slices.Contains(e.Tags, tag) {
				t.Fatalf("seed %d: the tag %s is lost", seed, tag)
			}
		}
		for _, line := range strings.Split(one.Text, "\n") {
			if line != "" && !strings.Contains(start.Text, line) && !strings.Contains(e.Text, line) {
				t.Fatalf("seed %d: the line %s is lost", seed, line)
			}
		}
		merge(t, nil, files[1], files[2])
	}
}

func TestMergeLinesKeepsLinesUnderTheirHeadings(t *testing.T) {
	for name, c := range map[string]struct{ base, a, b, want string }{
		"two texts of one template": {
			"", "# Me\n\n## Name\nAda\n\n## Zone\nRome\n", "# Me\n\n## Name\nAda L.\n\n## Zone\nOslo\n",
			"# Me\n\n## Name\nAda\nAda L.\n\n## Zone\nRome\nOslo\n",
		},
		"a text that has all of the other": {"", "# Me\nAda\n", "# Me\nAda\nOslo\n", "# Me\nAda\nOslo\n"},
		"texts without a line in common":   {"", "Ada\n", "Oslo\n\nRome\n", "Ada\nOslo\n\nRome\n"},
		"one new section, twice":           {"# Me\n", "# Me\n## Likes\ntea\n", "# Me\n## Likes\nrhymes\n", "# Me\n## Likes\nrhymes\ntea\n"},
		"sections with a heading in common": {
			"# Me\n", "# Me\n## Home\n### Likes\ntea\n", "# Me\n## Work\n### Likes\nGo\n\n### Tools\ngit\n",
			"# Me\n## Home\n### Likes\ntea\n## Work\n### Likes\nGo\n\n### Tools\ngit\n",
		},
		"one rule under two headings, and a block of code each": {
			"# Me\n", "# Me\n\n## Prod\n- ask\n\n```sh\nmake prod\n```\n", "# Me\n\n## Data\n- ask\n- save\n\n```sh\nmake db\n```\n",
			"# Me\n\n## Data\n- ask\n- save\n\n```sh\nmake db\n```\n## Prod\n- ask\n\n```sh\nmake prod\n```\n",
		},
		"one rule under two headings, without a base": {
			"", "# Me\n## Prod\n### Rules\n- ask\n", "# Me\n## Data\n### Rules\n- ask\n", "# Me\n## Data\n### Rules\n- ask\n## Prod\n### Rules\n- ask\n",
		},
		"one new item of a list, twice": {"# Me\n", "# Me\n- a\n- ask\n", "# Me\n- ask\n- b\n", "# Me\n- a\n- ask\n- b\n"},
		"a new line before the other side's section": {
			"# Me\n", "# Me\n\n- ask\n\n## Data\n- save\n", "# Me\n\n- save\n", "# Me\n\n- ask\n- save\n\n## Data\n- save\n",
		},
		"two changes of one block": {
			"```\na\nb\nc\n```\n", "```\na\nb\n1\n```\n", "```\n2\nb\nc\n```\n", "```\n2\nb\nc\n```\n```\na\nb\n1\n```\n",
		},
		"two tables": {"", "|A|\n|-|\n|1|\n", "|B|\n|-|\n|2|\n|-|\n", "|A|\n|-|\n|1|\n|B|\n|-|\n|2|\n|-|\n"},
		"a new line of a section that the other side took out": {
			"# Me\n## Data\n- save\n# You\n", "# Me\n# You\n", "# Me\n## Data\n- save\n- ask\n# You\n", "# Me\n## Data\n- ask\n# You\n",
		},
	} {
		got, _ := linemerge.UnionMerge(c.base, c.a, c.b)
		back, _ := linemerge.UnionMerge(c.base, c.b, c.a)
		if got != c.want || back != got {
			t.Errorf("%s: %q\nand back %q\nwant %q", name, got, back, c.want)
		}
	}
}

func TestMergeMarkdownKeepsFrontMatterAtTheTop(t *testing.T) {
	head := "---\ntype: open\nskills: [review]\n---\n"
	windows := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct {
		base, a, b, want string
		err              error
	}{
		"one side with Windows line endings": {
			base: head + "\nText.\n", a: windows(head + "\nText of Windows.\n"), b: head + "\nText.\nMore.\n",
			want: head + "\nText of Windows.\nMore.\n",
		},
		"both sides with Windows line endings": {
			base: head + "Text.\n", a: windows(head + "Text.\nMore.\n"), b: windows("---\ntype: open\n---\nText.\n"),
			want: windows("---\ntype: open\n---\nText.\nMore.\n"),
		},
		"one text, and only its line endings differ": {base: "Old.\n", a: "New.\n", b: "New.\r\n", want: "New.\n"},
		"a field stays above the lines of dashes in the texts": {
			a: "---\ntype: open\n---\nA\n\n---\n1\n", b: "---\nlocked: true\n---\nB\n\n---\n2\n",
			want: "---\nlocked: true\ntype: open\n---\nA\nB\n\n---\n1\n2\n",
		},
		"front matter that one side added":   {base: "Text.\n", a: head + "Text.\n", b: "Text.\nMore.\n", want: head + "Text.\nMore.\n"},
		"front matter that one side removed": {base: head + "Text.\n", a: "Text.\n", b: head + "Text.\nMore.\n", err: ErrFrontMatter},
	} {
		got, _, err := MergeMarkdown(c.base, c.a, c.b)
		back, _, _ := MergeMarkdown(c.base, c.b, c.a)
		if got != c.want || back != got || err != c.err {
			t.Errorf("%s: %q, %v\nand back %q\nwant %q, %v", name, got, err, back, c.want, c.err)
		}
	}
}

func TestMatchLinesTakesNoSquareOfTime(t *testing.T) {
	var a, b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&a, "line %d\n", i%3)
		fmt.Fprintf(&b, "line %d\n", (i+1)%3)
	}
	merged, _ := linemerge.UnionMerge(a.String(), b.String(), a.String()+"more\n")
	if !strings.HasSuffix(merged, "more\n") {
		t.Error("a line is lost")
	}
}

func FuzzMerge(f *testing.F) {
	src := "---\nid: \"a\"\nrole: memory\nconversation_id: \"c\"\ncreated_at: \"2026-11-21\"\ntags: [a]\n---\n\nOne.\nTwo.\n"
	f.Add(src, strings.Replace(src, "[a]", "[a, b]", 1), strings.Replace(src, "One", "1", 1))
	f.Add(src, "---\n---\n", "---\na: |\n  b\n---\nx")
	f.Add("", src, strings.ReplaceAll(src, "\n", "\r\n"))
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		var o []byte
		if base != "" {
			o = []byte(base)
		}
		out, _, err := Merge("", o, []byte(ours), []byte(theirs))
		back, _, backErr := Merge("", o, []byte(theirs), []byte(ours))
		if (err == nil) != (backErr == nil) || !bytes.Equal(out, back) {
			t.Fatalf("not symmetric: %v, %v\n%q\n%q", err, backErr, out, back)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{agentCLI, byHand, "---\n---\n", "---\n  id: a\n  tags: [a,\n    b]\n---", "\ufeff---\nid: |\n  a\nsource: >-\n  b\n---\nx"} {
		f.Add(s, "text")
	}
	f.Fuzz(func(t *testing.T, src, text string) {
		file, problems := Parse("memories/entries/project/facts/a.md", []byte(src))
		if file == nil {
			if len(problems) == 0 || !problems[len(problems)-1].Damage {
				t.Fatal("not read, and no damage named")
			}
			return
		}
		e := file.Entry()
		if out, err := file.Rewrite(e); err != nil || string(out) != src {
			t.Fatalf("unchanged, and written as %q, %v", out, err)
		}
		e.Text, e.Source, e.Tags, e.Pinned = CleanText(strings.ToValidUTF8(text, "")), "x", []string{"a", "b: c"}, !e.Pinned
		out, err := file.Rewrite(e)
		if err != nil {
			return
		}
		again, problems := Parse("memories/entries/project/facts/a.md", out)
		if again == nil || !haveSameFields(again.Entry(), e) {
			t.Fatalf("%q\nwritten as\n%q\n%v", src, out, problems)
		}
	})
}
