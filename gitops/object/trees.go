package object

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
)

// Item is one entry of a tree.
type Item struct{ Mode, Name, ID string }

// FolderMode is the mode of folders in trees.
const FolderMode = "40000"

// order is the name by which git sorts: a folder as if it ended in a slash.
func (i Item) order() string {
	if i.Mode == FolderMode {
		return i.Name + "/"
	}
	return i.Name
}

// PutTree stores a tree.
func PutTree(w Writer, items []Item) (string, error) {
	slices.SortFunc(items, func(a, b Item) int { return strings.Compare(a.order(), b.order()) })
	var data []byte
	for _, i := range items {
		id, err := hex.DecodeString(i.ID)
		if err != nil {
			return "", fmt.Errorf("%q: no object id", i.ID)
		}
		data = append(fmt.Appendf(data, "%s %s\x00", i.Mode, i.Name), id...)
	}
	return w.Write("tree", data)
}

// ReadItems reads a tree, by name; an empty one for "".
func ReadItems(o Reader, id string) (map[string]Item, error) {
	items := map[string]Item{}
	if id == "" {
		return items, nil
	}
	kind, data, err := o.Read(id)
	if err != nil {
		return nil, err
	}
	if kind != "tree" {
		return nil, fmt.Errorf("%q: a %s, not a tree", id, kind)
	}
	list, err := ParseTree(data, len(id)/2)
	for _, i := range list {
		items[i.Name] = i
	}
	return items, DamagedTree(id, err)
}

// ParseTree reads the bytes of a tree, in which ids have that many bytes.
func ParseTree(data []byte, idLen int) (items []Item, err error) {
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, whole := strings.Cut(string(head), " ")
		if !ok || !whole || len(rest) < idLen {
			return items, errTree
		}
		items = append(items, Item{mode, name, hex.EncodeToString(rest[:idLen])})
		data = rest[idLen:]
	}
	return items, nil
}

// errTree: the bytes are no tree.
var errTree = errors.New("a tree that cannot be read")

// DamagedTree adds the id of the tree to an error of ParseTree; nil stays nil.
func DamagedTree(id string, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", id, err)
	}
	return nil
}

// WriteTree stores the tree of the files (path to blob id) with its folders.
func WriteTree(w Writer, files map[string]string) (string, error) {
	var items []Item
	folders := map[string]map[string]string{}
	for p, id := range files {
		name, rest, deep := strings.Cut(p, "/")
		if !deep {
			items = append(items, Item{"100644", name, id})
			continue
		}
		if folders[name] == nil {
			folders[name] = map[string]string{}
		}
		folders[name][rest] = id
	}
	for name, inside := range folders {
		id, err := WriteTree(w, inside)
		if err != nil {
			return "", err
		}
		items = append(items, Item{FolderMode, name, id})
	}
	return PutTree(w, items)
}

// ListTree lists the files of a tree with its folders (path to blob id).
func ListTree(o Reader, tree, prefix string, into map[string]string) error {
	return eachFile(o, tree, prefix, func(i Item) error { into[i.Name] = i.ID; return nil })
}

// Files lists the files of a commit with their paths as names, and no more than most files; commit "" has none. Errors:
// fault.TooLarge; a path that nothing can be stored at; fault.Blocked; *Error.
func Files(ctx context.Context, r *gitops.Repo, commit string, most int) (files map[string]Item, err error) {
	err = WithReader(ctx, r, func(o Reader) error {
		files = map[string]Item{}
		tree, err := TreeOf(o, commit)
		if err != nil {
			return Damaged(commit, err)
		}
		return eachFile(o, tree, "", func(i Item) error {
			if len(files) >= most {
				return safefile.TooLarge("the files of "+commit, int64(most+1), int64(most))
			}
			files[i.Name] = i
			return gitops.CheckPath(i.Name)
		})
	})
	return files, err
}

// eachFile calls fn for the files of a tree and its folders, with their paths as names.
func eachFile(o Reader, tree, prefix string, fn func(Item) error) error {
	items, err := ReadItems(o, tree)
	if err != nil {
		return Damaged(tree, err)
	}
	for _, i := range items {
		if i.Name = prefix + i.Name; i.Mode == FolderMode {
			err = eachFile(o, i.ID, i.Name+"/", fn)
		} else {
			err = fn(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// folder is the id of a folder, file that of anything else; "" if it is the other.
func (i Item) folder() string {
	if i.Mode == FolderMode {
		return i.ID
	}
	return ""
}

func (i Item) file() string {
	if i.folder() == "" {
		return i.ID
	}
	return ""
}

// Regular reports whether it is a regular file.
func (i Item) Regular() bool { return strings.HasPrefix(i.Mode, RegularMode) }

// largeTree is the number of bytes from which the names of a tree are indexed,
// where many of them are looked up: some hundreds of files.
const largeTree = 16 << 10

// cachedTrees reads each commit and tree once.
type cachedTrees struct {
	Reader
	known map[string][]byte
	names map[string]map[string]Item // by name, of each large tree that was looked at before
}

// WithTreeCache reads each commit and tree once, for many lookups.
func WithTreeCache(o Reader) Reader {
	return cachedTrees{Reader: o, known: map[string][]byte{}, names: map[string]map[string]Item{}}
}

// entry is treeEntry for a large tree.
func (c cachedTrees) entry(tree string, data []byte, name string) (mode, id string) {
	switch known, before := c.names[tree]; {
	case !before: // one name alone is found sooner without an index
		c.names[tree] = nil
		return treeEntry(data, name, len(tree)/2)
	case known == nil:
		c.names[tree] = map[string]Item{}
		items, _ := ParseTree(data, len(tree)/2) // as far as it can be read
		for _, i := range items {
			c.names[tree][i.Name] = i
		}
	}
	return c.names[tree][name].Mode, c.names[tree][name].ID
}

func (c cachedTrees) Read(id string) (string, []byte, error) {
	if data, ok := c.known["tree "+id]; ok {
		return "tree", data, nil
	}
	if data, ok := c.known["commit "+id]; ok {
		return "commit", data, nil
	}
	kind, data, err := c.Reader.Read(id)
	if err == nil && kind != "blob" {
		c.known[kind+" "+id] = data
	}
	return kind, data, err
}
