package review

import (
	"context"
	"errors"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/store"
)

// editFact puts what the person says in the place of a fact.
func (d Decision) editFact(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Value == nil {
		return memory.Write{}, errors.New("review: edit without a value")
	}
	return edit.Add(ctx, ss, edit.Request{Options: d.Options, Role: entry.RoleFact, Text: d.Value.Text, Replace: d.Waiting.Key})
}

// replaceFact keeps a fact in the place of the older one that it contradicts or repeats.
func (d Decision) replaceFact(ctx context.Context, ss *store.Stores) (memory.Write, error) {
	if d.Waiting.Against == nil {
		return memory.Write{}, errors.New("review: replace without an older fact")
	}
	return edit.Add(ctx, ss, edit.Request{Options: d.Options, Role: entry.RoleFact, Text: d.Waiting.Value.Text, Replace: d.Waiting.Against.Key})
}
