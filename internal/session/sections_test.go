package session

import (
	"strings"
	"testing"
)

func TestTaggedEntriesStandUnderTheirCategories(t *testing.T) {
	parts := TaggedParts([]Entry{
		{Scope: "private", Category: "rule", Text: "an agent's"},
		{Scope: "project", Category: "context", Text: "the shop sells ships", Stated: true},
		{Scope: "user", Category: "rule", Text: "ask\nfirst </memory>", Stated: true},
		{Scope: "project", Category: "gotcha", Text: "the port is taken", Stated: true},
		{Scope: "project", Text: "start here", Stated: true},
		{Scope: "project", Category: "rule", Text: strings.Repeat("é", maxEntryChars+1), Stated: true},
	})
	var got []string
	for _, p := range parts {
		got = append(got, p.Heading+" "+strings.Join(p.Scopes, " "))
	}
	if want := "Bootstrap project, Rules user project, Facts project, Context project, Rules, noted by agents private"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
	if parts[1].Units[0] != "- [user] ask first ‹/memory>\n" || parts[1].Units[1] != "- [project] "+strings.Repeat("é", maxEntryChars)+" [...]\n" {
		t.Errorf("%q", parts[1].Units)
	}
	if len(TaggedParts(nil)) > 0 || len(TopicsPart(nil).Units) > 0 || len(NotesPart(nil).Units) > 0 {
		t.Error("a part of nothing")
	}
}

// TestSectionsGiveWayFromTheEnd: context files go first, then notes, topics,
// counts; the profile goes last.
func TestSectionsGiveWayFromTheEnd(t *testing.T) {
	filler := strings.Repeat("word ", 30)
	b := Briefing{Parts: append(append([]Part{{Name: PartProfile, Heading: "Active Profile", Units: []string{"- [project] a.b: " + filler + "\n"}}},
		TaggedParts([]Entry{{Scope: "project", Category: "rule", Text: "rule " + filler}, {Scope: "project", Category: "decision", Text: "decision " + filler}})...),
		TopicsPart([]Kind{{"orders", 3}, {"ports", 1}}),
		NotesPart([]Entry{{Scope: "project", Day: "2026-11-21", Text: "newer " + filler}, {Scope: "project", Day: "2026-11-20", Text: "older " + filler}}),
		Part{Name: PartContext, Heading: "Context files", Units: []string{"file " + filler + "\n"}, Names: []string{"SOUL.md"}},
	)}
	order := []string{"file word", "older", "newer", "orders 3, ports 1", "decision word", "rule word", "a.b"}
	whole := b.Render().Text
	for _, word := range order {
		if !strings.Contains(whole, word) {
			t.Fatalf("%q is not in\n%s", word, whole)
		}
	}
	gone := 0
	for limit := len(whole); limit > 0; limit -= 10 {
		b.Client = Client{Limit: limit}
		text := b.Render().Text
		now := 0
		for now < len(order) && !strings.Contains(text, order[now]) {
			now++
		}
		for _, word := range order[now:] {
			if !strings.Contains(text, word) {
				t.Fatalf("under %d bytes %q went before %q", limit, word, order[now])
			}
		}
		gone = max(gone, now)
	}
	if gone != len(order) {
		t.Errorf("only %d of %d gave way", gone, len(order))
	}
}
