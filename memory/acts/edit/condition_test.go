package edit_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

// shownItem is the item of the list of all items, as a door shows it.
func shownItem(b *memorytest.Bench, key, scope string) view.Record {
	b.T.Helper()
	list, err := view.List(b.T.Context(), b.Open(), contents.Person, view.Query{Scope: scope, Tier: view.Item})
	for _, r := range list.Records {
		if r.Key == key {
			return r
		}
	}
	b.T.Fatalf("%s is not there: %v", key, err)
	return view.Record{}
}

func TestActsExpectTheRecordThatWasShown(t *testing.T) {
	acts := map[string]func(b *memorytest.Bench, o memory.Options) (memory.Write, error){
		"confirm": func(b *memorytest.Bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Confirm(b.T.Context(), b.Open(), edit.ConfirmRequest{Options: o, Keys: []string{"e.f"}}))
		},
		"forget": func(b *memorytest.Bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Forget(b.T.Context(), b.Open(), edit.ForgetRequest{Options: o, Targets: []string{"e.f"}}))
		},
		"add": func(b *memorytest.Bench, o memory.Options) (memory.Write, error) {
			return edit.Add(b.T.Context(), b.Open(), edit.Request{Options: o, Key: "e.f", Value: memfile.Str("use loud words")})
		},
		"move": func(b *memorytest.Bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Move(b.T.Context(), b.Open(), edit.MoveRequest{Options: o, Keys: []string{"e.f"}, To: store.Private}))
		},
		"a fact": func(b *memorytest.Bench, o memory.Options) (memory.Write, error) {
			return edit.Add(b.T.Context(), b.Open(), edit.Request{Options: o, Role: entry.RoleFact, Text: "The tests need an account."})
		},
	}
	changes := map[string]func(b *memorytest.Bench){
		"another value": func(b *memorytest.Bench) { addTo(b, store.Project, "e.f", "use other words") },
		"a label":       func(b *memorytest.Bench) { lock(b, "e.f") },
		"forgotten":     func(b *memorytest.Bench) { forgetIn(b, store.Project, "e.f") },
		"unchanged":     func(b *memorytest.Bench) {},
	}
	for act, do := range acts {
		for change, make := range changes {
			t.Run(act+", "+change, func(t *testing.T) {
				b := memorytest.Repository(t, memfile.Template)
				relay(b, store.Project, "e.f", "use calm words")
				o := memorytest.From(memory.Explicit)
				o.Scope, o.Expected = store.Project, []memory.Condition{shownItem(b, "e.f", "").Unchanged()}
				make(b)
				before := b.Memory()
				w, err := do(b, o)
				switch wrong := err != nil || w.Changed == (b.Memory() == before) && act != "a fact"; {
				case wrong:
					t.Errorf("%+v, %v", w, err)
				case change == "unchanged" && !w.Changed:
					t.Errorf("refused: %+v", w)
				case change != "unchanged" && w.Verdict != "refuse" && w.Why != "nothing changed":
					t.Errorf("it was done: %+v", w)
				}
				if where := whereIs(b, "e.f"); change == "a label" && where != store.Project {
					t.Errorf("it is in %s", where)
				}
			})
		}
	}
}
