// Package gitops is all that touches git.
package gitops

import (
	"context"
	"errors"
	"time"
)

// ErrNotARepository: no repository above the folder.
var ErrNotARepository = errors.New("not a git repository")

// Repo is one repository as seen from one worktree. Finding one starts no process.
type Repo struct {
	Root      string // the worktree's top folder, absolute, symlinks resolved as git does
	GitDir    string // this worktree's own git folder
	CommonDir string // shared by all worktrees
}

// Find walks up from dir (and heeds GIT_DIR, GIT_WORK_TREE). Errors: ErrNotARepository; *BareError; *Error.
func Find(dir string) (*Repo, error) { panic("stub") }

// Init makes a repository at dir (git init -q, branch main), for stores of our own.
func Init(ctx context.Context, dir string) (*Repo, error) { panic("stub") }

// Config is every effective setting, by git's own rules, from one start of git.
type Config struct{}

// Entry is one setting and its level.
type Entry struct{ Key, Value, Scope, Origin string } // Scope: system, global, local, worktree, command; Key lower-cased section and name

func (r *Repo) Config(ctx context.Context) (*Config, error) { panic("stub") }

// GlobalConfig is what git says outside any repository.
func GlobalConfig(ctx context.Context) (*Config, error) { panic("stub") }

// Get is the last value of the key; ok is false where it is not set.
func (c *Config) Get(key string) (e Entry, ok bool) { panic("stub") }

// All lists the entries of the key (or with the prefix, where key ends in '.').
func (c *Config) All(key string) []Entry { panic("stub") }

// SetConfig sets key in the repository's own config.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error { panic("stub") }

// State is what the repository is in the middle of.
type State struct {
	Head      string // commit id, "" when unborn
	Branch    string // short name, "" when detached
	Unborn    bool
	Operation string // "", merge, rebase, cherry-pick, revert, bisect, am
}

// State starts no process.
func (r *Repo) State() (State, error) { panic("stub") }

// FileState says how one file of the worktree stands against the index and HEAD.
type FileState struct {
	Tracked  bool // in the index or HEAD
	Ignored  bool
	Dirty    bool // worktree or index differs from HEAD (an untracked file is dirty)
	Conflict bool // unmerged
	Modes    string
}

func (r *Repo) FileState(ctx context.Context, path string) (FileState, error) { panic("stub") }

// CommitRequest is one commit of exact files.
type CommitRequest struct {
	Paths    []string // relative to Root, slash-separated; files, never folders
	Subject  string
	Body     string
	Trailers []Trailer
	Hooks    bool // run the repository's commit hooks (default: not: --no-verify and no post-commit hook)
}

// Trailer is one line "Name: value"; the value is made one line.
type Trailer struct{ Name, Value string }

// Commit commits the files as they stand in the worktree, and nothing else; with git itself. A deleted file is committed as deleted.
// Never prompts (no terminal, GIT_TERMINAL_PROMPT=0, no editor). Nothing to commit: ("", nil).
// Errors: *BlockedError (with a stable Why) where it cannot be committed now: "merge in progress", "no identity", "signing failed", "git folder not writable", "ignored" …; *Error else.
func (r *Repo) Commit(ctx context.Context, req CommitRequest) (hash string, err error) { panic("stub") }

// Blocked returns why a commit cannot be made now without trying ("" when it can): operation in progress, GIT_INDEX_FILE set, no identity.
func (r *Repo) Blocked(ctx context.Context, cfg *Config) string { panic("stub") }

type BlockedError struct{ Why, Detail string }

func (e *BlockedError) Error() string { return e.Why }

// Error is a failed git command: its arguments and the last line of its stderr.
type Error struct {
	Args   []string
	Status int
	Stderr string
}

func (e *Error) Error() string { return e.Stderr }

// Resolve turns a revision into a commit id. Errors: *UnknownRevisionError.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) { panic("stub") }

type UnknownRevisionError struct{ Rev string }

func (e *UnknownRevisionError) Error() string { return "unknown revision " + e.Rev }

// FileAt is the file's content in a commit (as stored: no smudge filters); ok is false where the commit has none or it is no regular file.
func (r *Repo) FileAt(ctx context.Context, commit, path string) (content []byte, ok bool, err error) {
	panic("stub")
}

// Blob reads one object.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) { panic("stub") }

// Version is one commit that changed a file.
type Version struct {
	Commit   string
	Parents  []string
	Author   string
	Email    string
	Date     time.Time
	Subject  string
	Trailers []Trailer
	Before   string // blob id in the (first) parent, "" where it had none
	After    string // blob id, "" where the commit deleted it
}

// History lists the commits that changed the file, newest first. max 0 is no limit. It ends early when fn returns false.
// rev "" is HEAD; "--all" every ref.
func (r *Repo) History(ctx context.Context, rev, path string, max int, fn func(Version) bool) error {
	panic("stub")
}

// Pushed reports whether some remote-tracking branch contains the commit.
func (r *Repo) Pushed(ctx context.Context, commit string) bool { panic("stub") }

// HasRemote reports whether a remote is configured.
func (c *Config) HasRemote() bool { panic("stub") }
