package memory

import (
	"context"
	"fmt"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// Recover makes a damaged memory file sound, with everything kept (see package
// recovery), and commits it. A sound file is left alone.
func Recover(ctx context.Context, ss *store.Stores, req RecoverRequest) (RecoverResult, error) {
	res := RecoverResult{Schema: SchemaNumber, Reasons: []string{}, SetAside: []SetAside{}}
	st, err := sessionStore(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	res.Scope, res.Path = st.Scope, st.Path()
	if err := ruleOnMessage(st, req.Message); err != nil {
		return res, explain("recover", err)
	}
	found, out, err := txn.Recover(ctx, st, txn.Recovery{
		NoSalvage: req.NoSalvage, Message: req.Message, Origin: req.Origin.Kind, Clean: !req.explicit(), DryRun: req.DryRun, Wait: req.wait(),
	})
	if err != nil {
		return res, err
	}
	res.Needed, res.Kept, res.Salvaged = found.Needed, found.Kept, found.Salvaged
	res.Reasons = append(res.Reasons, found.Reasons...)
	for _, s := range found.SetAside {
		res.SetAside = append(res.SetAside, SetAside{Line: s.Line, Why: s.Why})
	}
	res.Why, res.Diff, res.Notes = out.Why, out.Diff, out.Notes
	if !req.explicit() {
		res.Diff = "" // the whole file, with what is withheld from agents
	}
	if out.Commit != "" {
		res.Commit = &out.Commit
	}
	if out.Changed && out.Commit == "" {
		res.Notes = append(res.Notes, commitsLater(out)...)
	}
	if n := inConflict(found.Document); n > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("items with another value in conflict: %d; memctl review lists them", n))
	}
	if found.Secret && req.DryRun {
		res.Notes = append(res.Notes, fmt.Sprintf("%s holds a secret: its copy in the notes will be redacted, and the original kept in local state", st.Name()))
	}
	return res, nil
}

// inConflict counts the items that have more than one value.
func inConflict(doc memfile.Document) int {
	n := 0
	for _, it := range doc.Items {
		if len(it.Conflict) > 0 {
			n++
		}
	}
	return n
}
