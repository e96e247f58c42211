package ledger

import (
	"context"
	"encoding/json"
	"os"

	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// Holds reports whether any field of the write has the text.
func (w Waiting) Holds(trace policy.Trace) bool {
	data, err := json.Marshal(w)
	return err == nil && trace.FoundDeep(data)
}

// ReviewOf is the command by which a person decides about a write that waits, in the
// worktree that it waits for; where that is away and locked, the one after which it waits
// in every worktree. Errors: fault.Blocked; *gitops.Error.
func ReviewOf(ctx context.Context, st *store.Store, w Waiting) (string, error) {
	if waitsHere(st, w) {
		return "memctl review", nil
	}
	at, err := st.Repo.WorktreePath(ctx, w.Worktree)
	if err != nil || at == "" {
		return "memctl review", err
	}
	word := shell.Quote(policy.Inert(at))
	if _, err := os.Stat(at); err != nil {
		return "git worktree unlock " + word, nil
	}
	return "memctl -C " + word + " review", nil
}
