package memory

import (
	"context"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/policy"
)

// WhoseWord is whose word something is that a person has brought back or locked: in their
// private or user scope their own, since what a project's tombstones bind there is an
// agent's; elsewhere whose it was.
func WhoseWord(by, scope string) string {
	if contents.PersonsOwn(scope) {
		return ""
	}
	return by
}

// StillBinds says of a key or an id that a person's act has left as an agent's word that it stays
// withheld, and how it is shown; nothing where it does not, or the project cannot be read.
func StillBinds(ctx context.Context, out txn.Outcome, st *store.Store, name string) []fault.Note {
	if !contents.PersonsOwn(st.Scope) || !out.Changed {
		return nil
	}
	v := contents.NewView(ctx, st.Stores, contents.Person)
	is := false
	if i := Find(&out.After, name); i >= 0 {
		is, _ = v.BindsItem(st.Scope, out.After.Items[i])
	}
	for _, c := range out.Files {
		e := entry.In(c.Path, c.After)
		if place, _ := entry.ParsePath(c.Path); e != nil && !place.Deleted && ShortID(e.ID) == name {
			bound, _ := v.BindsEntry(st.Scope, *e)
			is = is || bound
		}
	}
	if !is {
		return nil
	}
	name = policy.Inert(name)
	return []fault.Note{fault.NewNote("still-withheld", Quoted(name)+": stays withheld, because an agent wrote it and the project has forgotten it; `memctl confirm "+name+" --scope "+st.Scope+"` makes it yours")}
}
