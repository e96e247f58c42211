package sharing

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/exchange"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// SyncRequest is one `sync`. Scope "" takes every store of the person's own
// that has a remote.
type SyncRequest struct {
	memory.Options
	Remote   string    // a new address for the scope's remote; "" keeps the one that is set
	Ask      bool      // git and ssh may ask at this terminal
	Progress io.Writer // takes git's own progress; nil for none
}

// SyncResult is what became of each store.
type SyncResult struct {
	Scopes []SyncedView `json:"scopes"`
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *SyncResult) AddNoteCodes() {
	for i := range r.Scopes {
		r.Scopes[i].AddNoteCodes()
	}
}

// SyncedView is one store's exchange with its remote.
type SyncedView struct {
	Scope            string   `json:"scope"`
	Path             string   `json:"path"`
	Remote           string   `json:"remote"` // without credentials
	Branch           string   `json:"branch"`
	Taken            int      `json:"taken_count"` // commits
	Sent             int      `json:"sent_count"`
	memory.Committed          // of the merge, where one was needed
	Hints            []string `json:"hints,omitempty"` // commands to paste
}

const syncToUser = "memctl sync --scope user --remote URL"

// whyByGit is why a project is not synced.
const whyByGit = "carried by git"

// Sync exchanges the private and the user store with their remotes. What a
// project remembers goes with its commits, so there it only names the commands.
// After an error the result holds what was done until then.
func Sync(ctx context.Context, ss *store.Stores, req SyncRequest) (SyncResult, error) {
	res := SyncResult{Scopes: []SyncedView{}}
	if req.Remote != "" {
		if err := req.Permit("sync --remote", memory.StateAbsent, syncToUser); err != nil {
			return res, memory.AsError("", err)
		}
	}
	stores, err := req.stores(ctx, ss)
	if err != nil {
		return res, err
	}
	var failed error
	for _, st := range stores {
		view, err := req.exchange(ctx, st)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		res.Scopes = append(res.Scopes, view)
	}
	return res, failed
}

// stores are those that the request is about.
func (req SyncRequest) stores(ctx context.Context, ss *store.Stores) ([]*store.Store, error) {
	scope := req.Scope
	if scope == "" && ss.IsSingleStore() {
		scope = store.Only
	}
	if scope != "" {
		st, err := ss.Get(ctx, scope)
		return []*store.Store{st}, err
	}
	if req.Remote != "" {
		return nil, &fault.Error{Code: memory.RuleScope, Status: 2, Cause: "--remote needs --scope user or --scope private", Hints: []string{syncToUser, "memctl sync --scope private --remote URL"}}
	}
	list, err := memory.StoresOf(ctx, ss, "")
	list = slices.DeleteFunc(list, func(st *store.Store) bool { return st.Scope == store.Project || exchange.Remote(ctx, st) == "" })
	if err == nil && len(list) == 0 {
		err = exchange.NoRemote(store.User)
	}
	return list, err
}

// exchange syncs one store.
func (req SyncRequest) exchange(ctx context.Context, st *store.Store) (SyncedView, error) {
	view := SyncedView{Scope: st.Scope, Path: st.Path()}
	if st.Scope == store.Project || st.Scope == store.Only {
		if req.Remote != "" {
			return view, fault.New(fault.Scope, st.Scope, "project memory uses the remote of the repository: git remote add origin URL")
		}
		view.Why, view.Hints = whyByGit, []string{"git pull", "git push"}
		if st.Repo == nil {
			view.Hints = []string{"git init"}
		}
		return view, nil
	}
	if err := memory.RuleOnMessage(st, req.Message); err != nil {
		return view, memory.AsError("sync", err)
	}
	out, err := exchange.Sync(ctx, st, exchange.Request{
		Remote: req.Remote, Message: req.Message, ForAgent: !req.Explicit(), Wait: req.Wait(),
		Network: remotes.Network{Ask: req.Ask, Progress: req.Progress},
	})
	if err != nil {
		return view, &fault.Error{Code: fault.Sync, Scope: st.Scope, Err: err}
	}
	view.Path = st.Path() // a store that was made by this has one now
	view.Remote, view.Branch, view.Taken, view.Sent = out.Remote, out.Branch, out.Taken, out.Sent
	view.Take(txn.Outcome{Commit: out.Commit, Why: out.Why, Diff: out.Diff, Notes: slices.Compact(out.Notes)})
	return view, nil
}
