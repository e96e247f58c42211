package edit

import (
	"context"
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// reply finds the prompts behind an agent's request, and says whose words it is. Notes, summaries and what replaces a fact
// have no day on which the person said them.
func (req *Request) reply(ss *store.Stores) memory.Heard {
	if req.Queued != nil || req.SaidOn != "" {
		return memory.Heard{}
	}
	heard := memory.Listen(ss, req.Origin).Naming(req.Prompt)
	day := ""
	if req.Replace == "" && (req.Role == "" || req.Role == entry.RoleFact) {
		day = heard.Day(req.Key, req.plain())
	}
	switch {
	case day == "":
		req.Origin = heard.Origin(req.Key, req.plain())
	case req.Role == "":
		req.typedOn = day
	default:
		req.SaidOn = day
	}
	return heard
}

// statedOtherwise finds the item of the key that a person stated with another value; nil for none.
func statedOtherwise(ctx context.Context, ss *store.Stores, key string, v memfile.Value) (*store.Store, *contents.Item) {
	key, _ = memfile.NormalKey(key)
	memories, _ := contents.Readable(ctx, ss, "")
	for _, m := range memories {
		if it := m.Find(key); it != nil && it.IsStated() && !memfile.Same(it.Value, v) {
			return m.Store, it
		}
	}
	return nil, nil
}

// withCorrection chooses the value that a person's later words gave the item, where they confirm it and
// name no value: sessions show that one first. In the project's file anybody may claim such words.
func (req ConfirmRequest) withCorrection(st *store.Store, r *txn.Record) ConfirmRequest {
	if req.Value != 0 || !req.Explicit() || r.Item == nil || st.Scope == store.Project || req.Said != "" {
		return req
	}
	day := r.Item.Day()
	for i, rival := range r.Item.Conflict {
		if _, said := memfile.SaidOn(rival.Source, rival.By); said && rival.Added >= day {
			req.Value, day = i+1, rival.Added
		}
	}
	return req
}

// closeProposals takes the proposals with a text off the queue, under whatever key, once a person has stated it. Undo of the
// statement puts them back into a store that has a history.
func closeProposals(ctx context.Context, ss *store.Stores, o memory.Options, texts ...string) error {
	if !o.Explicit() || ss.DryRun() {
		return nil
	}
	stores, err := memory.StoresOf(ctx, ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		queue, err := ledger.Queue(st)
		if err != nil {
			continue // the statement is stored; whatever reads the queue says what is wrong with it
		}
		drop := ledger.Drop{Act: "review", Origin: o.Origin.Kind, Command: o.Command, Wait: o.Wait()}
		for _, q := range queue {
			same := func(text string) bool { return memfile.NormalText(text) == memfile.NormalText(q.Value.Plain()) }
			if q.Said != "" && slices.ContainsFunc(texts, same) {
				drop.IDs = append(drop.IDs, q.ID)
			}
		}
		if len(drop.IDs) == 0 {
			continue
		}
		if _, err := ledger.DropQueued(ctx, st, drop); err != nil {
			return err
		}
	}
	return nil
}

// dropSaidBefore removes from the person's private store what they said of the key to an agent before, once their own value for the
// project is committed: it is the last word. A value that holds for some files or some time only settles nothing.
func (req Request) dropSaidBefore(ctx context.Context, ss *store.Stores, w memory.Write) (memory.Write, error) {
	if req.Role != "" || !req.Explicit() || w.Scope != store.Project || w.Commit == nil || len(req.Paths)+len(req.Commands) > 0 || req.Expires != "" {
		return w, nil
	}
	return req.withdraw(ctx, ss, store.Private, w)
}

// withdraw removes what the person said of the key to an agent from a store of theirs.
func (req Request) withdraw(ctx context.Context, ss *store.Stores, scope string, w memory.Write) (memory.Write, error) {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return w, nil // there is none
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return w, err
	}
	it := m.Find(w.Key)
	if it == nil {
		return w, nil
	}
	if _, said := memfile.SaidOn(it.Source, it.By); !said {
		return w, nil
	}
	req.Expected = nil // what was shown is changed by now
	if _, err := req.Update(ctx, st, txn.Write{Act: "add", Keys: []string{w.Key}, Change: func(d *txn.Draft) error { return d.Remove(w.Key) }}); err != nil {
		return w, err
	}
	return w, nil
}
