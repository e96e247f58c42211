package review

import (
	"context"
	"errors"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// decideOutranked decides between an agent's value and the person's of the same key in another
// scope. To keep drops the agent's value. To take the agent's value, or to edit, first writes
// that value where the person's is and then drops the agent's item, so a failure between the
// two loses nothing. Neither leaves a tombstone: that would bind the person's own key.
func (d Decision) decideOutranked(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	drop := func(doc *txn.Draft) error { return doc.Remove(d.Waiting.Key) }
	if d.Action != view.ActEdit && d.Choice == 0 {
		return d.change(ctx, ss, d.chose(), drop)
	}
	value := d.Waiting.Options[d.Choice].Value
	if d.Value != nil {
		value = *d.Value
	}
	return d.replace(ctx, ss, d.Waiting.Stated.Scope, d.Waiting.Key, value)
}

// replace writes what waits as the person's value of a key, and then takes it from where it was.
func (d Decision) replace(ctx context.Context, ss *store.Stores, scope, key string, value memfile.Value) (memory.Write, error) {
	options := d.Options
	options.Scope = scope
	if d.Waiting.Near != nil {
		options.Expected = nil // the item that is replaced is no part of what waits
	}
	w, err := edit.Add(ctx, ss, edit.Request{Options: options, Key: key, Value: value})
	if err != nil || w.Verdict != policy.Accept.String() {
		return w, err
	}
	if d.Waiting.ID != "" {
		st, err := ss.Get(ctx, d.Scope)
		return w, errors.Join(err, ledger.Dequeue(ctx, st, d.Waiting.ID, d.Wait()))
	}
	holders, err := memory.Holders(ctx, ss, d.Waiting.Key, d.Scope, memory.HasItem)
	if err != nil || len(holders) == 0 && d.Waiting.Tier == "" {
		return w, err // what the person said to an agent went with the add
	}
	d.Expected = d.Expected[:1] // the person's value is another one now
	_, err = d.change(ctx, ss, "", func(doc *txn.Draft) error { return doc.Remove(d.Waiting.Name) })
	return w, err
}

// chose says which value a choice kept, and what became of the others.
func (d Decision) chose() string {
	mine, others := d.Waiting.Options[0].Value, d.Waiting.Options[1:]
	if d.Choice > 0 {
		return "Changed: " + d.key() + " = " + shownValue(others[d.Choice-1].Value) + " (was: " + shownValue(mine) + ")"
	}
	var dropped []string
	for _, o := range others {
		dropped = append(dropped, memory.Quoted(shownValue(o.Value)))
	}
	return "Kept: " + d.key() + " = " + shownValue(mine) + "; dropped " + strings.Join(dropped, ", ")
}

// key is the key of what waits, for a sentence.
func (d Decision) key() string { return policy.Inert(memory.Redacted(d.Waiting.Key)) }

// shownValue is a value on one line, without what is secret.
func shownValue(v memfile.Value) string {
	return memory.OneLine(memfile.Str(memory.Redacted(v.Plain())))
}
