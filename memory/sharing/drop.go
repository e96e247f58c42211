package sharing

import (
	"cmp"
	"context"
	"strconv"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// DropRequest says what to remove.
type DropRequest struct {
	memory.Options
	Dial  postgres.Dial
	Scope string // "": the project
	Ask   func(question string) bool
}

// DropResult is what was removed.
type DropResult struct {
	Server     string `json:"server"`
	Repository string `json:"repository"`
	Scope      string `json:"scope"`
	Chunks     int64  `json:"chunks"`
	Changed    bool   `json:"changed"`
	Why        string `json:"why"` // why nothing changed: "", "dry run", "not confirmed", "nothing changed"
}

// Drop removes a store's rows from the server. A person says yes at a terminal first, or with Options.Yes. Errors:
// explicit-only; no-terminal; fault.NoPostgres, fault.Postgres.
func Drop(ctx context.Context, ss *store.Stores, req DropRequest) (DropResult, error) {
	res := DropResult{}
	if err := req.Permit("index", memory.StateAbsent, "memctl index drop"); err != nil {
		return res, memory.AsError("", err)
	}
	server, err := briefing.ConnectShared(ctx, ss, req.Dial, patience)
	if err != nil {
		return res, err
	}
	defer server.Close()
	res.Server = server.Address()
	target, err := briefing.SharedTarget(ctx, ss, cmp.Or(req.Scope, store.Project))
	if err != nil {
		return res, err
	}
	local, err := ss.Get(ctx, target.Scope)
	if err != nil {
		return res, err
	}
	if err := server.CheckSchema(ctx); err != nil {
		return res, err
	}
	found, err := server.Droppable(ctx, target, append(replacedRoots(local, target), target.Root))
	if err != nil || found == nil {
		res.Why = "nothing changed"
		return res, err
	}
	res.Repository, res.Scope, res.Chunks = found.Name, found.Scope, found.Chunks
	switch {
	case ss.DryRun():
		res.Why = "dry run"
		return res, nil
	case req.Ask == nil:
		return res, &fault.Error{Code: "no-terminal", Status: 1, Cause: "only a person at a terminal can remove rows from the shared index", Hints: []string{"memctl index drop --scope " + found.Scope + " --yes"}}
	case !req.Ask("Remove the " + strconv.FormatInt(found.Chunks, 10) + " chunks of " + found.Name + " (" + found.Scope + ") from " + res.Server + "?"):
		res.Why = "not confirmed"
		return res, nil
	}
	if err := server.Drop(ctx, found.ID); err != nil {
		return res, err
	}
	res.Changed = true
	briefing.NotePushed(local, false, "")
	if _, err = pull(ctx, ss, server); err != nil { // the copy must not have what was removed
		_, err = pulled.Remove(ctx, ss)
	}
	return res, err
}
