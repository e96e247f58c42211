package integrity

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
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
	return out.Bytes, asideNotes(out.Aside), nil
}

// asideNotes says what a merge set aside, a line for each reason.
func asideNotes(list []merge.Aside) []string {
	var notes []string
	for _, why := range []struct{ why, text string }{
		{merge.AsideConflict, "changed on both sides; both values kept: %s; memctl review lists them"},
		{merge.AsideForgotten, "forgotten on one side and changed on the other; forgotten now: %s; the tombstone keeps a value that a person set, and memctl restore KEY restores it"},
		{merge.AsideKept, "removed on one side and changed on the other; kept: %s"},
		{merge.AsideField, "unknown fields, changed on both sides; one value kept: %s; git has the other"},
		{merge.AsideLacking, "missing from the damaged file, and kept: %s"},
	} {
		var keys []string
		for _, a := range list {
			if a.Why == why.why {
				keys = append(keys, cmp.Or(policy.Inert(memory.Redacted(a.Key)), "a text that was forgotten"))
			}
		}
		if len(keys) > 0 {
			note := fmt.Sprintf(why.text, strings.Join(keys, ", "))
			if len(keys) == 1 {
				note = strings.Replace(note, "restore KEY", "restore "+keys[0], 1)
			}
			notes = append(notes, note)
		}
	}
	return notes
}
