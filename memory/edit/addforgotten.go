package edit

import (
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// notForgotten checks the tombstones of every scope: what was forgotten in one
// does not come back through another.
func (a *adding) notForgotten(doc *memfile.Document) error {
	forgotten := memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", addFacts(a.Key, a.Value, a.Asked()))
	if contents.Tombstone(*doc, a.Key) != nil {
		return forgotten
	}
	stores, err := memory.StoresOf(a.ctx, a.ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		others, err := a.tombstones(st, doc)
		if err != nil {
			return err
		}
		if contents.Tombstone(others, a.Key) != nil {
			return forgotten
		}
		key, found, err := contents.ForgottenValue(st, others, a.Value, append(slices.Clone(a.Tags), a.source())...)
		if err != nil {
			return err
		}
		if found && key != "" && key != a.Key {
			forgotten.Findings[0].Message = "this was forgotten, as " + policy.Inert(memory.Redacted(key)) + ": only a person can restore it"
		}
		if found {
			return forgotten
		}
	}
	return nil
}

// tombstones are those of a store; of the act's own, those of the document that it changes.
func (a *adding) tombstones(st *store.Store, doc *memfile.Document) (memfile.Document, error) {
	m, err := contents.Read(a.ctx, st)
	if err != nil {
		return memfile.Document{}, err
	}
	if st.Scope == a.st.Scope && m.Exists {
		return *doc, nil
	}
	list, err := m.Tombstones(a.ctx)
	return memfile.Document{Deletions: list}, err
}
