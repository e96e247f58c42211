package store

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/store/statedir"
)

// branches is the local state about branches.
type branches struct {
	Init string `json:"init,omitempty"` // where init ran
}

// DefaultBranch is the repository's default branch: the one that HEAD of the remote names; without it main or master, if the
// remote has one; else the branch on which init ran; "" if none of them is known. It starts no process.
func (ss *Stores) DefaultBranch(ctx context.Context) string {
	if !ss.HasRemote(ctx) {
		return ""
	}
	remote := "refs/remotes/" + ss.LookupConfig(ctx).Upstream + "/"
	if _, target, err := ss.repo.ReadRef(remote + "HEAD"); err == nil && strings.HasPrefix(target, remote) {
		return strings.TrimPrefix(target, remote)
	}
	for _, name := range []string{"main", "master"} {
		if id, _, err := ss.repo.ReadRef(remote + name); err == nil && id != "" {
			return name
		}
	}
	return ss.InitBranch()
}

// InitBranch is the branch on which init ran; "" where it is not known.
func (ss *Stores) InitBranch() string {
	known, _ := ss.branches().Read()
	return known.Init
}

// NoteInit keeps the name of the branch on which the project's memory file was created. Errors: the local state cannot be
// written.
func (ss *Stores) NoteInit() error {
	state, err := ss.repo.State()
	if err != nil || state.Branch == "" {
		return err
	}
	return ss.branches().Write(branches{state.Branch})
}

func (ss *Stores) branches() statedir.File[branches] {
	return statedir.File[branches]{In: ss.RepositoryState(), Name: "branches.json", Quick: true}
}

// FeatureBranch reports whether another branch than the default one is checked out, and names it: "" with a detached HEAD.
// Without a remote or a known default branch it reports false.
func (ss *Stores) FeatureBranch(ctx context.Context) (branch string, ok bool) {
	name := ss.DefaultBranch(ctx)
	if name == "" {
		return "", false
	}
	state, err := ss.repo.State()
	return state.Branch, err == nil && state.Branch != name
}
