package merge

import (
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

func TestSettle(t *testing.T) {
	person := memfile.Item{Key: "a.b", Value: memfile.Str("x"), Added: "2026-01-05", Labels: labels.Labels{Confidence: memfile.High, Tags: []string{"s"}, Signals: 1}}
	machine := memfile.Item{Key: "a.b", Value: memfile.Str("y"), Added: "2026-01-01", Updated: "2026-02-01", Labels: labels.Labels{Confidence: memfile.Medium, By: memfile.ByAutomatic, Locked: true, Signals: 3}}
	with := func(it memfile.Item, change func(*memfile.Item)) memfile.Item { change(&it); return it }
	for name, c := range map[string]struct {
		items []memfile.Item
		want  memfile.Item
	}{
		"a person's value wins without a doubt, the agent's is a rival": {
			[]memfile.Item{machine, person},
			with(person, func(it *memfile.Item) {
				it.Added, it.Updated, it.Signals = "2026-01-01", "2026-01-05", 3
				it.Tags = []string{"s"}
				it.Conflict = []memfile.Rival{{Value: memfile.Str("y"), Added: "2026-02-01", Labels: labels.Labels{Confidence: memfile.Medium, By: memfile.ByAutomatic, Signals: 3}}}
			}),
		},
		"both high: the later day wins, and no tag": {
			[]memfile.Item{person, with(person, func(it *memfile.Item) { it.Value, it.Added, it.Tags = memfile.Str("z"), "2026-01-06", []string{"t"} })},
			with(person, func(it *memfile.Item) {
				it.Value, it.Added, it.Updated, it.Tags = memfile.Str("z"), "2026-01-05", "2026-01-06", []string{"t", "s"}
				it.Conflict = []memfile.Rival{{Value: memfile.Str("x"), Added: "2026-01-05", Labels: labels.Labels{Confidence: memfile.High, Signals: 1}}}
			}),
		},
		"an agent's higher confidence, paths, commands, ask and tags do not count against a person's": {
			[]memfile.Item{with(machine, func(it *memfile.Item) {
				it.Confidence, it.Paths, it.Tags = memfile.High, []string{"zz/**"}, []string{memfile.TagNeedsConfirmation}
				it.Commands, it.Ask = []string{"rm*"}, true
			}), with(person, func(it *memfile.Item) { it.Confidence = memfile.Medium })},
			with(person, func(it *memfile.Item) {
				it.Confidence, it.Added, it.Updated, it.Signals = memfile.Medium, "2026-01-01", "2026-01-05", 3
				it.Conflict = []memfile.Rival{{Value: memfile.Str("y"), Added: "2026-02-01", Labels: labels.Labels{Confidence: memfile.High, By: memfile.ByAutomatic, Signals: 3}}}
			}),
		},
		"of two values of agents the higher confidence wins, and a person has to choose": {
			[]memfile.Item{with(machine, func(it *memfile.Item) { it.Confidence = memfile.Low }), with(person, func(it *memfile.Item) { it.By = memfile.ByRelayed })},
			with(person, func(it *memfile.Item) {
				it.By, it.Added, it.Updated, it.Locked, it.Signals = memfile.ByRelayed, "2026-01-01", "2026-01-05", true, 3
				it.Tags = []string{"s", memfile.TagNeedsConfirmation}
				it.Conflict = []memfile.Rival{{Value: memfile.Str("y"), Added: "2026-02-01", Labels: labels.Labels{Confidence: memfile.Low, By: memfile.ByAutomatic, Signals: 3}}}
			}),
		},
		"one value twice, a person's word stands": {
			[]memfile.Item{with(person, func(it *memfile.Item) { it.By = memfile.ByAutomatic }), person},
			person,
		},
	} {
		for range 2 {
			got := SameKey(c.items)
			if !memfile.SameItem(got, c.want) {
				t.Errorf("%s:\ngot\n%swant\n%s", name, memfile.RenderItem(got), memfile.RenderItem(c.want))
			}
			slices.Reverse(c.items)
		}
	}
	if got := SameKey(nil); got.Key != "" {
		t.Error(got)
	}
}

// TestSettleIsSymmetrical settles random items of one key in every order.
func TestSettleIsSymmetrical(t *testing.T) {
	for seed := range uint64(500) {
		g := newGen(seed)
		items := []memfile.Item{g.Item(), g.Item(), g.Item()}
		for i := range items {
			items[i].Key, items[i].Tags, items[i].Extra, items[i].Paths = "a.b", nil, nil, nil
		}
		first := SameKey(items)
		for _, order := range [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			again := SameKey([]memfile.Item{items[order[0]], items[order[1]], items[order[2]]})
			if !memfile.SameItem(first, again) {
				t.Fatalf("seed %d, order %v:\n%s\n%s", seed, order, memfile.RenderItem(first), memfile.RenderItem(again))
			}
		}
		for i, r := range first.Conflict {
			if memfile.Equal(r.Value, first.Value) || i > 0 && first.Conflict[i-1].Value.Canonical() >= r.Value.Canonical() {
				t.Fatalf("seed %d: rivals are not each once and sorted:\n%s", seed, memfile.RenderItem(first))
			}
		}
	}
}
