package gitops

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// treeItem is one entry of a tree.
type treeItem struct{ mode, name, id string }

// folderMode is the mode of folders in trees.
const folderMode = "40000"

// order is the name by which git sorts: a folder as if it ended in a slash.
func (i treeItem) order() string {
	if i.mode == folderMode {
		return i.name + "/"
	}
	return i.name
}

// putTree stores a tree.
func putTree(w objectWriter, items []treeItem) (string, error) {
	slices.SortFunc(items, func(a, b treeItem) int { return strings.Compare(a.order(), b.order()) })
	var data []byte
	for _, i := range items {
		id, err := hex.DecodeString(i.id)
		if err != nil {
			return "", fmt.Errorf("%q: no object id", i.id)
		}
		data = append(fmt.Appendf(data, "%s %s\x00", i.mode, i.name), id...)
	}
	return w.write("tree", data)
}

// treeItems reads a tree, by name; an empty one for "".
func treeItems(o objectReader, id string) (map[string]treeItem, error) {
	items := map[string]treeItem{}
	if id == "" {
		return items, nil
	}
	kind, data, err := o.read(id)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("%q: a %s, not a tree", id, kind)
	}
	list, err := parseTree(data, len(id)/2)
	for _, i := range list {
		items[i.name] = i
	}
	return items, damagedTree(id, err)
}

// parseTree reads the bytes of a tree, in which ids have that many bytes.
func parseTree(data []byte, idLen int) (items []treeItem, err error) {
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, whole := strings.Cut(string(head), " ")
		if !ok || !whole || len(rest) < idLen {
			return items, errTree
		}
		items = append(items, treeItem{mode, name, hex.EncodeToString(rest[:idLen])})
		data = rest[idLen:]
	}
	return items, nil
}

// errTree: the bytes are no tree.
var errTree = errors.New("a tree that cannot be read")

func damagedTree(id string, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", id, err)
	}
	return nil
}

// writeTree stores the tree of the files (path to blob id) with its folders.
func writeTree(w objectWriter, files map[string]string) (string, error) {
	var items []treeItem
	folders := map[string]map[string]string{}
	for p, id := range files {
		name, rest, deep := strings.Cut(p, "/")
		if !deep {
			items = append(items, treeItem{"100644", name, id})
			continue
		}
		if folders[name] == nil {
			folders[name] = map[string]string{}
		}
		folders[name][rest] = id
	}
	for name, inside := range folders {
		id, err := writeTree(w, inside)
		if err != nil {
			return "", err
		}
		items = append(items, treeItem{folderMode, name, id})
	}
	return putTree(w, items)
}

// readTree lists the files of a tree with its folders (path to blob id).
func readTree(o objectReader, tree, prefix string, into map[string]string) error {
	items, err := treeItems(o, tree)
	if err != nil {
		return damaged(tree, err)
	}
	for _, i := range items {
		if i.mode != folderMode {
			into[prefix+i.name] = i.id
		} else if err := readTree(o, i.id, prefix+i.name+"/", into); err != nil {
			return err
		}
	}
	return nil
}
