package memory

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// named is what was asked for, as a command line may show it.
func (req PurgeRequest) named() string {
	if req.Key == "" {
		return "-"
	}
	return policy.Inert(redacted(req.Key))
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
		case st.Repo != nil && st.Repo.Partial():
			failed = errors.Join(failed, &Error{Code: "partial-clone", Status: 1, Message: "scope " + scope +
				": this is a partial clone, where what git did not fetch cannot be looked through, and what it fetched it never throws away; purge in a full clone, and clone this one anew"})
		case st.Dir != "":
			list = append(list, st)
		}
	}
	return list, failed
}

// notWhole says of the stores where nothing was found that more of their history lies
// elsewhere.
func notWhole(stores []*store.Store) (notes []string) {
	for _, st := range stores {
		if st.Repo != nil && st.Repo.Shallow() {
			notes = append(notes, "scope "+st.Scope+": this is a shallow clone, and what lies before its boundary was not looked through; `"+gitops.Unshallow+"` makes it whole")
		}
	}
	return notes
}

// command is this purge as a command line, without --yes.
func (req PurgeRequest) command() string {
	line := "memctl purge " + req.named()
	if req.Scope != "" {
		line += " --scope " + req.Scope
	}
	if req.People {
		line += " --people"
	}
	return line
}

// doing is the command line that does it, from a person's shell.
func (req PurgeRequest) doing() string {
	return req.command() + " --yes" + req.input()
}

// input is what a command line that reads the text ends with.
func (req PurgeRequest) input() string {
	if req.Key == "" {
		return " < FILE"
	}
	return ""
}

// elsewhere says what takes it out of the other clones. What they share with this one
// becomes the same commits there, so that the two can be merged again.
func (p *purging) elsewhere() string {
	there := p.PurgeRequest
	if p.out.Own && there.Scope == "" && p.st.Scope != store.Only {
		there.Scope = p.st.Scope
	}
	if p.out.Own {
		return "on each other machine, before its next `memctl sync`: " + there.doing()
	}
	forget, does := "memctl forget "+there.named()+", if it is remembered there; ", there.doing()
	if there.Key == "" {
		forget, does = "", does+", which names what is to be forgotten first"
	}
	return "in each other clone, before its next git pull or push: git fetch; " + forget + does + "; the commands that this prints; git pull --no-rebase"
}

// sought are the texts to look for, and the stores that they are taken out of: of a
// key those that have it or had it, since what stands in others may be there for
// another reason. A scope that was asked for by name is searched in any case, for the
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

// alsoIn names a scope that has the text of a key and never had the key. What the
// scopes before have told of already, such as the record of acts, is none of its own.
func (req PurgeRequest) alsoIn(ctx context.Context, st *store.Store, search store.Search, res *PurgeResult) error {
	found, err := st.FindText(ctx, search, false)
	if err != nil {
		return err
	}
	told := func(at store.Place) bool {
		return at.Kind == store.PlaceState && slices.ContainsFunc(res.Scopes, func(s PurgeScope) bool { return slices.Contains(s.Places, at) })
	}
	if !slices.ContainsFunc(found.Places, func(at store.Place) bool { return !told(at) }) {
		return nil
	}
	there := req
	there.Scope = st.Scope
	note := "also found in scope " + st.Scope + ": " + there.command() + " (first: once this one is done, " + req.named() + " has no value to look for)"
	if req.Yes && !req.DryRun {
		there.Key = "" // whose value is gone
		note = "also found in scope " + st.Scope + ": " + there.command() + there.input()
	}
	res.Also, res.Notes = append(res.Also, st.Scope), append(res.Notes, note)
	return nil
}
