// Package sharing hands memory on: export, sync with a remote, and the commands on the shared index in PostgreSQL, where
// files stay the truth.
package sharing

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// patience is how long a command on the shared index waits for a connection.
const patience = 10 * time.Second

// PushRequest says what to push.
type PushRequest struct {
	memory.Options
	Dial     postgres.Dial
	Scopes   []string              // none: the project alone
	Progress func(done, total int) // nil for nobody
	Talk     func(note fault.Note) // while it runs
}

// PushResult is what a push did.
type PushResult struct {
	Server string       `json:"server"`
	Stores []PushedView `json:"stores"`
	Pulled *PullResult  `json:"pulled,omitempty"` // see Pull, which a push ends with
	fault.Noted
}

// AddNoteCodes fills in NoteCodes, also of the parts.
func (r *PushResult) AddNoteCodes() {
	r.Noted.AddNoteCodes()
	if r.Pulled != nil {
		r.Pulled.AddNoteCodes()
	}
	for i := range r.Stores {
		r.Stores[i].AddNoteCodes()
	}
}

// PushedView is what became of one store.
type PushedView struct {
	Scope      string `json:"scope"`
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Readers    string `json:"readers"` // group or owner
	postgres.Pushed
	Why string `json:"why"` // "" or "dry run"
	fault.Noted
}

// Push sends what changed in the stores to the server. Errors: fault.NoPostgres, fault.Postgres, fault.Scope;
// explicit-only for an agent.
func Push(ctx context.Context, ss *store.Stores, req PushRequest) (PushResult, error) {
	res := PushResult{Stores: []PushedView{}, Noted: fault.Noted{Notes: []fault.Note{}}}
	if err := req.Permit("index", memory.StateAbsent, "memctl index push"); err != nil {
		return res, memory.AsError("", err)
	}
	scopes := req.Scopes
	if len(scopes) == 0 {
		scopes = []string{store.Project}
	}
	server, err := briefing.ConnectShared(ctx, ss, req.Dial, patience)
	if err != nil {
		return res, err
	}
	defer server.Close()
	res.Server = server.Address()
	if !ss.DryRun() {
		if err := server.Migrate(ctx); err != nil {
			return res, err
		}
	}
	for _, scope := range scopes {
		view, err := push(ctx, ss, server, scope, req)
		if err != nil {
			return res, err
		}
		res.Stores = append(res.Stores, view)
	}
	if ss.DryRun() {
		return res, nil
	}
	back, err := pull(ctx, ss, server)
	if err != nil {
		res.Notes = append(res.Notes, fault.NewNote("skills-copy-stale", "the copy of skills on this machine was not renewed: "+err.Error()))
		return res, nil
	}
	res.Pulled = &back
	return res, nil
}

// push sends one store.
func push(ctx context.Context, ss *store.Stores, server postgres.Server, scope string, req PushRequest) (view PushedView, err error) {
	target, err := briefing.SharedTarget(ctx, ss, scope)
	if err != nil {
		return view, err
	}
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return view, err
	}
	commit := head(st)
	if err := refuseIncomplete(ctx, server, st, target, commit); err != nil {
		return view, err
	}
	lib, err := briefing.Library(ctx, ss, st, req.Progress)
	if err != nil {
		return view, err
	}
	defer lib.Close()
	docs, err := briefing.SharedDocs(ctx, st, lib)
	if err != nil {
		return view, err
	}
	model, embed, err := briefing.SharedEmbedder(ctx, ss)
	if err != nil {
		return view, err
	}
	extras, notes := extrasOf(ctx, st, commit)
	out, err := server.Push(ctx, postgres.PushRequest{
		Target: target, Replaced: replacedRoots(st, target), Commit: commit, Docs: docs, Extras: extras, DryRun: ss.DryRun(), Progress: req.Progress,
		Embed: embed, Model: model, Waiting: func() { req.Talk(fault.NewNote("push-waits", "another push of this store is running; waiting for it")) },
	})
	view = PushedView{Scope: scope, Repository: target.Name, Commit: commit, Readers: "owner", Pushed: out, Noted: fault.Noted{Notes: append([]fault.Note{}, notes...)}}
	if out.Shared {
		view.Readers = "group"
	} else if scope == store.Project {
		view.Notes = append(view.Notes, fault.NewNote("no-readers", "no group reads this repository yet, so only you can find these rows"))
	}
	if ss.DryRun() {
		view.Why = "dry run"
	} else if err == nil {
		briefing.NotePushed(st, true, commit)
	}
	return view, err
}

