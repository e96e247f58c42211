// Package store opens memory's stores by scope, and knows their settings, trust and lock.
// Its folders read them and are the one place where memory changes on disk.
//
// Words. A store is a folder with a memory file at its root, under git where
// there is git. A scope says which store: project, private or user; under
// --store there is one store alone, called store. Local state is what memctl
// keeps for itself and never commits: the lock, the queue of writes that wait,
// the acts of a worktree, the snapshot of the parsed file.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/memfile"
)

// The scopes. Only is the one scope under --store.
const (
	Project = "project"
	Private = "private"
	User    = "user"
	Only    = "store"
)

// Env is what a door hands in: where the session stands and how to reach the
// world.
type Env struct {
	Dir      string              // the session's folder
	StoreDir string              // --store or MEMCTL_STORE; "" for the usual scopes
	Getenv   func(string) string // the environment
	Now      func() time.Time    // the clock
	Talk     func(string)        // one line for the person while an act runs; nil for nobody
	Writes   func()              // called before a store is locked to be changed; nil for nothing
	DryRun   bool                // nothing is written: see Stores.DryRun
}

// Stores are the stores of one session.
type Stores struct {
	env     Env
	repo    *gitops.Repo // of the session's folder; nil outside a repository
	root    string       // the project's folder; "" where there is no project ($HOME)
	rootErr error        // why there is no project, or why its repository cannot be used
	foreign bool         // --store names agent-cli's memory: see OnDisk
	data    string       // memctl's data folder; "" where the environment names none

	config   *gitops.Config          // all of git's configuration, once it was asked for
	silent   bool                    // git did not answer that
	found    *sync.Map               // by repository: memctl's part of it, and of that of its own stores
	cache    map[string]any          // see CacheValue
	opened   map[string]*gitops.Repo // of the private and the user store, by folder
	resolved *sync.Map               // by folder: see realPath. Files are read in parallel, as for an index
	team     *Team                   // once it was asked for
	accepted []string                // digests of accepted items, once they were asked for
	folders  *statedir.Kept          // of local state
	// rootScope is OwnScope of root, once it was asked for.
	rootScope *string
	ruling    *sync.Mutex // guards rootScope and team, which Rule asks for in parallel
}

// DropCache drops what this session has read of the store.
func (st *Store) DropCache() {
	delete(st.Stores.cache, CachedMemory(st.Scope))
	delete(st.Stores.cache, CachedReview)
}

// cachedMemory begins the names by which memories are remembered.
const cachedMemory = "memory "

// CachedMemory is the name by which the memory of a scope is remembered.
func CachedMemory(scope string) string { return cachedMemory + scope }

// CachedReview is the name by which what was reviewed is remembered.
const CachedReview = "reviewed"

// CacheValue keeps in this session, until the stores change, what another package has read
// of them.
func (ss *Stores) CacheValue(name string, what any) { ss.cache[name] = what }

// Remembered is what CacheValue was given; nil where it was nothing, or the stores have
// changed since.
func (ss *Stores) Remembered(name string) any { return ss.cache[name] }

// Store is one folder with a memory file, or where one would be.
type Store struct {
	Scope  string
	Dir    string       // absolute
	Repo   *gitops.Repo // nil when not under git
	Stores *Stores      // those that it is one of
}

// Open finds where the stores are. It reads no memory, and starts no process, but in a
// repository of another user it asks git whether it works there. Errors: a folder that is not
// there; fault.RepositoryUnusable for a folder under --store in a repository that git refuses.
func Open(ctx context.Context, env Env) (*Stores, error) {
	if env.Talk == nil {
		env.Talk = func(string) {}
	}
	ss := &Stores{env: env, data: dataFolder(), cache: map[string]any{}, found: &sync.Map{}, resolved: &sync.Map{}, ruling: &sync.Mutex{}, folders: &statedir.Kept{}}
	dir := env.Dir
	if env.StoreDir != "" {
		dir = env.StoreDir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(env.Dir, dir)
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && env.StoreDir != "" {
		return nil, fault.New(fault.FolderNotFound, dir, "the folder does not exist, so it has no store")
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fault.New(fault.Scope, dir, "is not a folder")
	}
	if env.StoreDir != "" && isAgentMemory(dir) {
		ss.root, ss.foreign = dir, true // without a repository: its history has other paths
		return ss, nil
	}
	return ss, ss.findRoot(ctx, dir)
}

// dataFolder is memctl's data folder; "" where it would lie below whatever
// folder memctl was started in, or at the file system's root.
func dataFolder() string { return ownFolder("XDG_DATA_HOME", ".local/share") }

// ownFolder returns memctl's folder below the base folder that the variable names, else below the system's usual one, which
// on Unix is the one in the home folder; "" where neither is a real place.
func ownFolder(variable, inHome string) string {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) || filepath.Dir(home) == filepath.Clean(home) {
			return ""
		}
		switch runtime.GOOS {
		case "windows":
			base = cmp.Or(os.Getenv("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local"))
		case "darwin":
			base = filepath.Join(home, "Library", "Application Support")
		default:
			base = filepath.Join(home, filepath.FromSlash(inHome))
		}
	}
	return filepath.Join(base, "memctl")
}

