package memory

import (
	"context"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// remembered refuses where something still has the text: to take that out is to forget
// it, which is said before. In a store of memctl's own, what the purge is named after
// goes with it.
func (p *purging) remembered(ctx context.Context) error {
	m, err := p.st.Read(ctx)
	if err != nil {
		return err
	}
	var shown, names []string
	for _, it := range plainItems(m) {
		if p.out.Own && it.Key == p.Key || !p.search.Trace.Found([]byte(it.Value.YAML())) && !p.search.Trace.Found([]byte(it.Value.Text)) {
			continue
		}
		key := policy.Inert(redacted(it.Key))
		shown, names = append(shown, quoted(key)), append(names, key)
	}
	all, err := p.st.Entries(ctx)
	if err != nil {
		return err
	}
	for _, e := range all.List {
		if e.Deleted || p.out.Own && matchesID(e.ID, p.Key) || !p.search.Trace.Found([]byte(e.Text)) {
			continue
		}
		if e.Tier() != entry.Fact && !losesLines(e.Entry) {
			continue // what was said in a session: it is cut out there
		}
		shown, names = append(shown, e.Tier()+" "+quoted(shortID(e.ID))), append(names, shortID(e.ID))
	}
	if len(names) == 0 {
		return nil
	}
	return p.stillRemembered(shown, names)
}

func (p *purging) stillRemembered(shown, names []string) *Error {
	them := "it"
	if len(names) > 1 {
		them = "them"
	}
	e := &Error{Code: "still-remembered", Status: 1, Message: strings.Join(shown, ", ") + ": remembered still, with that text: forget " + them + " first"}
	forget := "memctl forget "
	if p.out.Own && p.st.Scope != store.Only {
		forget += "--scope " + p.st.Scope + " "
	}
	for _, name := range names {
		e.Hints = append(e.Hints, forget+name)
	}
	return e
}
