package integrity

import (
	"errors"
	"fmt"
	"path"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/store/txn"
)

// MergeFileRequest is what git hands to a merge driver.
type MergeFileRequest struct {
	Path               string // in the repository: says what kind of file it is
	Base, Ours, Theirs []byte // an empty base is none
	Today              string // day, for what recovery salvages
}

// ErrNotMerged says that the files cannot be merged by meaning, so that git's
// merge of text has to do.
var ErrNotMerged = errors.New("cannot be merged item by item")

// MergeFile merges a memory file or an entry by meaning. The notes say what
// both sides could not have. A damaged memory file is recovered first, unless
// it contains a secret. Errors: ErrNotMerged, wrapped with the cause: entry.ErrOther
// where git took two entries for one, so that the base is none.
func MergeFile(req MergeFileRequest) (merged []byte, notes []string, err error) {
	if len(req.Base) == 0 {
		req.Base = nil // git gives an empty file where there is none
	}
	if path.Base(req.Path) != memfile.FileName {
		merged, notes, err = entry.Merge(entryPath(req.Path), req.Base, req.Ours, req.Theirs)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrNotMerged, err)
		}
		return merged, notes, nil
	}
	out, err := recovery.Merge(req.Path, req.Base, req.Ours, req.Theirs, recovery.Options{Today: req.Today})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotMerged, err)
	}
	return out.Bytes, txn.MergeNotes(out.Aside), nil
}
