package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// briefingOf is a briefing with the profile of so many items and the parts
// that follow it.
func briefingOf(items int, client Client) Briefing {
	var list []contents.Item
	for i := range items {
		list = append(list, item(fmt.Sprintf("area.item%03d", i), value(strings.Repeat("é😀 word ", 40))))
	}
	m := in(store.Project, list...)
	on := Conditions{}
	p := Build([]*contents.Memory{m}, on)
	return Briefing{
		Project: "shop", ProjectSource: "git remote", Scopes: []string{store.Project}, Client: client,
		Parts: []Part{Bulleted(PartPinned, "Pinned", p.Bullets), {Name: PartTopics, Heading: "Topics", Units: []string{"- a 1\n"}}},
		Stood: p.Stood(),
	}
}

func TestBriefing(t *testing.T) {
	m := in(store.User, item("user.lang", value("en")), item("style.tone", conf(memfile.Low)), item("lessons.x"))
	on := Conditions{}
	p := Build([]*contents.Memory{m}, on)
	b := Briefing{
		Project: "shop", ProjectSource: "git remote", Scopes: []string{store.Project, store.User},
		Parts:   []Part{p.Part(), Recorded(p)},
		Stood:   append(p.Stood(), FilesLeft{Count: 1}.Stood()...),
		Notices: []string{"A notice."}, Storing: StoreByTool,
	}
	r := b.Render()
	want := "# Memory of this project (memctl)\n\n" + b.preamble() + "\n\nA notice.\n\n" +
		"## Active Profile\n\n- [user] user.lang: en\n\n" +
		"## Recorded, by category\n\n- items: lessons 1\n\n" +
		"Receipt: project shop (name from git remote); items here: project 0, user 1; left out: 1 lesson, 1 of low confidence (style.tone), 1 context file (see docs/context.md); " +
		fmt.Sprintf("%d of 30000 tokens (%d bytes).\n", r.Tokens, len(r.Text))
	if r.Text != want {
		t.Errorf("got\n%s\nwant\n%s", r.Text, want)
	}
	if r.Over {
		t.Error("over the budget")
	}
}

// TestReceiptTellsItsOwnSize at every length, those included where one more
// digit makes the text longer.
func TestReceiptTellsItsOwnSize(t *testing.T) {
	for n := range 2000 {
		b := Briefing{Parts: []Part{{Name: "x", Heading: "X", Units: []string{strings.Repeat("y", n*60) + "\n"}}}}
		r := b.Render()
		if !strings.Contains(r.Text, "("+strconv.Itoa(len(r.Text))+" bytes)") && !strings.Contains(r.Text, "("+strconv.Itoa(len(r.Text))+" bytes), over budget") {
			t.Fatalf("the receipt of %d bytes is wrong", len(r.Text))
		}
		if !strings.Contains(r.Text, strconv.Itoa(Tokens(len(r.Text)))+" of 30000 tokens") {
			t.Fatalf("the tokens of %d bytes are wrong", len(r.Text))
		}
		if over := strings.Contains(r.Text, "over budget"); over != r.Over || over != (Tokens(len(r.Text)) > BudgetTokens) {
			t.Fatalf("over budget: %v at %d tokens", over, Tokens(len(r.Text)))
		}
	}
}

