package remotes

import (
	"context"
	"os"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
)

// Borrow fetches one revision of another repository, without its history, into a repository
// in a new temporary folder, and hands it and the commit to use. The folder is removed
// afterwards. Nothing is checked out: no filter, hook or submodule of the other repository
// takes part. remote is an address of https or ssh, or a path; revision is a branch, a tag or
// a whole commit id, "" the default branch. Errors: as Heads; those of use.
func Borrow(ctx context.Context, net Network, remote, revision string, use func(r *gitops.Repo, commit string) error) error {
	if revision == "" {
		revision = "HEAD"
	}
	if strings.HasPrefix(revision, "-") || strings.HasPrefix(remote, "-") || strings.ContainsAny(revision, ": \n*^~") {
		return fault.New(fault.UnknownRevision, revision, "unknown revision")
	}
	dir, err := os.MkdirTemp("", "memctl-skills-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := gitops.Init(ctx, dir, func(*gitops.Repo) {})
	if err != nil {
		return err
	}
	net.only = "https:ssh:file"
	if _, err := reach(ctx, r, net, remote, "fetch", progressFlag(net), "--depth=1", "--no-tags", "--no-recurse-submodules", "--", remote, revision); err != nil {
		return err
	}
	commit, err := object.Resolve(ctx, r, "FETCH_HEAD")
	if err != nil {
		return err
	}
	return use(r, commit)
}
