package gitops

import (
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/indexfile"
)

// changedTree stores the tree with the changes in it, whose paths are relative to it, and
// gives its id; "" where nothing is left in it. was is "" where there was none. Errors:
// errGits where a name is now something else than a file or a folder.
func changedTree(o objectReader, w objectWriter, was string, changes []indexfile.Change) (string, error) {
	items, err := treeItems(o, was)
	if err != nil {
		return "", err
	}
	below := map[string][]indexfile.Change{}
	for _, c := range changes {
		name, rest, deep := strings.Cut(c.Path, "/")
		old, known := items[name]
		switch {
		case deep && known && old.mode != folderMode, !deep && known && !strings.HasPrefix(old.mode, regularMode):
			return "", errGits
		case deep:
			below[name] = append(below[name], indexfile.Change{Path: rest, Entry: c.Entry})
		case c.Entry == nil:
			delete(items, name)
		default:
			items[name] = treeItem{"100644", name, c.Entry.ID}
		}
	}
	for name, list := range below {
		id, err := changedTree(o, w, items[name].id, list)
		if err != nil {
			return "", err
		}
		if id == "" {
			delete(items, name)
		} else {
			items[name] = treeItem{folderMode, name, id}
		}
	}
	if len(items) == 0 {
		return "", nil
	}
	return putTree(w, slices.Collect(maps.Values(items)))
}
