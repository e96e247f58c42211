package edit

import (
	"context"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// addReply stores what an agent passes on of a statement that a hook stored already. The record keeps
// its key and the person's words, and gets the labels of the agent's call.
func (req AddRequest) addReply(ctx context.Context, ss *store.Stores, r memory.Reply) (memory.Write, error) {
	req.Key, req.Scope, req.SaidOn, req.Value = r.Stored.Key, r.Stored.Scope, r.Day, memfile.Str(r.Stored.Text)
	w, err := Add(ctx, ss, req)
	if err != nil || w.Verdict != policy.Accept.String() || ss.DryRun() {
		return w, err
	}
	w.Saved = "Stored as " + w.Key
	return w, memory.Answered(ctx, ss, *r.Stored)
}

// reply finds the prompt that the add answers.
func (req AddRequest) reply(ctx context.Context, ss *store.Stores) memory.Reply {
	if req.Waited || req.SaidOn != "" {
		return memory.Reply{}
	}
	was := ""
	if st, it := statedOtherwise(ctx, ss, req.Key, req.Value); st != nil {
		was = it.Value.Plain()
	}
	return memory.ReplyTo(ss, req.Options, req.Key, req.Value.Plain(), was)
}

// statedOtherwise finds the item of the key that a person stated with another value; nil for none.
func statedOtherwise(ctx context.Context, ss *store.Stores, key string, v memfile.Value) (*store.Store, *contents.Item) {
	key, _ = memfile.NormalKey(key)
	stores, err := memory.StoresOf(ctx, ss, "")
	if err != nil {
		return nil, nil
	}
	for _, st := range stores {
		m, err := contents.Read(ctx, st)
		if err != nil {
			continue
		}
		if it := m.Find(key); it != nil && it.Stated() && !memfile.Same(it.Value, v) {
			return st, it
		}
	}
	return nil, nil
}
