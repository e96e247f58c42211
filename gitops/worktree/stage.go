package worktree

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
)

// Stage puts one file, as it stands in the worktree, into the index (a deleted
// one as deleted), for those who commit memory along with their own work.
// Errors: fault.Blocked where git cannot or shall not (an operation in
// progress is no hindrance); *Error.
func Stage(ctx context.Context, r *gitops.Repo, path string) error {
	if r.IndexElsewhere() {
		return gitops.Blocked(gitops.WhyInside, "")
	}
	if _, _, err := SortPaths(ctx, r, []string{path}); err != nil {
		return err
	}
	return AddFiles(ctx, r, []string{path})
}

// MarkResolved is Stage for a file that the index has in conflict: its stages
// become the file as it stands. Errors: as Stage.
func MarkResolved(ctx context.Context, r *gitops.Repo, path string) error {
	if r.IndexElsewhere() {
		return gitops.Blocked(gitops.WhyInside, "")
	}
	if err := gitops.CheckPath(path); err != nil {
		return err
	}
	return AddFiles(ctx, r, []string{path})
}

// AddFiles makes untracked files known to the index, ignored ones too.
func AddFiles(ctx context.Context, r *gitops.Repo, paths []string) error {
	return r.Retry(ctx, func() error { return addOnce(ctx, r, paths, nil) })
}

// addOnce is AddFiles for the index that the environment names, without waiting for a lock.
func addOnce(ctx context.Context, r *gitops.Repo, paths, env []string) error {
	if len(paths) > gitops.MaxArgPaths {
		_, err := r.Git(ctx, gitops.Call{Args: []string{"update-index", "--add", "-z", "--stdin"}, Config: gitops.QuietConfig(), Stdin: gitops.PathsOnStdin(paths), Env: env, Writes: true})
		return err
	}
	run := func(options ...string) error {
		args := append([]string{"add", "-f"}, options...)
		_, err := r.Git(ctx, gitops.Call{Args: append(append(args, "--"), paths...), Config: gitops.QuietConfig(), Env: env, Writes: true})
		return err
	}
	err := run()
	if gitops.StatusOf(err) == 1 {
		// Outside a sparse checkout git wants to be told twice. Older ones do
		// not know the option, so it is not given at once.
		if sparse := run("--sparse"); sparse == nil {
			return nil
		}
	}
	return err
}

// Unstage takes files out of the index that HEAD does not have: new ones, which
// an act staged that was taken back, or whose commit did not come about. What
// another git committed in the meantime stays. Errors: fault.Blocked, *Error.
func Unstage(ctx context.Context, r *gitops.Repo, paths []string) error {
	entries, err := indexEntries(ctx, r, paths)
	if err != nil {
		return err
	}
	var left []string
	for _, p := range paths {
		if _, staged := entries[p]; !staged {
			continue
		}
		in, err := inHead(ctx, r, p)
		if err != nil {
			return err
		}
		if !in {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return unadd(ctx, r, left)
}

// UnaddSince takes back AddFiles where no commit of ours followed: the index shall
// be as it was found, less what another git has committed since.
func UnaddSince(ctx context.Context, r *gitops.Repo, before gitops.State, paths []string) error {
	// The call's own time may be over, and the index still has to be mended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gitops.LockPatience)
	defer cancel()
	now, err := r.State()
	if err != nil || now.Head != before.Head {
		return errors.Join(err, Unstage(ctx, r, paths))
	}
	return unadd(ctx, r, paths)
}

// unadd takes files out of the index.
func unadd(ctx context.Context, r *gitops.Repo, paths []string) error {
	c := gitops.Call{Args: append([]string{"rm", "--cached", "-q", "--force", "--ignore-unmatch", "--"}, paths...), Writes: true}
	if len(paths) > gitops.MaxArgPaths {
		c.Args, c.Stdin = []string{"update-index", "--force-remove", "-z", "--stdin"}, gitops.PathsOnStdin(paths)
	}
	return r.Retry(ctx, func() error {
		_, err := r.Git(ctx, c)
		return err
	})
}
