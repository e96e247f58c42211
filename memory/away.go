package memory

import (
	"context"
	"strings"

	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Away is what an act says of a memory file that is not on disk where git has it: the
// session's own, or that of another scope. nil where there is none.
func Away(ctx context.Context, ss *store.Stores, only string) *txn.MissingError {
	stores, err := storesOf(ctx, ss, only)
	if err != nil {
		return nil
	}
	for _, st := range stores {
		if m, err := contents.Read(ctx, st); err == nil && txn.Away(ctx, m) {
			return txn.Missing(ctx, st)
		}
	}
	return nil
}

// awayNote is Away for an agent, of one store: it is a person who brings the file back.
func awayNote(ctx context.Context, m *contents.Memory) []string {
	if !txn.Away(ctx, m) {
		return nil
	}
	missing := txn.Missing(ctx, m.Store)
	return []string{missing.Error() + "; a person brings it back with `" + missing.Back + "`"}
}

// damagedNote says of a store's memory that it is what can be read of a damaged file; nil
// where the file is sound.
func damagedNote(m *contents.Memory) []string {
	if !m.Salvaged {
		return nil
	}
	return []string{quoted(m.Store.Name()) + ": is damaged; this is what can be read of it; a person mends it with `" + m.Mend + ScopeFlag(m.Store.Scope) + "`"}
}

// Page is the name of the project's memories.md where that is somebody's page, which no
// memory is read from or written to; "" where it is none.
func Page(ctx context.Context, ss *store.Stores) string {
	if m, err := projectMemory(ctx, ss); err == nil && m != nil && m.Foreign {
		return m.Store.Name()
	}
	return ""
}

// sayAway tells the person of such a file where only reading is asked for.
func sayAway(ctx context.Context, ss *store.Stores, only string) {
	if missing := Away(ctx, ss, only); missing != nil {
		ss.Talk("warning: " + missing.Error())
		ss.Talk("hint: " + missing.Back)
	}
}

// whereTo names a scope that is not the project's, and where nobody asked for it, what
// the project's memory file is that this branch has not.
func whereTo(ctx context.Context, ss *store.Stores, o Options, key, scope string) []string {
	notes := whereItWent(scope)
	if o.Scope == "" && scope == store.User && !o.automatic() && ss.Repo() != nil && !strings.HasPrefix(key, userPrefix) {
		if said := txn.Elsewhere(ctx, ss); said != "" {
			notes = append(notes, said)
		}
	}
	return append(notes, reach(ctx, ss, o, key, scope)...)
}
