package rewrite

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/shell"
)

// FilterRepo reports whether `git filter-repo` is installed.
func FilterRepo(ctx context.Context, r *gitops.Repo) bool {
	const name = "git-filter-repo"
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	dir, err := r.Git(ctx, gitops.Call{Args: []string{"--exec-path"}})
	return err == nil && gitops.Exists(filepath.Join(strings.TrimSpace(string(dir)), name))
}

// Filtered are the refs among those of Reaching that git filter-repo can rewrite:
// branches, tags and the newest entry of the stash.
func Filtered(refs []string) (list []string) {
	for _, ref := range refs {
		switch {
		case strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/"):
			list = append(list, ref)
		case ref == stashEntry+"0}":
			list = append(list, stashRef)
		}
	}
	return list
}

// FilterCommands are the commands with which a person removes a text from the refs that
// Reaching found, each to be run where all before it ended well: git filter-repo with
// the rules in a file, the pushes, and the deletion of what no ref leads to then. Rules
// is "" where Filtered is empty. Errors: fault.Blocked; *Error.
func FilterCommands(ctx context.Context, r *gitops.Repo, refs []string, rules string) (list []string, err error) {
	if filtered := Filtered(refs); len(filtered) > 0 {
		// Without --refs filter-repo rewrites refs/memctl too, and makes branches of
		// remote-tracking refs. It wants --force outside of a fresh clone.
		line := "git filter-repo --force --replace-text " + shell.Quote(rules) + " --replace-message " + shell.Quote(rules) + " --refs"
		for _, ref := range filtered {
			line += " " + shell.Quote(ref)
		}
		if list = append(list, line); slices.Contains(filtered, stashRef) {
			// Filter-repo puts the rewritten entry on top of the one as it was.
			old, err := r.Git(ctx, gitops.Call{Args: []string{"rev-parse", stashRef}})
			if err != nil {
				return nil, gitops.PublicError(err)
			}
			list = append(list, `test "$(git rev-parse 'stash@{1}')" = `+strings.TrimSpace(string(old)), "git stash drop -q 'stash@{1}'")
		}
	}
	remotes, err := remotes(ctx, r)
	for _, remote := range remotes {
		line := ""
		for _, ref := range refs {
			if of, branch := remoteOf(ref, remotes); of == remote && slices.Contains(refs, "refs/heads/"+branch) {
				line += " " + shell.Quote(branch)
			}
		}
		if line != "" {
			list = append(list, "git push --force-with-lease "+shell.Quote(remote)+line)
		}
	}
	return append(list, "git -c "+strings.Join(noReflogs(), " -c ")+" gc -q --prune=now"), err
}
