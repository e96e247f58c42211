package remotes

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
)

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
