package gitops

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// IsCloneOf reports whether both are repositories of one project, as far as that can
// be told: they have a first commit in common, or a remote, or one is the other's.
func (r *Repo) IsCloneOf(ctx context.Context, other *Repo) bool {
	mine, theirs := r.remoteAddresses(ctx), other.remoteAddresses(ctx)
	both := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
	}
	return both(append(mine, r.Root), append(theirs, other.Root)) || both(r.firstCommits(ctx), other.firstCommits(ctx))
}

// remoteAddresses are the addresses of all remotes, paths from the root of the disk.
func (r *Repo) remoteAddresses(ctx context.Context) (list []string) {
	out, err := r.git(ctx, call{args: []string{"config", "--get-regexp", `^remote\..*\.url$`}})
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
func (r *Repo) firstCommits(ctx context.Context) []string {
	out, err := r.git(ctx, call{args: []string{"rev-list", "--max-parents=0", "HEAD", "--"}})
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// LocalRemote is the remote's folder where it is one that git reaches by its
// path; "" where it is elsewhere.
func (r *Repo) LocalRemote(ctx context.Context, remote string) string {
	dir := strings.TrimPrefix(r.RemoteURL(ctx, remote), "file://")
	for _, gitDir := range []string{filepath.Join(dir, ".git"), dir, dir + ".git"} {
		if filepath.IsAbs(dir) && exists(filepath.Join(gitDir, "HEAD")) && exists(filepath.Join(gitDir, "objects")) {
			return gitDir
		}
	}
	return ""
}

// DropDeadRemoteLocks is DropDeadLocks for a remote on this machine: a push that
// is killed takes the git with it that works there. One that is elsewhere is its
// own host's to mend.
func (r *Repo) DropDeadRemoteLocks(ctx context.Context, remote string, since time.Time) bool {
	dir := r.LocalRemote(ctx, remote)
	return dir == "" || (&Repo{Root: dir, GitDir: dir, CommonDir: dir}).DropDeadLocks(ctx, since)
}
