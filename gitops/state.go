package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// State is what is checked out.
type State struct {
	Head   string // commit id, "" when unborn
	Branch string // short name, "" when detached
	Unborn bool
}

const (
	maxSymrefs = 5       // git's own bound on links from ref to ref
	maxRef     = 4 << 10 // bytes of a ref's file
)

// errNotInFiles: the refs are not kept in files, so git has to be asked.
var errNotInFiles = errors.New("refs are not kept in files")

// State reads HEAD. It starts no process, except in a repository whose refs are kept in a
// form of their own (reftable). Errors: fault.BrokenRef; a HEAD that cannot be read.
func (r *Repo) State() (State, error) {
	name := "HEAD"
	for range maxSymrefs + 1 {
		id, next, err := r.ReadRef(name)
		switch {
		case errors.Is(err, errNotInFiles):
			return r.askHead()
		case err != nil:
			return State{}, err
		case next != "":
			name = next
		case name == "HEAD":
			if id == "" {
				return State{}, fmt.Errorf("%q: no HEAD", r.GitDir)
			}
			return State{Head: id}, nil
		default:
			return State{Head: id, Unborn: id == "", Branch: strings.TrimPrefix(name, "refs/heads/")}, nil
		}
	}
	return State{}, fmt.Errorf("%q: too many links from ref to ref", r.GitDir)
}

// ReadRef reads one ref: an id, or the name of another ref. Both are empty
// where the ref does not exist.
func (r *Repo) ReadRef(name string) (id, target string, err error) {
	file := filepath.Join(r.RefFolder(name), filepath.FromSlash(name))
	data := make([]byte, maxRef)
	n, err := safefile.ReadHead(file, data)
	data = data[:n]
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		if link, err := os.Readlink(file); err == nil && strings.HasPrefix(link, "refs/") {
			return "", link, nil // how git wrote HEAD long ago
		}
		data, err = ReadSmall(file)
	}
	if err != nil {
		// Also where a folder stands: refs/heads/a may be packed beside refs/heads/a/b's empty folder.
		if name == "HEAD" {
			return "", "", r.unreadable(name, file, err)
		}
		id, err := r.packedRef(name)
		return id, "", err
	}
	text := strings.TrimSpace(string(data))
	if t, ok := strings.CutPrefix(text, "ref:"); ok {
		t = strings.TrimSpace(t)
		if t == "refs/heads/.invalid" {
			return "", "", errNotInFiles
		}
		if !strings.HasPrefix(t, "refs/") || strings.Contains(t, "..") {
			return "", "", r.brokenRef(name, file, "leads outside refs")
		}
		return "", t, nil
	}
	if !IsID(text) {
		return "", "", r.brokenRef(name, file, "no object id")
	}
	return text, "", nil
}

// RefFolder is the git folder that has the ref's file: a few refs belong to one worktree, the others to all.
func (r *Repo) RefFolder(name string) string {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			return r.GitDir
		}
	}
	if strings.HasPrefix(name, "refs/") {
		return r.CommonDir
	}
	return r.GitDir
}

func (r *Repo) packedRef(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("packed-refs: %w", err)
	}
	want := []byte(" " + name)
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		line = bytes.TrimRight(line, "\r")
		if id, ok := bytes.CutSuffix(line, want); ok && IsID(string(id)) {
			return string(id), nil
		}
	}
	return "", nil
}

// askHead is State by git, for refs that are not kept in files.
func (r *Repo) askHead() (State, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var s State
	out, err := r.Git(ctx, Call{Args: []string{"symbolic-ref", "-q", "HEAD"}})
	if err == nil {
		s.Branch = strings.TrimPrefix(strings.TrimSpace(string(out)), "refs/heads/")
	} else if StatusOf(err) != 1 {
		return State{}, err
	}
	out, err = r.Git(ctx, Call{Args: []string{"rev-parse", "-q", "--verify", "HEAD"}})
	if err != nil && StatusOf(err) != 1 {
		return State{}, err
	}
	s.Head = strings.TrimSpace(string(out))
	s.Unborn = s.Head == ""
	return s, nil
}

// Operation names what a person has begun and not ended. A rebase comes first:
// in its course it leaves the marks of cherry-picks and merges too.
func (r *Repo) Operation() string {
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(r.GitDir, name))
		return err == nil
	}
	switch {
	case has("rebase-merge"):
		return "rebase"
	case has("rebase-apply/applying"):
		return "am"
	case has("rebase-apply"):
		return "rebase"
	case has("MERGE_HEAD"):
		return "merge"
	case has("CHERRY_PICK_HEAD"):
		if has("rebase-merge") {
			return "rebase" // begun since it was looked for
		}
		return "cherry-pick"
	case has("REVERT_HEAD"):
		return "revert"
	}
	// Between two picks of a series there is only the list of what is to do.
	if todo, err := ReadSmall(filepath.Join(r.GitDir, "sequencer", "todo")); err == nil {
		if bytes.HasPrefix(todo, []byte("revert")) {
			return "revert"
		}
		return "cherry-pick"
	}
	if has("BISECT_LOG") {
		return "bisect"
	}
	return ""
}

// OperationWhy is the reason that an operation gives against committing; "" for none.
func OperationWhy(op string) string {
	if op == "" {
		return ""
	}
	return op + inProgress
}

// IsUnfinishedOperation reports whether the reason is an operation that somebody has begun and not ended.
func IsUnfinishedOperation(why string) bool {
	return strings.HasSuffix(why, inProgress) && why != WhyCommit
}

// IsID reports whether s is a full object id in git's own spelling.
func IsID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Shallow reports whether the repository's history was cut off by a shallow
// clone.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && info.Size() > 0
}

// Partial reports whether objects of the history may be missing here on purpose: git
// has fetched some of them from a remote that promises the rest.
func (r *Repo) Partial() bool {
	return len(safefile.Glob(r.CommonDir, "objects/pack/*.promisor")) > 0
}

// ShallowAt reports whether the commit is where a shallow clone was cut off: its
// parents are not here, so what it changed is not known.
func (r *Repo) ShallowAt(commit string) bool {
	list, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && slices.Contains(strings.Fields(string(list)), commit)
}
