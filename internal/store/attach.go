package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store/statedir"
)

// rootTime bounds the search for the first commit. A later write tries again.
const rootTime = 2 * time.Second

// firstCommit names the project's first commit in the local state of its private store, so
// that a new clone of the project finds the store.
func firstCommit(st *Store) statedir.File[string] {
	return statedir.File[string]{In: st.SharedState(), Name: "root.json"}
}

// noteRoot records the first commit of the project, once.
func (st *Store) noteRoot(ctx context.Context) {
	if root, err := firstCommit(st).Read(); err != nil || root != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, rootTime)
	defer cancel()
	out, err := st.Stores.repo.Git(ctx, gitops.Call{Args: []string{"rev-list", "--first-parent", "--max-parents=0", "HEAD"}})
	if root := strings.TrimSpace(string(out)); err == nil && root != "" {
		_ = firstCommit(st).Write(root) // the next write tries again
	}
}

// Attachable returns the id of a private store that was written from another clone of this
// repository, where this one has no store and nobody has decided about one, and that clone's git
// folder if it is still there; "" where there is none. Of several it returns the one that was
// written last. If both have the same origin, this clone uses that store, and nobody is asked.
func (ss *Stores) Attachable(ctx context.Context) (id, clone string) {
	if ss.repo == nil || ss.IsSingleStore() || ss.Unusable() != nil || len(ss.LookupConfig(ctx).all(PrivateID)) > 0 {
		return "", ""
	}
	folders, err := os.ReadDir(ss.PrivateFolder())
	if err != nil || len(folders) == 0 {
		return "", ""
	}
	var newest time.Time
	_ = object.WithReader(ctx, ss.repo, func(o object.Reader) error {
		for _, f := range folders {
			dir := filepath.Join(ss.PrivateFolder(), f.Name())
			info, gone := os.Stat(filepath.Join(dir, "memories.md"))
			if gone == nil && info.ModTime().After(newest) && hasRoot(o, ss.OwnStore(Private, dir)) {
				id, newest = f.Name(), info.ModTime()
			}
		}
		return nil
	})
	if id != "" {
		users, _ := ss.OwnStore(Private, filepath.Join(ss.PrivateFolder(), id)).Users().Read() // without one, nothing is named
		for _, dir := range users {
			if gitops.OwnSetting(dir, PrivateID.Name) == id {
				clone = dir
			}
		}
	}
	return id, clone
}

// ofSameRemote is the private store of another clone on this machine, if both have the same origin; "" for none. A fork has
// another one: whoever wrote it may not read and write here what the person remembers elsewhere.
func (ss *Stores) ofSameRemote(ctx context.Context) string {
	origin := func(dir string) string {
		address := gitops.OwnSetting(dir, `remote "origin".url`)
		if plain, hosted := PlainRemote(address); hosted || address == "" || filepath.IsAbs(address) {
			return plain
		}
		return strings.TrimPrefix(filepath.ToSlash(filepath.Join(filepath.Dir(dir), strings.TrimSuffix(address, ".git"))), "/")
	}
	mine := origin(ss.repo.CommonDir)
	if mine == "" {
		return ""
	}
	if id, clone := ss.Attachable(ctx); clone != "" && origin(clone) == mine {
		return id
	}
	return ""
}

// OfThisProject reports whether a private store was written from a clone of the session's repository.
func (ss *Stores) OfThisProject(ctx context.Context, own *Store) (is bool) {
	_ = object.WithReader(ctx, ss.repo, func(o object.Reader) error {
		is = hasRoot(o, own)
		return nil
	})
	return is
}

// hasRoot reports whether a repository has the first commit of the project of a private store.
func hasRoot(o object.Reader, own *Store) bool {
	root, err := firstCommit(own).Read()
	if err != nil || root == "" {
		return false
	}
	kind, _, err := o.Read(root)
	return err == nil && kind == "commit"
}

// PrivateFolder is the folder that holds a folder for each private store.
func (ss *Stores) PrivateFolder() string { return filepath.Join(ss.data, "private") }

// Attach makes the private store of that id this repository's. The id "" means that nobody
// wants to be asked again; the first private write begins a store then.
func (ss *Stores) Attach(ctx context.Context, id string) error {
	if err := ss.repo.SetConfig(ctx, PrivateID.Name, id); err != nil {
		return err
	}
	ss.ForgetConfig()
	return nil
}