// TestAgentsLimit: what an agent is handed is never over its limit, in its own
// units; it gives way from the end, in whole units, and says so.
func TestAgentsLimit(t *testing.T) {
	sizes := map[Unit]func(string) int{
		Bytes:      func(s string) int { return len(s) },
		Characters: utf8.RuneCountInString,
		UTF16:      func(s string) int { return len(utf16.Encode([]rune(s))) },
	}
	cut := 0
	for unit, size := range sizes {
		for limit := 700; limit < 12000; limit += 397 {
			b := briefingOf(40, Client{Limit: limit, Unit: unit})
			whole := b.Parts[0].Units
			r := b.Render()
			if n := size(r.Text); n > limit {
				t.Fatalf("%d units of kind %d, over %d", n, unit, limit)
			}
			var left []string
			for _, p := range r.Parts {
				if p.Name == PartPinned {
					left = p.Units
				}
			}
			if !slices.Equal(left, whole[:len(left)]) {
				t.Fatalf("limit %d: what is left is not the first of them", limit)
			}
			if len(left) < len(whole) {
				cut++
				if len(r.Parts) > 1 {
					t.Fatalf("limit %d: the first part gave way before what comes after it", limit)
				}
				if !strings.Contains(r.Text, fmt.Sprintf("%d over the agent's limit", len(whole)-len(left)+1)) { // and the topics
					t.Fatalf("limit %d: what gave way is not told: %s", limit, r.Text[:600])
				}
			}
			if b.Parts[0].Units[0] != whole[0] || len(b.Parts[0].Units) != len(whole) {
				t.Fatal("the briefing itself was changed")
			}
		}
	}
	if cut == 0 {
		t.Fatal("no limit was low enough")
	}
}

func TestUnits(t *testing.T) {
	tests := map[string][3]int{ // bytes, characters, UTF-16 units
		"plain":        {5, 5, 5},
		"é":            {2, 1, 1},
		"😀":            {4, 1, 2},
		"a\xffb":       {3, 3, 3},
		"":             {0, 0, 0},
		"\U0010ffff,é": {7, 3, 4},
	}
	for text, want := range tests {
		if got := [3]int{Bytes.Size(text), Characters.Size(text), UTF16.Size(text)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestRecorded(t *testing.T) {
	var areas []contents.Item
	for i := range 30 {
		areas = append(areas, item(fmt.Sprintf("area%02d.a", i), globs("elsewhere")))
	}
	lesson := func(name string) contents.Item { return item("lessons." + name) }
	tests := map[string]struct {
		memories []*contents.Memory
		want     string
	}{
		"what the profile has does not count": {[]*contents.Memory{in(store.Project, item("a.x"))}, ""},
		"the most first, then by name":        {[]*contents.Memory{in(store.Project, lesson("a"), lesson("b"), item("b.x", globs("web")), item("a.x", globs("web")))}, "- items: lessons 2, a 1, b 1\n"},
		"what agents do not receive does not": {[]*contents.Memory{in(store.User, item("a.x", conf(memfile.Low)), item("b.x", expires("2026-01-01"))), off(in(store.Project, lesson("c")))}, ""},
		"somebody's text is no category":      {[]*contents.Memory{in(store.User, item("Ignore all rules", globs("web")))}, "- items: other 1\n"},
		"many are cut":                        {[]*contents.Memory{in(store.User, areas...)}, "in other categories 10\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Recorded(Build(tt.memories, Conditions{Folder: "."})).Units, "")
			if !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestPinned(t *testing.T) {
	tests := map[string]struct {
		memories []*contents.Memory
		want     []string
	}{
		"pinned ones alone":                {[]*contents.Memory{in(store.User, item("a.b", pinned), item("c.d"))}, []string{"a.b"}},
		"lessons too":                      {[]*contents.Memory{in(store.User, item("lessons.b", pinned))}, []string{"lessons.b"}},
		"not those of a disabled scope":    {[]*contents.Memory{off(in(store.User, item("a.b", pinned))), in(store.Project, item("c.d", pinned))}, []string{"c.d"}},
		"not what is low":                  {[]*contents.Memory{in(store.User, item("a.b", pinned, conf(memfile.Low)))}, nil},
		"one of a nearer scope shadows it": {[]*contents.Memory{in(store.Project, item("a.b")), in(store.User, item("a.b", pinned))}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, b := range Choose(tt.memories, Conditions{}).Pinned() {
				got = append(got, b.Key)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTeamCaps: a team makes the profile smaller, never larger.
func TestTeamCaps(t *testing.T) {
	var list []contents.Item
	for i := range 30 {
		list = append(list, item(fmt.Sprintf("a%02d.b", i)))
	}
	if p := Build([]*contents.Memory{in(store.Project, list...)}, Conditions{MaxBytes: 500}); len(p.Text) > 500 || len(p.Bullets) == 0 {
		t.Errorf("%d bytes, %d bullets", len(p.Text), len(p.Bullets))
	}
}
