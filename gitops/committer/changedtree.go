package committer

import (
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
)

// changedTree stores the tree with the changes in it, whose paths are relative to it, and
// gives its id; "" where nothing is left in it. was is "" where there was none. Errors:
// errGits where a name is now something else than a file or a folder.
func changedTree(o object.Reader, w object.Writer, was string, changes []indexfile.Change) (string, error) {
	items, err := object.ReadItems(o, was)
	if err != nil {
		return "", err
	}
	below := map[string][]indexfile.Change{}
	for _, c := range changes {
		name, rest, deep := strings.Cut(c.Path, "/")
		old, known := items[name]
		switch {
		case deep && known && old.Mode != object.FolderMode, !deep && known && !strings.HasPrefix(old.Mode, object.RegularMode):
			return "", errGits
		case deep:
			below[name] = append(below[name], indexfile.Change{Path: rest, Entry: c.Entry})
		case c.Entry == nil:
			delete(items, name)
		default:
			items[name] = object.Item{Mode: "100644", Name: name, ID: c.Entry.ID}
		}
	}
	for name, list := range below {
		id, err := changedTree(o, w, items[name].ID, list)
		if err != nil {
			return "", err
		}
		if id == "" {
			delete(items, name)
		} else {
			items[name] = object.Item{Mode: object.FolderMode, Name: name, ID: id}
		}
	}
	if len(items) == 0 {
		return "", nil
	}
	return object.PutTree(w, slices.Collect(maps.Values(items)))
}
