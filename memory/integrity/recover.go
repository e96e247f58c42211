package integrity

import (
	"context"
	"fmt"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// Recover makes a damaged memory file sound, with everything kept (see package
// recovery), and commits it. A sound file is left alone.
func Recover(ctx context.Context, ss *store.Stores, req RecoverRequest) (RecoverResult, error) {
	res := RecoverResult{Schema: memory.SchemaNumber, Reasons: []string{}, SetAside: []SetAside{}}
	st, err := memory.SessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	if err := memory.RuleOnMessage(st, req.Message); err != nil {
		return res, memory.AsError("recover", err)
	}
	found, out, err := txn.Recover(ctx, st, txn.Write{Message: req.Message, Origin: req.Origin.Kind, Clean: !req.Explicit(), Wait: req.Wait()}, req.NoSalvage)
	if err != nil {
		return res, err
	}
	res.Needed, res.Kept, res.Salvaged = found.Needed, found.Kept, found.Salvaged
	res.Reasons = append(res.Reasons, found.Reasons...)
	for _, s := range found.SetAside {
		res.SetAside = append(res.SetAside, SetAside{Line: s.Line, Why: s.Why})
	}
	res.Take(out)
	n := 0
	for _, it := range found.Document.Items {
		if len(it.Conflict) > 0 {
			n++
		}
	}
	if n > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("items with another value in conflict: %d; memctl review lists them", n))
	}
	return res, nil
}

// RecoverRequest is one `recover`.
type RecoverRequest struct {
	memory.Options
	NoSalvage bool
}

// RecoverResult is what `recover` did, or would do.
type RecoverResult struct {
	Schema   int        `json:"schema"`
	Needed   bool       `json:"needed"`
	Reasons  []string   `json:"reasons"`
	Kept     int        `json:"kept_count"`
	Salvaged int        `json:"salvaged_count"`
	SetAside []SetAside `json:"set_aside"`
	Path     string     `json:"path"`
	Scope    string     `json:"scope"`
	memory.Committed
}

// SetAside is what recovery left in the notes.
type SetAside struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}
