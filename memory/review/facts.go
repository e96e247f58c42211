package review

import (
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
)

// editFact puts what the person says in the place of a fact.
func (d Decision) editFact(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Value == nil {
		return memory.Write{}, errors.New("review: edit without a value")
	}
	return edit.Remember(ctx, ss, edit.RememberRequest{Options: d.Options, Role: entry.RoleFact, Text: d.Value.Text, Replace: d.Waiting.Key})
}

// replaceFact keeps a fact in the place of the older one that it contradicts or repeats.
func (d Decision) replaceFact(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Waiting.Against == nil {
		return memory.Write{}, errors.New("review: replace without an older fact")
	}
	return edit.Remember(ctx, ss, edit.RememberRequest{Options: d.Options, Role: entry.RoleFact, Text: d.Waiting.Value.Text, Replace: d.Waiting.Against.Key})
}

// keepEntry writes an entry that waited, as the person's own word.
func (d Decision) keepEntry(ctx context.Context, ss *store.Stores, q ledger.Waiting) (memory.Write, error) {
	req, err := edit.RememberFromQueue(q, d.Options)
	if err != nil {
		return memory.Write{}, err
	}
	if d.Value != nil {
		req.Text = d.Value.Plain()
	}
	req.Confidence, req.Acknowledged = "", true
	return edit.Remember(ctx, ss, req)
}
