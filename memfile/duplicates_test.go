package memfile

import (
	"slices"
	"testing"
)

func TestForgottenBy(t *testing.T) {
	doc := Document{Deletions: []Tombstone{{Key: "a.b", Removed: "2026-01-01"}, {Key: "a.b", Removed: "2026-02-01"}}}
	for day, want := range map[string]string{"2025-12-31": "2026-01-01", "2026-01-15": "2026-02-01", "2026-02-01": "2026-02-01", "2026-02-02": ""} {
		got := ""
		if tomb := ForgottenBy(doc, Item{Key: "a.b", Added: day}); tomb != nil {
			got = tomb.Removed
		}
		if got != want {
			t.Errorf("an item of %s: got %q, want %q", day, got, want)
		}
	}
	if ForgottenBy(doc, Item{Key: "a.c"}) != nil {
		t.Error("another key is forgotten")
	}
}

func TestDiff(t *testing.T) {
	a := Document{Settings: Settings{true, true}, Items: []Item{{Key: "b.b", Value: Str("x"), Line: 3}, {Key: "a.a"}, {Key: "c.c"}}}
	b := Document{Settings: Settings{false, true}, Items: []Item{{Key: "c.c"}, {Key: "b.b", Value: Str("y"), Line: 9}, {Key: "d.d"}},
		Deletions: []Tombstone{{Key: "a.a", Removed: "2026-01-01"}}}
	var got []string
	for _, d := range Diff(a, b) {
		mark := "~"
		if d.Before == nil && d.TombBefore == nil {
			mark = "+"
		}
		if d.After == nil && d.TombAfter == nil {
			mark = "-"
		}
		got = append(got, mark+d.Kind+" "+d.Key+d.SettingBefore+d.SettingAfter)
	}
	want := []string{"-setting enabledtruefalse", "-item a.a", "~item b.b", "+item d.d", "+tombstone a.a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if d := Diff(b, b); len(d) > 0 {
		t.Error(d)
	}
}
