package worktree

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
)

// Smudged is an object (an id, or COMMIT:PATH) as git would write it into the
// worktree at path: through its filters, its encoding and its line ends.
// Errors: fault.Blocked; *Error, also where a filter fails.
func Smudged(ctx context.Context, r *gitops.Repo, name, path string) ([]byte, error) {
	if err := gitops.CheckPath(path); err != nil {
		return nil, err
	}
	if name == "" || name[0] == '-' {
		return nil, fmt.Errorf("%q: no object", name)
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"cat-file", "--filters", "--path=" + path, name}})
	return out, gitops.PublicError(err)
}

// WorktreeEncoding is the encoding that the attribute working-tree-encoding
// gives the file in the worktree; "" where that is UTF-8, and where git cannot say.
func WorktreeEncoding(ctx context.Context, r *gitops.Repo, path string) string {
	files := gitops.Attached[attributeFiles](r)
	files.mu.Lock()
	may := gitops.CheckPath(path) == nil && mayConvert(r, path, func(rule attributeRule) bool { return rule.encoding })
	files.mu.Unlock()
	if !may {
		return ""
	}
	return conversionOf(ctx, r, path).encoding
}

// Filtered reports whether git keeps the file at path as a filter or an encoding makes
// it, so that it takes git to give back what was written.
func Filtered(ctx context.Context, r *gitops.Repo, path string) bool {
	c := conversionOf(ctx, r, path)
	return c.filter || c.encoding != ""
}

// Clean stores bytes as git would store them for the file at path: through its
// filters, its encoding and its line ends. It gives the blob's id. Errors:
// fault.Blocked; *Error, also where a filter fails.
func Clean(ctx context.Context, r *gitops.Repo, path string, data []byte) (string, error) {
	if err := gitops.CheckPath(path); err != nil {
		return "", err
	}
	if !Converts(ctx, r, path) && bytes.IndexByte(data, '\r') < 0 { // nothing to convert
		return object.NewWriter(ctx, r).Write("blob", data)
	}
	out, err := r.Git(ctx, gitops.Call{Args: []string{"hash-object", "-w", "--stdin", "--path=" + path}, Config: gitops.QuietConfig(), Stdin: append([]byte{}, data...), Writes: true})
	if err != nil {
		return "", r.Explain(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Converts reports whether git keeps the file at path in another form than it
// has in the worktree, line ends aside: behind a filter, in another encoding,
// with its id taken out. It may report so where nothing changes. What git cannot
// say counts as no.
func Converts(ctx context.Context, r *gitops.Repo, path string) bool {
	return Filtered(ctx, r, path) || conversionOf(ctx, r, path).ident
}
