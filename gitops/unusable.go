package gitops

import (
	"context"
	"runtime"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// unusable is the error of a folder, the worktree's top, with a git folder that git cannot
// work with. mend is the command that mends it, "" where none is known.
func unusable(top, what, mend string) *fault.Error {
	return &fault.Error{Code: fault.Unusable, Thing: top, Cause: "git cannot use the repository: " + what, Way: mend}
}

// Refused is fault.Unusable where git refuses to work in the repository, because it
// belongs to another user and safe.directory does not name it; nil where git works there,
// or does not answer. Git is asked only about a repository of another user.
func (r *Repo) Refused(ctx context.Context) error {
	if runtime.GOOS == "windows" || IsOwn(r) {
		return nil
	}
	_, err := r.Git(ctx, Call{Args: []string{"rev-parse", "--git-dir"}})
	blocked := fault.Find(err, fault.Blocked)
	if blocked == nil || blocked.Why != WhyOwnership {
		return nil
	}
	e := unusable(r.Root, "it belongs to another user ("+WhyOwnership+")", "")
	for line := range strings.Lines(blocked.Detail) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "git config ") {
			e.Way = line
		}
	}
	return e
}
