package review

import (
	"context"
	"errors"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// outranked decides between an agent's value and the person's of the same key in another
// scope. To keep drops the agent's value. To take the agent's value, or to edit, first writes
// that value where the person's is and then drops the agent's item, so a failure between the
// two loses nothing. Neither leaves a tombstone: that would bind the person's own key.
func (d Decision) outranked(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Action == view.ActEdit || d.Choice > 0 {
		value := d.Waiting.Options[d.Choice].Value
		if d.Value != nil {
			value = *d.Value
		}
		options := d.Options
		options.Scope = d.Waiting.Stated.Scope
		w, err := edit.Add(ctx, ss, edit.Request{Options: options, Key: d.Waiting.Key, Value: value})
		holders, failed := memory.Holders(ctx, ss, d.Waiting.Key, d.Scope, memory.HasItem)
		if err = errors.Join(err, failed); err != nil || w.Verdict != policy.Accept.String() || len(holders) == 0 {
			return w, err // what the person said to an agent went with the add
		}
		d.Expected = d.Expected[:1] // the person's value is another one now
		_, err = d.dropOutranked(ctx, ss)
		return w, err
	}
	return d.dropOutranked(ctx, ss)
}

// dropOutranked takes the agent's item out.
func (d Decision) dropOutranked(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	w := d.Answer("review", d.Waiting.Key, d.Scope)
	st, err := ss.Get(ctx, d.Scope)
	if err != nil {
		return w, err
	}
	out, err := d.Update(ctx, st, txn.Write{
		Act: "review", Keys: []string{d.Waiting.Key},
		Change: func(doc *txn.Draft) error {
			return doc.Remove(d.Waiting.Key)
		},
	})
	return w.After(out, memory.AsRefusal(err), d.chose()+memory.UndoHint(out, "", ""))
}
