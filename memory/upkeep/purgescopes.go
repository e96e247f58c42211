package upkeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/purge"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// named is what was asked for, as a command line may show it.
func (req PurgeRequest) named() string {
	if req.Key == "" {
		return "-"
	}
	return policy.Inert(memory.Redacted(req.Key))
}

// stores are those of the scope, or of all scopes.
func (req PurgeRequest) stores(ctx context.Context, ss *store.Stores) ([]*store.Store, error) {
	scopes := ss.Scopes()
	if req.Scope != "" {
		scopes = []string{req.Scope}
	}
	var list []*store.Store
	var failed error
	for _, scope := range scopes {
		st, err := ss.Get(ctx, scope)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case st.Repo != nil && (st.Repo.Partial() || st.Repo.Shallow()):
			failed = errors.Join(failed, &fault.Error{Code: "partial-clone", Status: 1, Cause: "scope " + scope +
				": this is a partial or a shallow clone, so its history cannot be searched; purge in a full clone, and clone this one again"})
		case st.Dir != "":
			list = append(list, st)
		}
	}
	return list, failed
}

// command is this purge as a command line, without --yes.
func (req PurgeRequest) command() string { return "memctl purge " + req.words() }

// words are those of command after the act.
func (req PurgeRequest) words() string {
	if req.Scope != "" {
		return req.named() + " --scope " + req.Scope
	}
	return req.named()
}

// confirmedCommand is the command line that does it, from a person's shell.
func (req PurgeRequest) confirmedCommand() string { return req.command() + " --yes" + req.input() }

// input is what a command line that reads the text ends with.
func (req PurgeRequest) input() string {
	if req.Key == "" {
		return " < FILE"
	}
	return ""
}

// sought are the texts to look for, and the stores that they are removed from: of a
// key those that have it or had it, since others may contain the text for another
// reason. A scope that was asked for by name is searched in any case, for the
// values that others have, where it never had the key.
func (req PurgeRequest) sought(ctx context.Context, ss *store.Stores, stores []*store.Store) ([]memfile.Value, []*store.Store, error) {
	if req.Key == "" {
		return []memfile.Value{memfile.Str(req.Text)}, stores, nil
	}
	values, in, err := purgeValues(ctx, stores, req.Key)
	if req.Scope == "" || len(values) > 0 || err != nil {
		return values, in, err
	}
	every := req
	every.Scope = ""
	all, failed := every.stores(ctx, ss)
	if values, _, err = purgeValues(ctx, all, req.Key); len(values) > 0 {
		return values, stores, nil
	}
	return nil, nil, errors.Join(failed, err)
}

// alsoIn names a scope that has the text of a key and never had the key. Local state
// does not count: some of it tells of every scope.
func (req PurgeRequest) alsoIn(ctx context.Context, st *store.Store, trace policy.Trace, res *PurgeResult) error {
	found, err := purge.FindText(ctx, st, trace)
	if err != nil {
		return err
	}
	elsewhere := false
	for _, at := range found.Places {
		elsewhere = elsewhere || at.Kind != purge.PlaceState
	}
	if !elsewhere {
		return nil
	}
	there := req
	there.Scope = st.Scope
	note := fault.NewNote("elsewhere", "also found in scope "+st.Scope+": "+there.command()+" (run this first: once the scope above is purged, "+req.named()+" has no value to search for)")
	if req.Yes {
		there.Key = "" // whose value is gone
		note = fault.NewNote("elsewhere", "also found in scope "+st.Scope+": "+there.command()+there.input())
	}
	res.Also, res.Notes = append(res.Also, st.Scope), append(res.Notes, note)
	return nil
}

// purgeText is the command that purges a text without naming it.
const purgeText = "memctl purge - < FILE"

// whyUnsearchable is why nothing of some texts can be looked for, and its code; "" where
// something can.
func whyUnsearchable(trace policy.Trace, left policy.LeftOut) (code, why string) {
	switch {
	case trace.FindsMark():
		return "not-specific", "it is found in " + policy.Gone + ", which marks a purged text"
	case !trace.Empty():
		return "", ""
	case left.Long > 0:
		return "too-long", fmt.Sprintf("it is longer than %d bytes, the limit of a search", policy.MaxTrace)
	case left.Short > 0:
		return "not-specific", fmt.Sprintf("a text of less than %d bytes is too short to search for", policy.MinTrace)
	}
	return "not-specific", "true, false and null are too common to search for"
}

// unsearchable refuses what cannot be looked for, with what can be done instead.
func (req PurgeRequest) unsearchable(trace policy.Trace, left policy.LeftOut) error {
	code, why := whyUnsearchable(trace, left)
	if code == "" {
		return nil
	}
	name := "the text on stdin"
	e := &fault.Error{Code: code, Status: 1}
	if req.Key != "" {
		name = memory.Quoted(req.Key)
		e.Hints = []string{"memctl log " + req.named()} // shows which commits have it
	}
	e.Hints = append(e.Hints, purgeText)
	way := "purge a longer text that contains it, from stdin"
	if code == "too-long" {
		way = "purge a part of it, from stdin"
	}
	e.Cause = name + " cannot be purged: " + why + "; " + way
	return e
}