// rootMarker is the folder that marks a project's root outside git.
const rootMarker = ".agent"

// IsSingleStore reports whether the session is under --store.
func (ss *Stores) IsSingleStore() bool { return ss.env.StoreDir != "" }

// Repo is the session's repository, nil outside one.
func (ss *Stores) Repo() *gitops.Repo { return ss.repo }

// Root is the project's folder, "" where there is none.
func (ss *Stores) Root() string { return ss.root }

// DataDir is memctl's own folder, which holds the private and user stores; ""
// where there is none.
func (ss *Stores) DataDir() string { return ss.data }

// SessionFolder is the session's folder below the project's, with slashes; "." at
// the project's root.
func (ss *Stores) SessionFolder() string {
	rel, err := filepath.Rel(ss.realPath(ss.root), ss.realPath(ss.env.Dir))
	if err != nil || !filepath.IsLocal(rel) {
		return "."
	}
	return filepath.ToSlash(rel)
}

// Abs makes a path that the person gave absolute, from the session's folder.
func (ss *Stores) Abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(ss.env.Dir, path)
}

// InRepository is the repository that a file which the person named lies in,
// and its path there, with slashes. Errors: gitops.ErrNotARepository.
func (ss *Stores) InRepository(name string) (*gitops.Repo, string, error) {
	path := ss.Abs(name)
	repo, err := gitops.Find(filepath.Dir(path))
	if err != nil {
		return nil, "", fmt.Errorf("%q: %w", name, err)
	}
	rel, err := filepath.Rel(repo.Root, filepath.Join(ss.realPath(filepath.Dir(path)), filepath.Base(path)))
	return repo, filepath.ToSlash(rel), err
}

// Today is the day in UTC.
func (ss *Stores) Today() string { return ss.env.Now().UTC().Format(time.DateOnly) }

// Now is the clock.
func (ss *Stores) Now() time.Time { return ss.env.Now() }

// Talk says one line to the person.
func (ss *Stores) Talk(line string) { ss.env.Talk(line) }

// Scopes lists the scopes that this session can have, in the order of
// precedence: what is private wins over the project's, that over the user's.
// Without a data folder there is the project's alone.
func (ss *Stores) Scopes() []string {
	switch {
	case ss.IsSingleStore():
		return []string{Only}
	case ss.data == "" && ss.root == "":
		return nil
	case ss.data == "":
		return []string{Project}
	case ss.root == "":
		return []string{User}
	case ss.repo == nil:
		return []string{Project, User}
	}
	return []string{Private, Project, User}
}

// Get is the store of a scope, whether or not it has a memory file yet. A
// private or user store that was never written to has a folder that is not
// there. Errors: fault.Scope.
func (ss *Stores) Get(ctx context.Context, scope string) (*Store, error) {
	switch own := scope == Private || scope == User; {
	case scope == Only && !ss.IsSingleStore():
		return nil, fault.New(fault.Scope, scope, "can be used only with --store FOLDER")
	case scope != Only && scope != Project && !own:
		return nil, fault.New(fault.Scope, scope, "unknown scope (use project, private or user)")
	case scope != Only && ss.IsSingleStore():
		return nil, fault.New(fault.Scope, scope, "cannot be used with --store, whose folder is the only scope")
	case scope == Project && ss.root == "":
		return nil, ss.rootErr
	case !own:
		return &Store{Scope: scope, Dir: ss.root, Repo: ss.repo, Stores: ss}, nil
	case scope == Private && ss.Unusable() != nil:
		return nil, ss.Unusable()
	case scope == Private && ss.repo == nil:
		return nil, fault.New(fault.Scope, Private, "needs a git repository, whose git config contains the id of the store")
	case ss.data == "":
		return nil, fault.New(fault.Scope, scope, statedir.NoDataFolder)
	case scope == User:
		return ss.OwnStore(User, filepath.Join(ss.data, "user")), nil
	}
	id, err := ss.privateID(ctx)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return &Store{Scope: Private, Stores: ss}, nil
	}
	return ss.OwnStore(Private, filepath.Join(ss.PrivateFolder(), id)), nil
}

