package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/internal/safefile"
)

// newFolder is where a repository is made, in the folder that it is for.
const newFolder = ".git.new"

// Init makes a repository at dir (branch main, no hooks or other template
// files), for stores of our own. The folder is made if missing, for this user
// alone; a repository that is there already stays as it is. A new one is made
// beside its place, where prepare may see to it, and moved there whole: a crash
// leaves all of it or nothing. The caller holds a lock. Errors: fault.Blocked,
// *Error.
func Init(ctx context.Context, dir string, prepare func(*Repo)) (*Repo, error) {
	place := filepath.Join(dir, ".git")
	if Exists(place) {
		if err := initAt(ctx, dir); err != nil {
			return nil, err
		}
		r, err := Open(dir)
		if err == nil {
			prepare(r)
		}
		return r, err
	}
	fresh := filepath.Join(dir, newFolder)
	if err := os.RemoveAll(fresh); err != nil { // what a killed one left
		return nil, err
	}
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	if err := initAt(ctx, fresh); err != nil {
		return nil, err
	}
	r, err := Open(fresh)
	if err != nil {
		return nil, err
	}
	prepare(r)
	if err := os.Rename(filepath.Join(fresh, ".git"), place); err != nil {
		return nil, err
	}
	_ = os.Remove(fresh) // empty, it is in nobody's way
	return Open(dir)
}

func initAt(ctx context.Context, dir string) error {
	env := UnpromptedEnvironment(RepositoryVariables()...)
	c := Call{Args: []string{"init", "-q", "--template=", "."}, Config: []string{"init.defaultBranch=main"}, Writes: true}
	if _, err := runGit(ctx, dir, env, c); err != nil {
		return PublicError(err)
	}
	// Before 2.28 git does not know the setting.
	if data, err := ReadSmall(filepath.Join(dir, ".git", "HEAD")); err == nil && string(data) == "ref: refs/heads/master\n" {
		return os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o666)
	}
	return nil
}

// MakeOwnFolder makes memctl's folder in the common git folder where it is missing. Errors:
// fault.NotAFile for a link in its place; the system's cause.
func (r *Repo) MakeOwnFolder() error {
	if r.ownFolder.Load() {
		return nil
	}
	folder, err := safefile.OpenBelow(r.CommonDir, filepath.Join(r.CommonDir, "memctl"), true)
	if err != nil {
		return err
	}
	r.ownFolder.Store(true)
	return folder.Close()
}
