// Package setup holds the acts that say how memory is used here: init, leave, trust, accept, the
// switches and settings, and what is known of the person and of their projects.
package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// Init makes a scope's memory file and commits it, and lets this repository's
// memory reach agents. Where there is a memory file already it commits
// nothing, and sets trust only when a person at a terminal says yes.
func Init(ctx context.Context, ss *store.Stores, req InitRequest) (InitResult, error) {
	res := InitResult{Committed: memory.Committed{Noted: fault.Noted{Notes: []fault.Note{}}}}
	st, err := initStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	if err := memory.RuleOnMessage(st, req.Message); err != nil {
		return res, memory.AsError("init", err)
	}
	out, err := txn.Update(ctx, st, txn.Write{
		Act: "init", Message: req.Message, Clean: !req.Explicit(), Wait: req.Wait(), Create: true,
	})
	if fault.Is(err, fault.Damaged) {
		err = nil
		res.Notes = append(res.Notes, fault.NewNote("damaged", "there is a memory file, and it is damaged: memctl recover"))
	}
	if err != nil {
		return res, err
	}
	res.Take(out)
	res.Created, res.Path = out.Changed, st.Path()
	if res.Created && st.Scope == store.Project && st.Repo != nil && !st.DryRun() {
		if err := ss.NoteInit(); err != nil {
			res.Notes = append(res.Notes, fault.NewNote("branch-unknown", "the name of this branch could not be kept: "+err.Error()))
		}
	}
	if !out.Changed && res.Why != txn.WhyDryRun {
		res.Why, res.Notes = "there is a memory file already", append(res.Notes, ss.NoteNoIdentity(ctx)...)
	}
	res.Notes = append(res.Notes, offers(st)...)
	res.setMergeDriver(ctx, st)
	res.trust(ctx, ss, req, st)
	res.AutoScope, err = memory.AutoScope(ctx, ss)
	return res, err
}

// setMergeDriver makes git merge the store's files by meaning. It is no fault of
// init where that cannot be: git merges them as text then.
func (res *InitResult) setMergeDriver(ctx context.Context, st *store.Store) {
	if st.Repo == nil || st.DryRun() {
		return
	}
	var err error
	if res.MergeDriver, err = remotes.InstallMergeDriver(ctx, st.Repo); err != nil {
		res.Notes = append(res.Notes, store.MergedAsText("here", err))
	}
}

// Legacy is the file of other tools' memory that init and doctor offer to bring
// in.
const Legacy = "MEMORY.md"

// offers names what stands beside the memory file and could be brought in.
func offers(st *store.Store) []fault.Note {
	info, err := os.Lstat(filepath.Join(st.Dir, Legacy))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []fault.Note{fault.NewNote("legacy-memory", "there is a "+Legacy+" next to it: memctl import "+Legacy+" imports it")}
}

// initStore is the session's own store unless a scope is named.
func initStore(ctx context.Context, ss *store.Stores, scope string) (*store.Store, error) {
	if scope == "" {
		return ss.Session(ctx)
	}
	return ss.Get(ctx, scope)
}

// trust lets the project's memory reach agents' hooks: because a person made
// it here, or because one at a terminal says so.
func (res *InitResult) trust(ctx context.Context, ss *store.Stores, req InitRequest, st *store.Store) {
	switch {
	case st.Scope != store.Project || st.Repo == nil:
		return
	case ss.Trusted(ctx):
		res.Trusted = true
		return
	case !req.Explicit():
		res.Notes = append(res.Notes, fault.NewNote("not-trusted", "not trusted yet: a person runs memctl trust to let this memory reach agents' hooks"))
		return
	case res.Created:
	case req.Ask != nil && req.Ask(fmt.Sprintf("Let the memory in %s reach your coding agents?", st.Name())):
	default:
		res.Notes = append(res.Notes, fault.NewNote("not-trusted", "not trusted: this memory came with the repository; run memctl trust to let it reach agents' hooks"))
		return
	}
	if err := ss.SetTrustLevel(ctx, store.TrustAll); err != nil {
		res.Notes = append(res.Notes, fault.NewNote("trust-failed", "trust could not be recorded: "+err.Error()))
		return
	}
	res.Trusted = true
}

// InitRequest is one `init`. Ask puts a yes/no question to a person at a terminal; nil where there is none.
type InitRequest struct {
	memory.Options
	Ask func(question string) bool
}

// InitResult is what `init` did.
type InitResult struct {
	Scope     string `json:"scope"`
	Path      string `json:"path"`
	Created   bool   `json:"created"`
	Trusted   bool   `json:"trusted"`
	AutoScope string `json:"auto_scope"` // where automatic writes go now
	// MergeDriver: git was told to merge memory by meaning here; false where it knew.
	MergeDriver bool `json:"merge_driver"`
	memory.Committed
}
