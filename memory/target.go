package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
)

// UserPrefix begins the keys that are about the person, not the project.
const UserPrefix = "user."

// Target is the store that a new write goes to.
func Target(ctx context.Context, ss *store.Stores, key, text string, o Options) (*store.Store, error) {
	scope := o.Scope
	if ss.IsSingleStore() && scope == "" {
		scope = store.Only
	}
	if scope == "" {
		var err error
		if scope, err = chooseScope(ctx, ss, key, text, o.Origin.Kind); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(key, UserPrefix) && scope == store.Project {
		return nil, Refuse(RuleScope, "memory about the person cannot be stored in the project", "--scope "+store.User)
	}
	return ss.Get(ctx, scope)
}

func chooseScope(ctx context.Context, ss *store.Stores, key, text, origin string) (string, error) {
	person := strings.HasPrefix(key, UserPrefix)
	if err := ss.Unusable(); err != nil && !person {
		return "", err // elsewhere it would count in every repository, past what binds here
	}
	if origin == Automatic && !person {
		return AutoScope(ctx, ss)
	}
	if there, err := holding(ctx, ss, key); there != "" || err != nil {
		return there, err
	}
	switch {
	case person:
		return store.User, nil
	case origin == Relayed && key != "":
		return SaidScope(ss, capture.ScopeOf(key, text) == store.User), nil
	case origin == Explicit && AwayFromDefault(ctx, ss):
		return store.Private, nil
	}
	if st, err := ss.Get(ctx, store.Project); err == nil && st.HasFile() {
		return store.Project, nil // what is no memory file there is refused, not passed over in silence
	}
	m, err := ProjectMemory(ctx, ss)
	switch {
	case err != nil || m != nil && txn.Absent(ctx, m):
		return store.Project, err
	case ss.Repo() == nil:
		return store.User, nil
	case origin == Relayed:
		return SaidScope(ss, false), nil
	}
	return "", homeless(ctx, m)
}

// holding is the scope whose item of the key counts here; "" if no scope has one.
func holding(ctx context.Context, ss *store.Stores, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	list, err := Holders(ctx, ss, key, "", HasItem)
	if len(list) > 1 {
		list = applying(ctx, ss, list, key)
	}
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].Scope, nil
}

// PrivateHere reports whether a person's memory may go to the private store of this repository to keep it off a branch: the
// repository has a remote, and memctl.writes does not keep it in the project.
func PrivateHere(ctx context.Context, ss *store.Stores) bool {
	set, err := ss.Setting(ctx, store.Writes)
	return ss.HasRemote(ctx) && slices.Contains(ss.Scopes(), store.Private) && err == nil && set.Text != store.Project
}

// AwayFromDefault reports whether a person's new memory goes to the private store, because another branch than the default one
// is checked out: so it counts on every branch and adds no commit to this one.
func AwayFromDefault(ctx context.Context, ss *store.Stores) bool {
	_, off := ss.FeatureBranch(ctx)
	return off && PrivateHere(ctx, ss)
}

// homeless refuses an explicit write that names no scope in a repository without a memory file:
// memctl asks where it shall go rather than put a project's matter where all repositories see it.
func homeless(ctx context.Context, m *contents.Memory) error {
	e := &fault.Error{Code: fault.NoMemoryFile}
	if m != nil {
		e = txn.Missing(ctx, m.Store)
	}
	if e.Why == "" {
		e.Thing, e.Cause = "", "this repository has no memory file"
	}
	return e
}

// SaidScope is the scope of a statement that was made at the place of these stores, nil for a place
// without any: what is about the person goes to user, the rest to the private store of the
// repository, and nothing to the project's file.
func SaidScope(place *store.Stores, person bool) string {
	switch {
	case place != nil && place.IsSingleStore():
		return store.Only
	case person, place == nil, place.Repo() == nil:
		return store.User
	}
	return store.Private
}

// AutoScope is where automatic writes go now: what memctl.autoScope says, else
// the project where there is a memory file and no remote (one person, one
// file), else the private store, or outside a repository the user's.
func AutoScope(ctx context.Context, ss *store.Stores) (string, error) {
	if ss.IsSingleStore() {
		return store.Only, nil
	}
	set, err := ss.Setting(ctx, store.AutoScope)
	if err != nil || set.Text != "" {
		return set.Text, err
	}
	m, err := ProjectMemory(ctx, ss)
	has := m != nil && m.Exists
	switch {
	case err != nil:
		return "", err
	case ss.Repo() == nil && has:
		return store.Project, nil
	case ss.Repo() == nil:
		return store.User, nil
	case !ss.HasRemote(ctx) && (has || m != nil && txn.Absent(ctx, m)):
		return store.Project, nil // where the file is out of sight, what is written waits for it
	}
	return store.Private, nil
}

// ProjectMemory reads the project's memory; nil where there is no project.
func ProjectMemory(ctx context.Context, ss *store.Stores) (*contents.Memory, error) {
	if ss.Root() == "" {
		return nil, nil
	}
	st, err := ss.Get(ctx, store.Project)
	if err != nil {
		return nil, err
	}
	return contents.Read(ctx, st)
}
