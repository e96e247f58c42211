package memory_test

import (
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
func (b *bench) shownItem(key, scope string) view.Record {
	b.t.Helper()
	list, err := view.List(b.t.Context(), b.open(), contents.Person, view.Query{Scope: scope, Tier: view.Item})
	for _, r := range list.Records {
		if r.Key == key {
			return r
		}
	}
	b.t.Fatalf("%s is not there: %v", key, err)
	return view.Record{}
}

func TestActsExpectTheRecordThatWasShown(t *testing.T) {
	acts := map[string]func(b *bench, o memory.Options) (memory.Write, error){
		"confirm": func(b *bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Confirm(b.t.Context(), b.open(), edit.ConfirmRequest{Options: o, Keys: []string{"e.f"}}))
		},
		"forget": func(b *bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Forget(b.t.Context(), b.open(), edit.ForgetRequest{Options: o, Targets: []string{"e.f"}}))
		},
		"add": func(b *bench, o memory.Options) (memory.Write, error) {
			return edit.Add(b.t.Context(), b.open(), edit.Request{Options: o, Key: "e.f", Value: memfile.Str("use loud words")})
		},
		"move": func(b *bench, o memory.Options) (memory.Write, error) {
			return memory.First(edit.Move(b.t.Context(), b.open(), edit.MoveRequest{Options: o, Keys: []string{"e.f"}, To: store.Private}))
		},
		"a fact": func(b *bench, o memory.Options) (memory.Write, error) {
			return edit.Add(b.t.Context(), b.open(), edit.Request{Options: o, Role: entry.RoleFact, Text: "The tests need an account."})
		},
	}
	changes := map[string]func(b *bench){
		"another value": func(b *bench) { b.addTo(store.Project, "e.f", "use other words") },
		"a label":       func(b *bench) { b.lock("e.f") },
		"forgotten":     func(b *bench) { b.forgetIn(store.Project, "e.f") },
		"unchanged":     func(b *bench) {},
	}
	for act, do := range acts {
		for change, make := range changes {
			t.Run(act+", "+change, func(t *testing.T) {
				b := repository(t, memfile.Template)
				b.relay(store.Project, "e.f", "use calm words")
				o := from(memory.Explicit)
				o.Scope, o.Expected = store.Project, []memory.Condition{b.shownItem("e.f", "").Unchanged()}
				make(b)
				before := b.memory()
				w, err := do(b, o)
				switch wrong := err != nil || w.Changed == (b.memory() == before) && act != "a fact"; {
				case wrong:
					t.Errorf("%+v, %v", w, err)
				case change == "unchanged" && !w.Changed:
					t.Errorf("refused: %+v", w)
				case change != "unchanged" && w.Verdict != "refuse" && w.Why != "nothing changed":
					t.Errorf("it was done: %+v", w)
				}
				if where := b.whereIs("e.f"); change == "a label" && where != store.Project {
					t.Errorf("it is in %s", where)
				}
			})
		}
	}
}
