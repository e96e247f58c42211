package memfile

import (
	"slices"
	"testing"
)

func TestSettle(t *testing.T) {
	person := Item{Key: "a.b", Value: Str("x"), Added: "2026-01-05", Confidence: High, Tags: []string{"s"}, Signals: 1}
	machine := Item{Key: "a.b", Value: Str("y"), Added: "2026-01-01", Updated: "2026-02-01", Confidence: Medium, By: ByAutomatic, Locked: true, Signals: 3}
	with := func(it Item, change func(*Item)) Item { change(&it); return it }
	for name, c := range map[string]struct {
		items []Item
		want  Item
	}{
		"a person's value wins without a doubt, the agent's is a rival": {
			[]Item{machine, person},
			with(person, func(it *Item) {
				it.Added, it.Updated, it.Signals = "2026-01-01", "2026-01-05", 3
				it.Tags = []string{"s"}
				it.Conflict = []Rival{{Value: Str("y"), Added: "2026-02-01", Confidence: Medium, By: ByAutomatic, Signals: 3}}
			}),
		},
		"both high: the later day wins, and no tag": {
			[]Item{person, with(person, func(it *Item) { it.Value, it.Added, it.Tags = Str("z"), "2026-01-06", []string{"t"} })},
			with(person, func(it *Item) {
				it.Value, it.Added, it.Updated, it.Tags = Str("z"), "2026-01-05", "2026-01-06", []string{"t", "s"}
				it.Conflict = []Rival{{Value: Str("x"), Added: "2026-01-05", Confidence: High, Signals: 1}}
			}),
		},
		"an agent's higher confidence, paths, commands, ask and tags do not count against a person's": {
			[]Item{with(machine, func(it *Item) {
				it.Confidence, it.Paths, it.Tags = High, []string{"zz/**"}, []string{TagNeedsConfirmation}
				it.Commands, it.Ask = []string{"rm*"}, true
			}), with(person, func(it *Item) { it.Confidence = Medium })},
			with(person, func(it *Item) {
				it.Confidence, it.Added, it.Updated, it.Signals = Medium, "2026-01-01", "2026-01-05", 3
				it.Conflict = []Rival{{Value: Str("y"), Added: "2026-02-01", Confidence: High, By: ByAutomatic, Signals: 3}}
			}),
		},
		"of two values of agents the higher confidence wins, and a person has to choose": {
			[]Item{with(machine, func(it *Item) { it.Confidence = Low }), with(person, func(it *Item) { it.By = ByRelayed })},
			with(person, func(it *Item) {
				it.By, it.Added, it.Updated, it.Locked, it.Signals = ByRelayed, "2026-01-01", "2026-01-05", true, 3
				it.Tags = []string{"s", TagNeedsConfirmation}
				it.Conflict = []Rival{{Value: Str("y"), Added: "2026-02-01", Confidence: Low, By: ByAutomatic, Signals: 3}}
			}),
		},
		"one value twice, a person's word stands": {
			[]Item{with(person, func(it *Item) { it.By = ByAutomatic }), person},
			person,
		},
	} {
		for range 2 {
			got := Settle(c.items)
			if !SameItem(got, c.want) {
				t.Errorf("%s:\ngot\n%swant\n%s", name, RenderItem(got), RenderItem(c.want))
			}
			slices.Reverse(c.items)
		}
	}
	if got := Settle(nil); got.Key != "" {
		t.Error(got)
	}
}

// TestSettleIsSymmetrical settles random items of one key in every order.
func TestSettleIsSymmetrical(t *testing.T) {
	for seed := range uint64(500) {
		g := newGen(seed)
		items := []Item{g.item(), g.item(), g.item()}
		for i := range items {
			items[i].Key, items[i].Tags, items[i].Extra, items[i].Paths = "a.b", nil, nil, nil
		}
		first := Settle(items)
		for _, order := range [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			again := Settle([]Item{items[order[0]], items[order[1]], items[order[2]]})
			if !SameItem(first, again) {
				t.Fatalf("seed %d, order %v:\n%s\n%s", seed, order, RenderItem(first), RenderItem(again))
			}
		}
		for i, r := range first.Conflict {
			if Equal(r.Value, first.Value) || i > 0 && first.Conflict[i-1].Value.Canonical() >= r.Value.Canonical() {
				t.Fatalf("seed %d: rivals are not each once and sorted:\n%s", seed, RenderItem(first))
			}
		}
	}
}

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
