package exchange

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
)

// checkUnclaimed looks whether a new address is the remote of another store of this machine:
// the user's own, or the private one of another project. Private stores of clones of
// one project may share a remote, and so may one whose project is gone.
func (s *syncing) checkUnclaimed(ctx context.Context, address string) error {
	st := s.st
	dirs := safefile.Glob(st.Stores.DataDir(), "private/*")
	for _, dir := range append([]string{filepath.Join(st.Stores.DataDir(), "user")}, dirs...) {
		if dir == st.Dir {
			continue
		}
		scope := store.Private
		if filepath.Base(dir) == store.User && filepath.Dir(dir) == filepath.Clean(st.Stores.DataDir()) {
			scope = store.User
		}
		other := st.Stores.OwnStore(scope, dir)
		if other.Repo == nil || sameAddress(remotes.RemoteURL(ctx, other.Repo, ourRemote)) != sameAddress(address) {
			continue
		}
		holder, share := "the user store", ""
		if scope == store.Private {
			var ours bool
			var project string
			if project, ours = projectOf(ctx, st, other); ours {
				continue
			}
			holder = "the private store of " + project
			if st.Scope == store.Private && st.Dir == "" {
				share = `git config ` + store.PrivateID.Name + ` "$(git -C ` + shell.Quote(project) + ` config ` + store.PrivateID.Name + `)"`
			}
		}
		e := fault.New(fault.RemoteOfAnother, s.out.Remote, "is the remote of "+holder+"; a sync would merge the two stores")
		if share != "" {
			e.Hints = []string{"memctl sync --scope private --remote URL", share + " # if it is the same project"}
		}
		return e
	}
	return nil
}

// projectOf names the project of another private store, and reports whether this
// store may be the same: where it is this project's, or no project has that one any more.
func projectOf(ctx context.Context, st *store.Store, other *store.Store) (name string, ours bool) {
	own := st.Scope == store.Private
	if own && st.Stores.OfThisProject(ctx, other) {
		return "", true
	}
	users, _ := other.Users().Read()
	users = slices.DeleteFunc(users, func(dir string) bool {
		return gitops.OwnSetting(dir, store.PrivateID.Name) != filepath.Base(other.Dir)
	})
	if len(users) == 0 {
		return "a project that no longer exists", own
	}
	return strings.TrimSuffix(users[0], string(filepath.Separator)+".git"), false
}

// sameAddress is an address in the form in which two of one repository are equal.
func sameAddress(address string) string {
	address = strings.TrimRight(strings.TrimPrefix(address, "file://"), "/")
	return strings.TrimRight(strings.TrimSuffix(address, ".git"), "/")
}

// maxMarked bounds the commits in which it is looked for whose they are.
const maxMarked = 50

// ofScope refuses the remote of a store of the other kind: its newest commits name the
// scope of that store, and never this one's.
func (s *syncing) ofScope(ctx context.Context) error {
	if s.theirs == "" {
		return nil
	}
	other, holder := store.User, "a user store"
	if s.st.Scope == store.User {
		other, holder = store.Private, "a private store"
	}
	found, ours := false, false
	err := object.History(ctx, s.st.Repo, s.theirs, s.st.GitPath(), maxMarked, func(v object.Version) bool {
		for _, tr := range v.Trailers {
			if tr.Name == "Memory-Scope" {
				found, ours = found || tr.Value == other, ours || tr.Value == s.st.Scope
			}
		}
		return !ours
	})
	if err == nil && found && !ours {
		err = fault.New(fault.RemoteOfAnother, s.out.Remote, "contains "+holder+"; a sync would merge the two stores")
	}
	return err
}
