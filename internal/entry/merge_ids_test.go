package entry

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// TestMergeOfTwoEntries: what git takes for one entry since the files are much
// alike stays two, each at the path that its id names.
func TestMergeOfTwoEntries(t *testing.T) {
	fact := func(text string, change func(e *Entry)) []byte {
		return file(t, func(e *Entry) {
			e.Role, e.ID, e.Text = RoleFact, ContentID(text), text
			change(e)
		})
	}
	pathOf := func(text string) string {
		return Entry{Role: RoleFact, ID: ContentID(text), Conversation: "talk"}.Path()
	}
	none := func(*Entry) {}
	first, one, two := fact("First.", none), fact("One.", none), fact("Two.", func(e *Entry) { e.Pinned = true })
	for text, want := range map[string][]byte{"One.": one, "Two.": two} {
		for _, sides := range [][2][]byte{{one, two}, {two, one}} {
			got, notes, err := Merge(pathOf(text), first, sides[0], sides[1])
			if err != nil || !bytes.Equal(got, want) || len(notes) != 1 {
				t.Errorf("at the path of %s: %v %q\n%s", text, err, notes, got)
			}
		}
	}
	for _, name := range []string{"", pathOf("First."), "memories/entries/talk/facts/other.md"} {
		if _, _, err := Merge(name, first, one, two); !errors.Is(err, ErrDifferentEntries) {
			t.Errorf("at %q: %v", name, err)
		}
	}
	// A base that is another entry is none: what it had was not taken out of this one.
	got, _, err := Merge(pathOf("One."), first, one, fact("One.", func(e *Entry) { e.Tags = []string{"new"} }))
	if f, _ := Parse("", got); err != nil || !slices.Equal(f.entry.Tags, []string{"new", "one"}) && !slices.Equal(f.entry.Tags, []string{"one", "new"}) {
		t.Errorf("%v\n%s", err, got)
	}
	// A summary is the one of its conversation, whatever its id.
	if _, _, err := Merge("memories/entries/talk/summaries/summary.md", nil, file(t, func(e *Entry) { e.ID = "b" }), file(t, none)); err != nil {
		t.Error(err)
	}
}

func TestOtherID(t *testing.T) {
	says := func(name string, e Entry) bool {
		src, err := Print(e)
		if err != nil {
			t.Fatal(err)
		}
		_, problems := Parse(name, src)
		return slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == ruleOtherID })
	}
	e := Entry{ID: ContentID("One."), Role: RoleFact, Conversation: "talk", Created: "2026-11-21T09:03:00.000Z", Text: "One."}
	if says(e.Path(), e) {
		t.Error("a fact at its path is another")
	}
	if !says("memories/entries/talk/facts/"+ContentID("Two.")+".md", e) {
		t.Error("a fact at another's path is not found")
	}
	changed := e
	if changed.Text = "One, and more."; !says(e.Path(), changed) {
		t.Error("a fact of another text is not found")
	}
	foreign := changed
	if foreign.ID = "6f1c0d1e-0a4b-4c7e-9a55-0b1d2f3a4b5c"; says(foreign.Path(), foreign) {
		t.Error("an id of another program is found")
	}
}
