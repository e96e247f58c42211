package cmd

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/memfile"
)

// checkMergeDriver tells whether git merges memory item by item here. Where there
// is no memory yet, init will see to it.
func checkMergeDriver(ctx context.Context, repo *gitops.Repo) []check {
	if _, err := os.Lstat(filepath.Join(repo.Root, memfile.FileName)); err != nil {
		return nil
	}
	c := check{Name: "merge driver", Status: checkOK, Said: mergesByMeaning, about: aboutMerge}
	return []check{c.ofMergeDriver(ctx, repo)}
}

const mergesByMeaning = "git merges memory item by item"

// ofMergeDriver is the check with what the repository says.
func (c check) ofMergeDriver(ctx context.Context, repo *gitops.Repo) check {
	there, err := remotes.MergeDriver(ctx, repo)
	switch {
	case err != nil:
		c.Status, c.Said, c.Fix = checkWarn, "git merges memory as text: "+err.Error(), "git rev-parse --git-path info/attributes"
	case !there:
		c.Status, c.Said, c.Fix = checkWarn, "git merges memory as text", "memctl doctor --fix"
	}
	return c
}

// fixMergeDriver sets the driver in the repository of the current folder, if
// there is one, and reports whether it had to.
func fixMergeDriver(ctx context.Context) (changed bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return false, err
	}
	repo, err := gitops.Find(dir)
	if err != nil || repo.Refused(ctx) != nil {
		return false, nil // the checks say so
	}
	return remotes.SetMergeDriver(ctx, repo)
}
