package gitops

import "context"

// Stage puts one file's content into the index, for those who commit memory
// along with their own work.
func (r *Repo) Stage(ctx context.Context, path string) error {
	return r.add(ctx, []string{path})
}
