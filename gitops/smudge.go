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
// gives the file in the worktree; "" where it is none, and where git cannot say.
func (r *Repo) WorktreeEncoding(ctx context.Context, path string) string {
	if checkPath(path) != nil {
		return ""
	}
	out, err := r.git(ctx, call{args: []string{"check-attr", "-z", "working-tree-encoding", "--", path}})
	field := strings.Split(string(out), "\x00") // path, attribute, value
	if err != nil || len(field) < 3 || field[2] == "unspecified" || field[2] == "unset" || field[2] == "set" {
		return ""
	}
	return field[2]
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
// has in the worktree, line ends aside: behind a filter, in another encoding.
// It may report so where nothing changes. What git cannot say counts as no.
func (r *Repo) Converts(ctx context.Context, path string) bool {
	if checkPath(path) != nil {
		return false
	}
	out, err := r.git(ctx, call{args: []string{"check-attr", "-z", "filter", "working-tree-encoding", "ident", "--", path}})
	if err != nil {
		return false
	}
	fields := strings.Split(string(out), "\x00") // path, attribute, value, and again
	for i := 2; i < len(fields); i += 3 {
		if v := fields[i]; v != "unspecified" && v != "unset" {
			return true
		}
	}
	return false
}
