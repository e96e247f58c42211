package gitops

import (
	"context"
	"fmt"
	"strings"
)

// Smudged is an object (an id, or COMMIT:PATH) as git would write it into the
// worktree at path: through its filters, its encoding and its line ends.
// Errors: *BlockedError; *Error, also where a filter fails.
func (r *Repo) Smudged(ctx context.Context, object, path string) ([]byte, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	if object == "" || object[0] == '-' {
		return nil, fmt.Errorf("%q: no object", object)
	}
	out, err := r.git(ctx, call{args: []string{"cat-file", "--filters", "--path=" + path, object}})
	return out, publicError(err)
}

// WorktreeEncoding is the encoding that the attribute working-tree-encoding
// gives the file in the worktree; "" where that is UTF-8, and where git cannot say.
func (r *Repo) WorktreeEncoding(ctx context.Context, path string) string {
	files := Attached[attributeFiles](r)
	files.mu.Lock()
	may := checkPath(path) == nil && r.mayConvert(path, func(rule attributeRule) bool { return rule.encoding })
	files.mu.Unlock()
	if !may {
		return ""
	}
	return r.conversionOf(ctx, path).encoding
}

// Filtered reports whether git keeps the file at path as a filter or an encoding makes
// it, so that it takes git to give back what was written.
func (r *Repo) Filtered(ctx context.Context, path string) bool {
	c := r.conversionOf(ctx, path)
	return c.filter || c.encoding != ""
}

// Clean stores bytes as git would store them for the file at path: through its
// filters, its encoding and its line ends. It gives the blob's id. Errors:
// *BlockedError; *Error, also where a filter fails.
func (r *Repo) Clean(ctx context.Context, path string, data []byte) (string, error) {
	if err := checkPath(path); err != nil {
		return "", err
	}
	out, err := r.git(ctx, call{args: []string{"hash-object", "-w", "--stdin", "--path=" + path}, config: quietConfig(), stdin: append([]byte{}, data...), writes: true})
	if err != nil {
		return "", r.explain(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Converts reports whether git keeps the file at path in another form than it
// has in the worktree, line ends aside: behind a filter, in another encoding,
// with its id taken out. It may report so where nothing changes. What git cannot
// say counts as no.
func (r *Repo) Converts(ctx context.Context, path string) bool {
	return r.Filtered(ctx, path) || r.conversionOf(ctx, path).ident
}