// refuseIncomplete refuses a push that would take rows from the others because this machine has less: the memory file is
// away or damaged, or HEAD does not have the commit that was pushed last. Errors: fault.Postgres; fault.Damaged.
func refuseIncomplete(ctx context.Context, server postgres.Server, st *store.Store, target postgres.Target, commit string) error {
	m, err := contents.Read(ctx, st)
	if err != nil {
		return err
	}
	if txn.Absent(ctx, m) {
		return &fault.Error{Code: fault.Postgres, Thing: st.Name(), Hints: []string{"memctl doctor"}, Cause: "the memory file is in git but not on disk, so a push would remove your memory from the shared index"}
	}
	if m.Salvaged {
		return fault.New(fault.Damaged, st.Name(), "is damaged, so a push would remove what cannot be read")
	}
	version, err := server.Version(ctx)
	if err != nil || version != postgres.NewestVersion() {
		return err // nothing was pushed yet, or Migrate said what is wrong
	}
	pushed, err := server.Find(ctx, target)
	if err != nil || pushed == nil || !pushed.Writable || pushed.Commit == "" || st.Repo == nil || commit == "" {
		return err // the server refuses a push of what is not writable
	}
	if pushed.Commit == commit || object.IsAncestor(ctx, st.Repo, pushed.Commit, commit) {
		return nil
	}
	if now, ok := localstate.Replaced(st).Now(pushed.Commit); ok && (now == "" || object.IsAncestor(ctx, st.Repo, now, commit)) {
		return nil
	}
	if first, err := st.Repo.Git(ctx, gitops.Call{Args: []string{"rev-parse", "--is-shallow-repository"}}); err == nil && strings.TrimSpace(string(first)) == "true" {
		return briefing.Shallow()
	}
	return &fault.Error{Code: fault.Postgres, Thing: target.Name, Scope: st.Scope, Why: postgres.WhyBehind, Hints: []string{"git pull", "memctl index drop --scope " + st.Scope + " # if this branch shall be the shared one"}, Cause: "the shared index has commit " + pushed.Commit[:min(8, len(pushed.Commit))] + ", which this branch does not have, so a push would take newer memory from everyone"}
}

// replacedRoots are the first commits that the store had before a purge or git filter-repo. The server may know it by them.
func replacedRoots(st *store.Store, target postgres.Target) []string {
	if target.Root == "" {
		return nil
	}
	return localstate.Replaced(st).Before(target.Root)
}

// head is the commit that the store's branch is at; "" where there is none.
func head(st *store.Store) string {
	if st.Repo == nil {
		return ""
	}
	state, err := st.Repo.State()
	if err != nil {
		return ""
	}
	return state.Head
}

// StatusResult is what the server has.
type StatusResult struct {
	Server  string      `json:"server"`
	Version int         `json:"version"` // of the tables; 0 where there are none
	Newest  int         `json:"newest"`  // that this memctl knows
	Search  string      `json:"search"`  // "text", or "text and vectors"
	Stores  []StoreView `json:"stores"`
	Copy    *CopyView   `json:"copy,omitempty"` // on this machine: see Pull
}

// StoreView is a store on the server.
type StoreView struct {
	postgres.Store
	Here   bool   `json:"here"` // it is a store of this session
	Pushed string `json:"pushed"`
}

// Status lists the stores that the person may read, those of this folder first. Errors: fault.NoPostgres, fault.Postgres.
func Status(ctx context.Context, ss *store.Stores, dial postgres.Dial) (StatusResult, error) {
	res := StatusResult{Newest: postgres.NewestVersion(), Search: "text", Stores: []StoreView{}}
	server, err := briefing.ConnectShared(ctx, ss, dial, patience)
	if err != nil {
		return res, err
	}
	defer server.Close()
	res.Server = server.Address()
	if res.Version, err = server.Version(ctx); err != nil || res.Version == 0 {
		return res, err
	}
	if err := server.CheckSchema(ctx); err != nil {
		return res, err
	}
	list, err := server.Stores(ctx)
	if err != nil {
		return res, err
	}
	if has, err := server.HasVectors(ctx); err != nil {
		return res, err
	} else if has {
		res.Search = "text and vectors"
	}
	here := map[postgres.Target]bool{}
	for _, scope := range ss.Scopes() {
		if t, err := briefing.SharedTarget(ctx, ss, scope); err == nil {
			here[key(t)] = true
		}
	}
	for _, s := range list {
		v := StoreView{Store: s}
		if !s.Pushed.IsZero() {
			v.Pushed = s.Pushed.UTC().Format(time.RFC3339)
		}
		v.Here = here[key(s.Target)]
		res.Stores = append(res.Stores, v)
	}
	res.Copy = copyOf(ctx, ss)
	place := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(res.Stores, func(a, b StoreView) int { return place[a.Here] - place[b.Here] })
	return res, nil
}

// key is a target without its name, which a rename changes.
func key(t postgres.Target) postgres.Target {
	return postgres.Target{Scope: t.Scope, Root: t.Root, Remote: t.Remote}
}
