package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Gone reports whether the store's folder is not there.
func (st *Store) Gone() bool {
	_, err := os.Stat(st.Dir)
	return os.IsNotExist(err)
}

// Users are the repositories that the private store was written from, by their common
// git folders.
func (st *Store) Users() statedir.File[[]string] {
	return statedir.File[[]string]{In: st.SharedState(), Name: "repositories.json"}
}

// noteUser remembers that this repository uses the private store. A repository
// that was moved is forgotten under its old name.
func (st *Store) noteUser() error {
	users, err := st.Users().Read()
	if err != nil || slices.Contains(users, st.Stores.repo.CommonDir) {
		return err
	}
	return st.Users().Change(func(users *[]string) error {
		*users = append(slices.DeleteFunc(*users, func(dir string) bool {
			return dir == st.Stores.repo.CommonDir || gitops.OwnSetting(dir, PrivateID.Name) != filepath.Base(st.Dir)
		}), st.Stores.repo.CommonDir)
		return nil
	})
}

// foundingLock is held while a store of our own is made: of several first
// writers one makes it, and the others find it.
const (
	foundingLock = "founding.lock"
	foundingTime = 10 * time.Second
)

// begin makes what is still to be made of a store of our own: its id, its
// folder, its repository.
func (st *Store) begin(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, foundingTime)
	defer cancel()
	died := func(since time.Time) error { return st.mendFounding(ctx, since) }
	unlock, err := st.Stores.DataState().Lock(ctx, foundingLock, "memctl makes a store", died)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return st.notWritable(fault.FolderNotWritable, st.Stores.data, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if st.Scope == Private && st.Dir == "" {
		id, err := st.Stores.makePrivateID(ctx)
		if err != nil {
			return err
		}
		st.Dir = filepath.Join(st.Stores.PrivateFolder(), id)
	} else if st.Scope == Private && st.Gone() {
		st.Stores.Talk("note: the private store of this repository was missing from " + st.Dir + "; memctl starts a new one there")
	}
	if err := os.MkdirAll(st.Dir, OwnStoreDirMode); err != nil {
		return err
	}
	if st.Repo = st.Stores.OwnStore(st.Scope, st.Dir).Repo; st.Repo != nil {
		return nil // somebody else was faster
	}
	_, err = gitops.Init(ctx, st.Dir, func(repo *gitops.Repo) {
		for _, note := range (&Store{Scope: st.Scope, Dir: st.Dir, Repo: repo, Stores: st.Stores}).MergeByMeaning(ctx) {
			st.Stores.Talk("note: " + note.Text)
		}
	})
	if fault.Is(err, fault.Blocked) {
		return nil
	}
	st.Repo = st.Stores.OwnStore(st.Scope, st.Dir).Repo
	return err
}

// MergeByMeaning makes git merge the store's files by meaning, so that a
// person's own merge or pull there does. That it cannot be is a note: git merges
// them as text then.
func (st *Store) MergeByMeaning(ctx context.Context) (notes []fault.Note) {
	if st.Repo == nil {
		return nil
	}
	if _, err := remotes.InstallMergeDriver(ctx, st.Repo); err != nil {
		notes = append(notes, MergedAsText("in "+st.Dir, err))
	}
	return notes
}

// MergedAsText says that git has no merge driver for memory in a place.
func MergedAsText(where string, err error) fault.Note {
	return fault.NewNote("merged-as-text", "git will merge memory as text "+where+": "+err.Error())
}

// MergesByItem says that git has got the merge driver for memory.
func MergesByItem() fault.Note {
	return fault.NewNote("merge-driver", "from now on, git merges memory item by item in this repository")
}

// SetMergeDriver makes git merge the store's files by meaning where nothing does yet, as in a
// clone: a repository's configuration does not come with it. The note says that it did. It
// says nothing of a fault, which doctor reports.
func (st *Store) SetMergeDriver(ctx context.Context) (notes []fault.Note) {
	if st.Repo == nil || st.DryRun() || remotes.HasMergeRules(st.Repo) {
		return nil
	}
	if set, err := remotes.InstallMergeDriver(ctx, st.Repo); err == nil && set {
		notes = append(notes, MergesByItem())
	}
	return notes
}

// newPrivateID is a random name for a private store.
func newPrivateID() (string, error) {
	raw := make([]byte, 16)
	_, err := rand.Read(raw)
	return hex.EncodeToString(raw), err
}

// OwnStoreDirMode is the mode of the folders of private and user stores.
const OwnStoreDirMode = 0o700
