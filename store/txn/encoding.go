package txn

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

// ForeignError is a file called memories.md that never was a memory file, or a
// file of memory that git shall find in an encoding other than memory's UTF-8.
type ForeignError struct {
	Scope      string
	Name       string
	Encoding   string
	Attributes string // the file of attributes nearest to it, with Encoding
	Sealed     bool   // it is no text: encrypted or packed
}

func (e *ForeignError) Error() string {
	if e.Encoding != "" {
		return fmt.Sprintf("%q: is not a memory file: its git attribute working-tree-encoding is %s, and memory is UTF-8", e.Name, e.Encoding)
	}
	if e.Sealed {
		return fmt.Sprintf("%q: is not a memory file: it is no text, as an encrypted or a packed file is", e.Name)
	}
	return fmt.Sprintf("%q: is not a memory file: nothing in it is memory", e.Name)
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
	return &ForeignError{Scope: st.Scope, Name: name, Encoding: encoding, Attributes: filepath.Join(filepath.Dir(st.Name()), ".gitattributes")}
}
