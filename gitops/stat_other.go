//go:build !linux

package gitops

import (
	"io/fs"

	"github.com/memctl/memctl/gitops/indexfile"
)

// StatRecord knows nothing here: what a file's times and place are called differs from system to
// system, so git is asked.
func StatRecord(fs.FileInfo) (indexfile.Entry, bool) { return indexfile.Entry{}, false }