// OwnStore is a store in memctl's data folder: its own repository, where git made
// one.
func (ss *Stores) OwnStore(scope, dir string) *Store {
	st := &Store{Scope: scope, Dir: dir, Repo: ss.opened[dir], Stores: ss}
	if st.Repo != nil {
		return st
	}
	if repo, err := gitops.Open(dir); err == nil && SameFolder(repo.Root, dir) {
		if ss.opened == nil {
			ss.opened = map[string]*gitops.Repo{}
		}
		st.Repo, ss.opened[dir], repo.Lender = repo, repo, ss.identity
	}
	return st
}

// identity is who commits in the session's repository, by its settings; "" for nobody.
func (ss *Stores) identity(ctx context.Context) (name, email string) {
	who := ss.LookupConfig(ctx).Commits.Committer
	return who.Name, who.Email
}

// NoteNoIdentity notes that git does not know who commits here; nothing where it does.
func (ss *Stores) NoteNoIdentity(ctx context.Context) []fault.Note {
	if ss.LookupConfig(ctx).Person || cmp.Or(ss.repo, &gitops.Repo{}).Nameless(ctx) != gitops.WhyNoIdentity {
		return nil
	}
	return []fault.Note{fault.NewNote("no-identity", "git does not know your name, so it cannot commit memory: "+gitops.IdentityHint)}
}

// Session is the store that belongs to the folder the session stands in: the
// project's, or the one of --store. Errors: fault.Scope.
func (ss *Stores) Session(ctx context.Context) (*Store, error) {
	if ss.IsSingleStore() {
		return ss.Get(ctx, Only)
	}
	return ss.Get(ctx, Project)
}

// Path is the memory file's path, for messages.
func (st *Store) Path() string { return filepath.Join(st.Dir, memfile.FileName) }

// Name is the memory file's path as people see it: from the session's folder
// where it lies below the project, else absolute.
func (st *Store) Name() string {
	if rel, err := filepath.Rel(st.Stores.root, st.Path()); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return st.Path()
}

// GitPath is the memory file's path in its repository, with slashes.
func (st *Store) GitPath() string {
	rel, err := filepath.Rel(st.Repo.Root, filepath.Join(st.Stores.realPath(st.Dir), memfile.FileName))
	if err != nil || st.Dir == st.Repo.Root {
		return memfile.FileName
	}
	return filepath.ToSlash(rel)
}

// realPath is a folder's path without links, looked up once; the path as it is where the folder is not there.
func (ss *Stores) realPath(folder string) string {
	if ss.repo != nil && folder == ss.repo.Root {
		return folder
	}
	real, known := ss.resolved.Load(folder)
	if !known {
		found, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return folder
		}
		ss.resolved.Store(folder, found)
		real = found
	}
	return real.(string)
}

// Ensure makes the folder and repository of a private or user store. Without
// git on the machine it stays a plain folder, which works without history.
func (st *Store) Ensure(ctx context.Context) error {
	if st.DryRun() || st.Scope != Private && st.Scope != User {
		return nil
	}
	if st.Dir == "" || st.Repo == nil {
		if err := st.begin(ctx); err != nil {
			return err
		}
	}
	if st.Scope == Private {
		st.noteRoot(ctx)
		if id := filepath.Base(st.Dir); gitops.OwnSetting(st.Stores.repo.CommonDir, PrivateID.Name) == "" { // found by the remote
			if err := st.Stores.Attach(ctx, id); err != nil {
				return err
			}
		}
		return st.noteUser()
	}
	return nil
}

// IsMemctlOwned reports whether the store's repository is memctl's own, so that memctl
// may rewrite it: one in the data folder, or a store's folder of its own.
func (st *Store) IsMemctlOwned() bool {
	if st.Repo == nil || st.Scope == Private || st.Scope == User {
		return true
	}
	if st.Scope != Only {
		return false
	}
	rel, err := filepath.Rel(st.Stores.realPath(st.Stores.data), st.Stores.realPath(st.Dir))
	return st.Stores.data != "" && err == nil && filepath.IsLocal(rel)
}
