package gitops

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// FilterRepo reports whether `git filter-repo` is installed.
func (r *Repo) FilterRepo(ctx context.Context) bool {
	const name = "git-filter-repo"
	if _, err := exec.LookPath(name); err == nil {
		return true
	}
	dir, err := r.git(ctx, call{args: []string{"--exec-path"}})
	return err == nil && exists(filepath.Join(strings.TrimSpace(string(dir)), name))
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
// is "" where Filtered is empty. Errors: *BlockedError; *Error.
func (r *Repo) FilterCommands(ctx context.Context, refs []string, rules string) (list []string, err error) {
	if filtered := Filtered(refs); len(filtered) > 0 {
		// Without --refs filter-repo rewrites refs/memctl too, and makes branches of
		// remote-tracking refs. It wants --force outside of a fresh clone.
		line := "git filter-repo --force --replace-text " + shellWord(rules) + " --replace-message " + shellWord(rules) + " --refs"
		for _, ref := range filtered {
			line += " " + shellWord(ref)
		}
		if list = append(list, line); slices.Contains(filtered, stashRef) {
			// Filter-repo puts the rewritten entry on top of the one as it was.
			old, err := r.git(ctx, call{args: []string{"rev-parse", stashRef}})
			if err != nil {
				return nil, publicError(err)
			}
			list = append(list, `test "$(git rev-parse 'stash@{1}')" = `+strings.TrimSpace(string(old)), "git stash drop -q 'stash@{1}'")
		}
	}
	remotes, err := r.remotes(ctx)
	for _, remote := range remotes {
		line := ""
		for _, ref := range refs {
			if of, branch := remoteOf(ref, remotes); of == remote && slices.Contains(refs, "refs/heads/"+branch) {
				line += " " + shellWord(branch)
			}
		}
		if line != "" {
			list = append(list, "git push --force-with-lease "+shellWord(remote)+line)
		}
	}
	return append(list, "git -c "+strings.Join(noReflogs(), " -c ")+" gc -q --prune=now"), err
}
