package txn

import (
	"context"
	"path/filepath"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Foreign is the error of a file called memories.md that never was a memory file; sealed
// says that it is no text, but encrypted or packed.
func Foreign(scope, name string, sealed bool) error {
	why := "it contains no memory"
	if sealed {
		why = "it is not text; it may be encrypted or compressed"
	}
	return &fault.Error{Code: fault.NotAMemoryFile, Thing: name, Cause: "is not a memory file: " + why, Scope: scope}
}

// otherEncoding is the error of a file, by its path from the store's folder, that git has
// to find in another encoding. It refuses a commit of it in UTF-8, the person's too, or
// keeps other letters than were written.
func otherEncoding(ctx context.Context, st *store.Store, name string) error {
	if st.Repo == nil {
		return nil
	}
	encoding := worktree.WorktreeEncoding(ctx, st.Repo, st.GitPathOf(name))
	switch {
	case encoding == "":
		return nil
	case name == memfile.FileName:
		name = st.Name()
	}
	attributes := shell.Quote(filepath.Join(filepath.Dir(st.Name()), ".gitattributes"))
	return &fault.Error{
		Code: fault.NotAMemoryFile, Thing: name, Scope: st.Scope,
		Hints: []string{"echo '/memories.md working-tree-encoding=UTF-8' >>" + attributes, "echo '/memories/** working-tree-encoding=UTF-8' >>" + attributes},
		Cause: "is not a memory file: its git attribute working-tree-encoding is " + encoding + ", but memory files are UTF-8",
	}
}
