package shared

import (
	"cmp"
	"context"
	"strconv"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store"
)

// DropRequest says what to remove.
type DropRequest struct {
	memory.Options
	Dial   postgres.Dial
	Scope  string // "": the project
	Commit string // or its beginning: the person's store of the scope that was pushed at it; "": the store of this folder
	All    bool   // the whole schema
	Ask    func(question string) bool
}

// DropResult is what was removed.
type DropResult struct {
	Schema     int    `json:"schema"`
	Server     string `json:"server"`
	Repository string `json:"repository"` // "" for the schema
	Scope      string `json:"scope"`
	Chunks     int64  `json:"chunks"`
	Changed    bool   `json:"changed"`
	Why        string `json:"why"` // why nothing changed: "", "dry run", "not confirmed", "nothing changed"
}

// Drop removes a store's rows, or the whole schema, from the server. A person says yes at a terminal first, or with
// Options.Yes. Errors: explicit-only; no-terminal; fault.NoPostgres, fault.Postgres.
func Drop(ctx context.Context, ss *store.Stores, req DropRequest) (DropResult, error) {
	res := DropResult{Schema: memory.SchemaNumber}
	if req.Origin.Kind != memory.Explicit {
		return res, onlyPerson("drop")
	}
	server, err := briefing.ConnectShared(ctx, ss, req.Dial, patience)
	if err != nil {
		return res, err
	}
	defer server.Close()
	res.Server = server.Address()
	refused := &fault.Error{Code: "no-terminal", Status: 1, Cause: "only a person at a terminal can remove rows from the shared index", Why: "index", Scope: cmp.Or(req.Scope, store.Project), Names: []string{req.Commit}}
	if req.All {
		refused.Why = "index-all"
	}
	question, drop := "", func() error { return server.DropAll(ctx) }
	if req.All {
		if version, err := server.Version(ctx); err != nil || version == 0 {
			res.Why = "nothing changed"
			return res, err
		}
		question = "Remove the schema memctl with the rows of everyone from " + res.Server + "?"
	} else {
		if req.Scope == "" {
			req.Scope = store.Project
		}
		target, err := briefing.SharedTarget(ctx, ss, req.Scope)
		if err != nil && req.Commit == "" {
			return res, err
		}
		target.Scope = req.Scope
		if err := server.Check(ctx); err != nil {
			return res, err
		}
		st, err := droppable(ctx, ss, server, target, req.Commit)
		if err != nil || st == nil {
			res.Why = "nothing changed"
			return res, err
		}
		if req.Commit != "" && key(st.Target) != key(target) {
			req.Scope = "" // no store on this machine
		}
		res.Repository, res.Scope, res.Chunks = st.Name, st.Scope, st.Chunks
		question = "Remove the " + strconv.FormatInt(st.Chunks, 10) + " chunks of " + st.Name + " (" + st.Scope + ") from " + res.Server + "?"
		drop = func() error { return server.Drop(ctx, st.ID) }
	}
	switch {
	case ss.DryRun():
		res.Why = "dry run"
		return res, nil
	case req.Ask == nil:
		return res, refused
	case !req.Ask(question):
		res.Why = "not confirmed"
		return res, nil
	}
	if err := drop(); err != nil {
		return res, err
	}
	res.Changed = true
	return res, forgetDropped(ctx, ss, server, req)
}

// droppable is the store on the server that a drop removes; nil for none. After a purge the server may know it by an
// earlier first commit.
func droppable(ctx context.Context, ss *store.Stores, server postgres.Server, target postgres.Target, commit string) (*postgres.Store, error) {
	found, err := server.Droppable(ctx, target, commit)
	if err != nil || found != nil || commit != "" {
		return found, err
	}
	st, err := ss.Get(ctx, target.Scope)
	if err != nil {
		return nil, err
	}
	for _, target.Root = range replacedRoots(st, target) {
		if found, err = server.Droppable(ctx, target, ""); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}
