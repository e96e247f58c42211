package memory

import (
	"context"
	"slices"

	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// HandedOut are the conditions under which a session is handed the memories: for a hook
// (guarded) with what `trust reviewed` withholds.
func HandedOut(ctx context.Context, ss *store.Stores, guarded bool) session.Conditions {
	// A team's file that the person does not vouch for has no say in how much of memory
	// is shown.
	team := ss.TeamOf(VouchedFiles(ctx, ss, guarded))
	on := session.Conditions{
		Today: ss.Today(), Folder: ss.Folder(), MaxBullets: team.Bullets, MaxBytes: team.Bytes, Foreign: contents.Foreign(ctx, ss),
	}
	if reviewed := ReviewedOnly(ctx, ss, guarded); reviewed != nil {
		on.Unreviewed = func(scope string, it *contents.Item) bool { return scope == store.Project && !reviewed.Item(it) }
	}
	return on
}

// VouchedFiles tests files of the project that reach a hook (guarded): none where the
// repository is not trusted, what is reviewed where the person trusts only that. nil
// where every file counts.
func VouchedFiles(ctx context.Context, ss *store.Stores, guarded bool) func(name string, data []byte) bool {
	if !guarded || ss.TrustLevel(ctx) == store.TrustAll {
		return nil
	}
	reviewed := ReviewedOnly(ctx, ss, guarded)
	return func(name string, data []byte) bool { return reviewed != nil && reviewed.File(ctx, name, data) }
}

// Outranks returns, for every item that a person's value of the same key in another scope
// keeps from agents, the person's. A scope that cannot be read has no say.
func (b *Bound) Outranks() map[session.Ref]session.Offer {
	if b.outranked != nil {
		return b.outranked
	}
	var all []*contents.Memory
	for _, scope := range b.ss.Scopes() {
		if scope == store.Project && b.guarded && !b.ss.Trusted(b.ctx) {
			continue
		}
		st, err := b.ss.Get(b.ctx, scope)
		if err != nil {
			continue
		}
		m, err := contents.Read(b.ctx, st)
		if err != nil || !m.Exists {
			continue
		}
		if m, err = b.withoutForgotten(m); err == nil {
			all = append(all, m)
		}
	}
	b.outranked = map[session.Ref]session.Offer{}
	if len(all) > 1 {
		b.outranked = session.Outranked(all, HandedOut(b.ctx, b.ss, b.guarded))
	}
	return b.outranked
}

// withoutOutranked is the memory with what a person's value in another scope outranks
// withheld; the same where that is nothing.
func (b *Bound) withoutOutranked(m *contents.Memory) *contents.Memory {
	agents := func(it contents.Item) bool { return !it.Stated() }
	if m.Store.Scope != store.Project && !slices.ContainsFunc(m.Items, agents) {
		return m // a person's own items give way to nobody, so no other scope is read
	}
	var items []contents.Item
	for i, it := range m.Items {
		if _, ok := b.Outranks()[session.Ref{Scope: m.Store.Scope, Key: it.Key}]; !ok {
			continue
		}
		if items == nil {
			items = slices.Clone(m.Items)
		}
		items[i].Withheld = append(slices.Clip(it.Withheld), session.WhyOutranked)
	}
	if items == nil {
		return m
	}
	other := *m
	other.Items = items
	return &other
}
