package notice

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

// contradicted is an item whose value a statement takes back.
type contradicted struct {
	key, scope string
	day        string // on which it was said or written last
	value      memfile.Value
	stated     bool // by a person, so the statement stands beside it and does not replace it
}

// contradicts finds the item that a statement contradicts, one of the statement's own scope before
// others; nil where there is none, or where memory has the statement already. scope is where the
// statement goes.
func contradicts(ctx context.Context, ss *store.Stores, scope, key, text string) *contradicted {
	memories, err := contents.Readable(ctx, ss, "")
	if err != nil {
		return nil
	}
	rule := similar.NewRule(key, text)
	var found *contradicted
	for _, m := range memories {
		if m.Store.Scope == store.Project && !ss.Trusted(ctx) {
			continue // no session is handed its items
		}
		for i := range m.Items {
			it := &m.Items[i]
			switch {
			case len(it.Withheld) > 0 || it.Expired(ss.Today()):
			case capture.Same(it.Key, it.Value.Plain(), key, text):
				return nil
			case found != nil && (found.scope == scope || m.Store.Scope != scope):
			case it.Key == key || it.Value.Kind == memfile.String && rule.TakesBack(it.Key, it.Value.Text):
				said, _ := memfile.SaidOn(it.Source, it.By)
				found = &contradicted{it.Key, m.Store.Scope, cmp.Or(said, it.Day()), it.Value, it.Stated()}
			}
		}
	}
	return found
}

// keyFor is the key that a statement gets: that of the item or of the earlier note that it
// contradicts, so that the two meet, else its own.
func keyFor(ctx context.Context, ss *store.Stores, n localstate.Noted, waiting []localstate.Noted) string {
	if c := contradicts(ctx, ss, memory.SaidScope(ss, n.Person), n.Key, n.Text); c != nil {
		return c.key
	}
	rule := similar.NewRule(n.Key, n.Text)
	for _, was := range waiting {
		if was.Person == n.Person && rule.TakesBack(was.Key, was.Text) {
			return was.Key
		}
	}
	return n.Key
}

// contradiction says of a noted statement which item it contradicts; "" where there is none.
func contradiction(ctx context.Context, ss *store.Stores, n localstate.Noted) string {
	scope := memory.SaidScope(ss, n.Person)
	c := contradicts(ctx, ss, scope, n.Key, n.Text)
	if c == nil {
		return ""
	}
	value := policy.Inert(memory.OneLine(c.value))
	if c.scope == scope && !c.stated && n.Explicit {
		return " in place of \"" + value + "\""
	}
	return " (" + c.scope + " has " + policy.Inert(c.key) + ": \"" + value + "\")"
}
