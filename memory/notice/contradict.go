package notice

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
)

// contradicted is an item whose value a statement takes back.
type contradicted struct {
	key, scope string
	day        string // on which it was said or written last
	value      memfile.Value
	stated     bool // by a person, so the statement stands beside it and does not replace it
}

// contradictedBy is the item as one that a statement takes back.
func contradictedBy(it *contents.Item, scope string) *contradicted {
	said, _ := memfile.SaidOn(it.Source, it.By)
	return &contradicted{it.Key, scope, cmp.Or(said, it.Day()), it.Value, it.Stated()}
}

// contradicts finds the item that a statement contradicts, one of the statement's own scope before
// others; nil where there is none, or where memory has the statement already. scope is where the
// statement goes.
func contradicts(ctx context.Context, ss *store.Stores, scope, key, text string) *contradicted {
	v := contents.NewView(ctx, ss, contents.Hook)
	memories, err := v.Memories("")
	if err != nil {
		return nil
	}
	rule := similar.NewRule(key, text)
	var found *contradicted
	var opposed []*contradicted // by what they say, whatever their keys; of several nobody knows which is meant
	for _, m := range memories {
		for i := range m.Items {
			it := &m.Items[i]
			switch {
			case it.Out()&^contents.Doubts != 0:
			case capture.Same(it.Key, it.Value.Plain(), key, text):
				return nil
			case found != nil && (found.scope == scope || m.Store.Scope != scope):
			case it.Key == key || it.Value.Kind == memfile.String && rule.TakesBack(it.Key, it.Value.Text):
				found = contradictedBy(it, m.Store.Scope)
			case it.Value.Kind == memfile.String && rule.Opposes(it.Key, it.Value.Text):
				opposed = append(opposed, contradictedBy(it, m.Store.Scope))
			}
		}
	}
	if st, err := ss.Get(ctx, scope); err == nil && found == nil {
		queue, _ := ledger.Queue(st)
		for _, q := range queue { // the person's statements that wait for a commit
			if q.SaidOn != "" && q.Entry == nil && q.Why != ledger.WhyHeld && (q.Key == key || rule.TakesBack(q.Key, q.Value.Plain())) {
				found = &contradicted{q.Key, scope, q.SaidOn, q.Value, false}
			}
		}
	}
	if found == nil && len(opposed) == 1 {
		return opposed[0]
	}
	return found
}
