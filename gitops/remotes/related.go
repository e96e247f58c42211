package remotes

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
)

// IsCloneOf reports whether both are repositories of one project, as far as that can
// be told: they have a first commit in common, or a remote, or one is the other's.
func IsCloneOf(ctx context.Context, r *gitops.Repo, other *gitops.Repo) bool {
	mine, theirs := remoteAddresses(ctx, r), remoteAddresses(ctx, other)
	both := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	return both(append(mine, r.Root), append(theirs, other.Root)) || both(firstCommits(ctx, r), firstCommits(ctx, other))
}

// remoteAddresses are the addresses of all remotes, paths from the root of the disk.
func remoteAddresses(ctx context.Context, r *gitops.Repo) (list []string) {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"config", "--get-regexp", `^remote\..*\.url$`}})
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		_, address, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.Contains(address, ":") && !filepath.IsAbs(address) {
			address = filepath.Join(r.Root, address)
		}
		address = strings.TrimSuffix(strings.TrimRight(address, "/"), ".git")
		list = append(list, strings.TrimRight(address, "/"))
	}
	return list
}

// firstCommits are those of HEAD's history that have no parent.
func firstCommits(ctx context.Context, r *gitops.Repo) []string {
	out, err := r.Git(ctx, gitops.Call{Args: []string{"rev-list", "--max-parents=0", "HEAD", "--"}})
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// LocalRemote is the remote's folder where it is one that git reaches by its
// path; "" where it is elsewhere.
func LocalRemote(ctx context.Context, r *gitops.Repo, remote string) string {
	dir := strings.TrimPrefix(RemoteURL(ctx, r, remote), "file://")
	for _, gitDir := range []string{filepath.Join(dir, ".git"), dir, dir + ".git"} {
		if filepath.IsAbs(dir) && gitops.Exists(filepath.Join(gitDir, "HEAD")) && gitops.Exists(filepath.Join(gitDir, "objects")) {
			return gitDir
		}
	}
	return ""
}

// DropDeadRemoteLocks is DropDeadLocks for a remote on this machine: a push that
// is killed takes the git with it that works there. One that is elsewhere is its
// own host's to mend.
func DropDeadRemoteLocks(ctx context.Context, r *gitops.Repo, remote string, since time.Time) bool {
	dir := LocalRemote(ctx, r, remote)
	return dir == "" || (&gitops.Repo{Root: dir, GitDir: dir, CommonDir: dir}).DropDeadLocks(ctx, since)
}
