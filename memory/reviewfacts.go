package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// waitingFacts are the facts that no session starts with until a person confirms them.
func waitingFacts(ctx context.Context, ss *store.Stores, stores []*store.Store) ([]Waiting, error) {
	var list []Waiting
	bound := bindings(ctx, ss, false)
	reviewed := reviewedOnly(ctx, ss, true)
	for _, st := range stores {
		all, err := contents.ReadAllEntries(ctx, st)
		if err != nil {
			return list, err
		}
		standing := all.Live(ss.Today())
		if err := bound.entries(standing); err != nil {
			return list, err
		}
		for _, e := range standing {
			why := memfile.Low
			switch {
			case e.Tier() != entry.Fact:
				continue
			case confirmed(&e):
				src, err := contents.EntryBytes(st, e.Path)
				if reviewed == nil || st.Scope != store.Project || err != nil || reviewed.Entry(ctx, st, e.Path, src) {
					continue
				}
				why = session.WhyUnreviewed
			case slices.Contains(e.Tags, memfile.TagNeedsConfirmation):
				why = memfile.TagNeedsConfirmation
			}
			v := entryView(LiveEntry{Entry: e})
			list = append(list, Waiting{
				Key: shortID(e.ID), Tier: entry.Fact, Scope: e.Scope, Why: why, Rules: v.Withheld,
				Value: memfile.Str(v.Text), Source: v.Source, Day: dayOf(e.Time()),
			})
		}
	}
	return list, nil
}

// editFact puts what the person says in the place of a fact.
func (d Decision) editFact(ctx context.Context, ss *store.Stores) (Write, error) {
	if d.Value == nil {
		return Write{}, errors.New("review: edit without a value")
	}
	return Remember(ctx, ss, RememberRequest{Options: d.Options, Role: entry.RoleFact, Text: d.Value.Text, Replace: d.Waiting.Key})
}
