package gitops

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

const (
	// asideMessage stands in the branch's reflog where a commit was put aside.
	asideMessage = "memctl: put aside for a rebase"
	// asidePatience is how long a rebase that has left its mark is waited for until it has
	// left the branch: milliseconds, where it opens no editor before.
	asidePatience = 300 * time.Millisecond
	asideLook     = 5 * time.Millisecond
)

// PutAside takes the commit off the branch where a rebase of it runs that has noted the
// commit before, and so could not put the branch to its end. The rebase itself has taken the
// files from the tree when it left the branch. It reports whether it has; DroppedUnknowing
// lists the move then.
func (r *Repo) PutAside(ctx context.Context, commit string) bool {
	branch := ""
	for end := time.Now().Add(asidePatience); branch == ""; {
		s, err := r.State()
		if err != nil || s.Operation != "rebase" || time.Now().After(end) || ctx.Err() != nil {
			return false
		}
		if s.Branch == "" {
			branch = r.rebased("head-name")
		}
		if branch == "" {
			time.Sleep(asideLook)
		}
	}
	now, target, err := r.readRef(branch)
	_, parent, parentErr := r.BlobsAt(ctx, commit, nil)
	if err != nil || parentErr != nil || target != "" || now != commit || parent == "" || parent != r.rebased("orig-head") {
		return false
	}
	_, err = r.git(ctx, call{args: []string{"update-ref", "--no-deref", "-m", asideMessage, branch, parent, commit}, writes: true})
	return err == nil
}

// rebased is what the rebase in progress has noted under the name.
func (r *Repo) rebased(name string) string {
	for _, dir := range []string{"rebase-merge", "rebase-apply"} {
		if data, err := readSmall(filepath.Join(r.GitDir, dir, name)); err == nil {
			return strings.TrimSpace(string(data))
		}
	}
	return ""
}
