package memory

import (
	"context"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Bound withholds from agents what other scopes of the session decide. One part is what
// an agent wrote in the private or the user scope and the project's tombstones bind, as
// forgotten: written while they were not there, as on a branch without memory, it would
// stand where the same write is refused. The other is an agent's value of a key of which
// a person's value applies in this session, as outranked. What a person said or confirmed
// is not bound. The other scopes are read when the first item asks for them.
type Bound struct {
	ctx       context.Context
	ss        *store.Stores
	guarded   bool
	none      bool // nothing of the project may be read, or it was read, and nothing was forgotten
	said      *contents.Forgotten
	outranked map[session.Ref]session.Offer // nil before it was asked for
}

// Bindings begins it; guarded is for a hook, which reads nothing of a project that is not
// trusted.
func Bindings(ctx context.Context, ss *store.Stores, guarded bool) *Bound {
	b := &Bound{ctx: ctx, ss: ss, guarded: guarded}
	b.none = !slices.Contains(ss.Scopes(), store.Project) || guarded && !ss.Trusted(ctx)
	return b
}

// Forgotten is what was forgotten in the project, nil for nothing.
func (b *Bound) Forgotten() (*contents.Forgotten, error) {
	if b.none || b.said != nil {
		return b.said, nil
	}
	st, err := b.ss.Get(b.ctx, store.Project)
	if err != nil {
		return nil, err
	}
	if tombs, err := contents.Tombstones(b.ctx, st); err != nil || len(tombs) == 0 {
		b.none = err == nil
		return nil, err
	}
	b.said, err = contents.ReadForgotten(b.ctx, st)
	return b.said, err
}

// OwnScope reports whether a project's tombstones count for a scope.
func OwnScope(scope string) bool { return scope == store.Private || scope == store.User }

// OwnWord is whose word something is that a person has brought back or locked: in their
// private or user scope their own, since what a project's tombstones bind there is an
// agent's; elsewhere whose it was.
func OwnWord(by, scope string) string {
	if OwnScope(scope) {
		return ""
	}
	return by
}

// StillBinds says of a key or an id that a person's act has left as an agent's word that it stays
// withheld, and how it is shown; nothing where it does not, or the project cannot be read.
func (b *Bound) StillBinds(st *store.Store, out txn.Outcome, name string) (notes []string) {
	if b.none || !OwnScope(st.Scope) || !out.Changed {
		return nil
	}
	i := Find(&out.After, name)
	is := i >= 0 && b.Item(st.Scope, out.After.Items[i])
	for _, c := range out.Files {
		e := entry.In(c.Path, c.After)
		if place, _ := entry.ParsePath(c.Path); e != nil && !place.Deleted && ShortID(e.ID) == name {
			is = is || b.Entry(st.Scope, *e)
		}
	}
	if !is {
		return nil
	}
	name = policy.Inert(name)
	return []string{Quoted(name) + ": stays withheld, because an agent wrote it and the project has forgotten it; `memctl confirm " + name + " --scope " + st.Scope + "` makes it yours"}
}

// Item reports whether an item of a scope is bound; not where the project cannot be read.
func (b *Bound) Item(scope string, it memfile.Item) bool {
	if b.none || !OwnScope(scope) || it.By == "" {
		return false
	}
	said, err := b.Forgotten()
	return err == nil && said != nil && said.Item(it)
}

// Entry is item for an entry.
func (b *Bound) Entry(scope string, e entry.Entry) bool {
	if b.none || !OwnScope(scope) || e.By == "" {
		return false
	}
	said, err := b.Forgotten()
	return err == nil && said != nil && said.Entry(e)
}

// Memory is the memory with what is bound withheld; the same where nothing is.
func (b *Bound) Memory(m *contents.Memory) (*contents.Memory, error) {
	m, err := b.withoutForgotten(m)
	if err != nil {
		return m, err
	}
	return b.withoutOutranked(m), nil
}

// withoutForgotten is memory for what the project's tombstones bind.
func (b *Bound) withoutForgotten(m *contents.Memory) (*contents.Memory, error) {
	if b.none || !OwnScope(m.Store.Scope) {
		return m, nil
	}
	var items []contents.Item
	for i, it := range m.Items {
		if it.By == "" || slices.Contains(it.Withheld, contents.RuleForgotten) {
			continue
		}
		said, err := b.Forgotten()
		if said == nil || err != nil {
			return m, err
		}
		if !said.Item(it.Item) {
			continue
		}
		if items == nil {
			items = slices.Clone(m.Items)
		}
		items[i].Bound = true
		items[i].Withheld = append(slices.Clip(it.Withheld), contents.RuleForgotten)
	}
	if items == nil {
		return m, nil
	}
	other := *m
	other.Items = items
	return &other, nil
}

// Memories is memory for each of a list.
func (b *Bound) Memories(list []*contents.Memory) ([]*contents.Memory, error) {
	for i, m := range list {
		other, err := b.Memory(m)
		if err != nil {
			return nil, err
		}
		if other != m {
			list = slices.Clone(list)
			list[i] = other
		}
	}
	return list, nil
}

// Entries withholds those of a scope's entries that are bound.
func (b *Bound) Entries(list []contents.Entry) error {
	for i := range list {
		e := &list[i]
		if b.none || !OwnScope(e.Scope) || e.By == "" || slices.Contains(e.Withheld, contents.RuleForgotten) {
			continue
		}
		said, err := b.Forgotten()
		if said == nil || err != nil {
			return err
		}
		if said.Entry(e.Entry) {
			e.Withheld, e.Bound = append(slices.Clip(e.Withheld), contents.RuleForgotten), true
		}
	}
	return nil
}
