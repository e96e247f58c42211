package gitops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
)

// Shallow reports whether the repository's history was cut off by a shallow
// clone.
func (r *Repo) Shallow() bool {
	info, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && info.Size() > 0
}

// Partial reports whether objects of the history may be missing here on purpose: git
// has fetched some of them from a remote that promises the rest.
func (r *Repo) Partial() bool {
	return len(safefile.Glob(r.CommonDir, "objects/pack/*.promisor")) > 0
}

// ShallowAt reports whether the commit is where a shallow clone was cut off: its
// parents are not here, so what it changed is not known.
func (r *Repo) ShallowAt(commit string) bool {
	list, err := os.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	return err == nil && slices.Contains(strings.Fields(string(list)), commit)
}
