package gitops

import (
	"context"
	"errors"
)

// Stage puts one file, as it stands in the worktree, into the index (a deleted
// one as deleted), for those who commit memory along with their own work.
// Errors: *BlockedError where git cannot or shall not (an operation in
// progress is no hindrance); *Error.
func (r *Repo) Stage(ctx context.Context, path string) error {
	if r.indexElsewhere() {
		return &BlockedError{Why: WhyInside}
	}
	if _, _, err := r.sortPaths(ctx, []string{path}); err != nil {
		return err
	}
	return r.addFiles(ctx, []string{path})
}

// MarkResolved is Stage for a file that the index has in conflict: its stages
// become the file as it stands. Errors: as Stage.
func (r *Repo) MarkResolved(ctx context.Context, path string) error {
	if r.indexElsewhere() {
		return &BlockedError{Why: WhyInside}
	}
	if err := checkPath(path); err != nil {
		return err
	}
	return r.addFiles(ctx, []string{path})
}

// addFiles makes untracked files known to the index, ignored ones too.
func (r *Repo) addFiles(ctx context.Context, paths []string) error {
	return r.retry(ctx, func() error { return r.addOnce(ctx, paths, nil) })
}

// addOnce is addFiles for the index that the environment names, without waiting for a lock.
func (r *Repo) addOnce(ctx context.Context, paths, env []string) error {
	if len(paths) > maxArgPaths {
		// What git takes for a big file goes into one pack, and not into a file of
		// its own: making thousands of them is most of the work.
		config := append(quietConfig(), "core.bigFileThreshold=1")
		_, err := r.git(ctx, call{args: []string{"update-index", "--add", "-z", "--stdin"}, config: config, stdin: onStdin(paths), env: env, writes: true})
		return err
	}
	run := func(options ...string) error {
		args := append([]string{"add", "-f"}, options...)
		_, err := r.git(ctx, call{args: append(append(args, "--"), paths...), config: quietConfig(), env: env, writes: true})
		return err
	}
	err := run()
	if statusOf(err) == 1 {
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
// another git committed in the meantime stays. Errors: *BlockedError, *Error.
func (r *Repo) Unstage(ctx context.Context, paths []string) error {
	entries, err := r.indexEntries(ctx, paths)
	if err != nil {
		return err
	}
	var left []string
	for _, p := range paths {
		if _, staged := entries[p]; !staged {
			continue
		}
		in, err := r.inHead(ctx, p)
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
	return r.unadd(ctx, left)
}

// unaddSince takes back addFiles where no commit of ours followed: the index shall
// be as it was found, less what another git has committed since.
func (r *Repo) unaddSince(ctx context.Context, before State, paths []string) error {
	// The call's own time may be over, and the index still has to be mended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockPatience)
	defer cancel()
	now, err := r.State()
	if err != nil || now.Head != before.Head {
		return errors.Join(err, r.Unstage(ctx, paths))
	}
	return r.unadd(ctx, paths)
}

// unadd takes files out of the index.
func (r *Repo) unadd(ctx context.Context, paths []string) error {
	c := call{args: append([]string{"rm", "--cached", "-q", "--force", "--ignore-unmatch", "--"}, paths...), writes: true}
	if len(paths) > maxArgPaths {
		c.args, c.stdin = []string{"update-index", "--force-remove", "-z", "--stdin"}, onStdin(paths)
	}
	return r.retry(ctx, func() error {
		_, err := r.git(ctx, c)
		return err
	})
}
