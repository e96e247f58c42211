package edit

import (
	"cmp"
	"context"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// target is the store of the write. A file that a person imports goes where their own writes go.
func (c *candidate) target(key, text string) (*store.Store, error) {
	o := c.Options
	if c.importer != nil {
		o.Origin = *c.importer
	}
	if o.Scope == "" && o.Explicit() && !c.isItem() {
		o.Scope = c.entryScope()
	}
	return memory.Target(c.ctx, c.ss, key, text, o)
}

// entryScope is the scope of a person's entry, if more than the branch decides: a note is private where there is a remote. A
// fact stays where it is, or goes where the fact is that it replaces. "" leaves it to the branch.
func (c *candidate) entryScope() string {
	if c.Role == entry.RoleNote && !c.ss.IsSingleStore() && memory.PrivateHere(c.ctx, c.ss) {
		return store.Private
	}
	id := cmp.Or(c.Replace, c.e.ID)
	if c.Role != entry.RoleFact || id == "" {
		return ""
	}
	if c.importer != nil {
		return c.scopes[id]
	}
	st, _, err := view.EntryByID(c.ctx, c.ss, "", id)
	if st == nil || err != nil {
		return "" // the write itself says what is wrong with the id
	}
	return st.Scope
}

// isKeptOffBranch reports whether a person's new memory is private only because another branch than the default one is checked
// out.
func (c *candidate) isKeptOffBranch() bool {
	return c.st.Scope == store.Private && c.Scope == "" && c.Explicit() && !c.known && c.Role != entry.RoleNote && memory.AwayFromDefault(c.ctx, c.ss)
}

// placed adds to the end of an answer, such as " (undo: memctl undo)", in which scope the act was, where there are several for it.
func placed(ctx context.Context, o memory.Options, st *store.Store, end string) string {
	where := map[string]string{store.User: "in all your repositories", store.Private: "private to this repository"}[st.Scope]
	if st.Scope == store.Project && o.Explicit() && memory.PrivateHere(ctx, st.Stores) {
		if where = "in the project"; memory.AwayFromDefault(ctx, st.Stores) {
			where += ", on this branch"
		}
	}
	switch {
	case where == "":
		return end
	case end == "":
		return " (" + where + ")"
	}
	return " (" + where + "; " + strings.TrimPrefix(end, " (")
}
