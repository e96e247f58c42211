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

// WhoseWord returns the author of a memory that a person has restored or locked. In their
// private or user scope it is the person ("") from now on, so that the project's
// tombstones do not bind it. Elsewhere it stays the same.
func WhoseWord(by, scope string) string {
	if contents.PersonsOwn(scope) {
		return ""
	}
	return by
}

// StillBinds notes that a memory stays withheld after a person's act, because it is still an agent's word,
// and names the command that makes it the person's. It notes nothing if the project cannot be read.
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
		e := entry.ParseOrNil(c.Path, c.After)
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
