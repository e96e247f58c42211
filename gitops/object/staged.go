package object

import (
	"context"
	"strings"

	"github.com/memctl/memctl/gitops"
)

// StagedIn lists the entries of git's index below the folders, each with its path from the
// repository's top as its name; of a file in conflict, our side. Errors: fault.Blocked; *Error.
func StagedIn(ctx context.Context, r *gitops.Repo, folders []string) ([]Item, error) {
	out, err := r.Git(ctx, gitops.Call{Args: append([]string{"ls-files", "-s", "-z", "--"}, folders...)})
	if err != nil {
		return nil, gitops.PublicError(err)
	}
	var items []Item
	for entry := range strings.SplitSeq(string(out), "\x00") {
		meta, name, ok := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 || f[2] != "0" && f[2] != "2" {
			continue
		}
		items = append(items, Item{Mode: f[0], Name: name, ID: f[1]})
	}
	return items, nil
}
