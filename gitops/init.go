package gitops

import (
	"context"
	"fmt"
	"os"
)

// Init makes a repository at dir (branch main, no hooks or other template
// files), for stores of our own. The folder is made if missing, for this user
// alone; a repository that is there already stays as it is. Errors: *BlockedError, *Error.
func Init(ctx context.Context, dir string) (*Repo, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	env := cleanEnvironment(repositoryVariables...)
	c := call{args: []string{"init", "-q", "--template=", "."}, config: []string{"init.defaultBranch=main"}, writes: true}
	if _, err := runGit(ctx, dir, env, c); err != nil {
		return nil, publicError(err)
	}
	return Open(dir)
}
