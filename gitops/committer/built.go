package committer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/indexfile"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/safefile"
)

// errGits: the commit is one that git has to make: the repository, the settings or the
// files are out of the ordinary.
var errGits = errors.New("a commit that git makes")

// built is a commit whose objects are stored, and which no ref leads to yet.
type built struct {
	id      string // "" where HEAD has the files as they stand
	parent  string // "" on an unborn branch
	ref     string // the branch's full name; HEAD where that is detached
	subject string
	signed  string // who commits, as in the commit
	reflogs string // core.logAllRefUpdates
	index   indexAsRead
	request Request
	changes []indexfile.Change
	written map[string]fs.FileInfo // what the system said of the files that the caller wrote
}

// indexAsRead is the index at one moment.
type indexAsRead struct {
	data  []byte
	info  fs.FileInfo // nil where there is none
	idLen int
}

// build stores the objects of the commit that is asked for.
// Nothing that anybody sees is changed. Errors: errGits; fault.Blocked; the system's cause.
func build(ctx context.Context, r *gitops.Repo, req Request, message string) (*built, error) {
	author, committer, err := signatures(r, req)
	if err != nil {
		return nil, err
	}
	writer := object.NewWriter(ctx, r)
	if !object.PlainObjects(r, writer) || !gitops.IsOwn(r) {
		return nil, errGits
	}
	b := &built{subject: object.OneLine(req.Subject), signed: committer, reflogs: req.Settings.Reflogs, request: req}
	if b.ref, b.parent, err = headRef(r); err != nil {
		return nil, err
	}
	paths, err := plainPaths(ctx, r, b, req)
	if err == nil && req.Merge != nil && req.Merge.From != b.parent {
		err = moved(b.ref)
	}
	if err != nil || len(paths) == 0 && req.Merge == nil {
		return b, err
	}
	was, tree, err := storeFiles(ctx, r, b, paths, writer)
	if err != nil {
		return nil, err
	}
	if req.Merge == nil && (tree == was || was == "" && !slices.ContainsFunc(b.changes, func(c indexfile.Change) bool { return c.Entry != nil })) {
		return b, nil
	}
	if req.forward(ctx, r, tree) {
		b.id = req.Merge.With
		return b, nil
	}
	b.id, err = writer.Write("commit", commitObject(tree, req.parents(b.parent), author, committer, message))
	return b, err
}

// storeFiles stores the files as the commit's changes, and the trees with
// them. was is the tree of the commit's parent, "" for none. Errors: those of build.
func storeFiles(ctx context.Context, r *gitops.Repo, b *built, paths []string, w object.Writer) (was, tree string, err error) {
	b.changes = nil
	for _, name := range paths {
		c, err := plainFile(ctx, r, b.request, name, w)
		if err != nil {
			return "", "", err
		}
		b.changes = append(b.changes, c)
	}
	err = object.WithoutGit(r, func(o object.Reader) error {
		if was, err = object.TreeOf(o, b.parent); err == nil {
			tree, err = changedTree(o, w, was, b.changes)
		}
		return err
	})
	if err == nil && tree == "" {
		tree, err = w.Write("tree", nil)
	}
	return was, tree, err
}

// signatures are the author's and the committer's lines. Errors: errGits.
func signatures(r *gitops.Repo, req Request) (author, committer string, err error) {
	set := func(name string) bool { return os.Getenv(name) != "" }
	if req.Settings == nil || req.Settings.Git != "" || req.Settings.Signed || set("GIT_REFLOG_ACTION") {
		return "", "", errGits
	}
	if r.Pinned() && gitops.InCommitHook() || !r.Pinned() && (set("GIT_DIR") || set("GIT_WORK_TREE") || set("GIT_INDEX_FILE")) {
		return "", "", errGits
	}
	now := time.Now()
	author, ok := req.Settings.Author.signature("AUTHOR", now)
	committer, okToo := req.Settings.Committer.signature("COMMITTER", now)
	if !ok || !okToo {
		return "", "", errGits
	}
	return author, committer, nil
}

// headRef is the ref that a commit moves, and what it is at; "" on an unborn branch.
// Errors: errGits where HEAD leads to its branch by another way than git's usual one.
func headRef(r *gitops.Repo) (name, id string, err error) {
	if !plainRefs(r) {
		return "", "", errGits
	}
	id, name, err = r.ReadRef("HEAD")
	if err != nil {
		return "", "", errGits
	}
	if name == "" {
		return "HEAD", id, nil
	}
	id, next, err := r.ReadRef(name)
	file := filepath.Join(r.CommonDir, filepath.FromSlash(name))
	info, statErr := os.Lstat(file)
	switch {
	case err != nil || next != "" || r.RefFolder(name) != r.CommonDir || !strings.HasPrefix(name, "refs/heads/"):
		return "", "", errGits
	case statErr == nil && !info.Mode().IsRegular():
		return "", "", errGits
	case id == "" && gitops.Exists(filepath.Join(r.CommonDir, "packed-refs")):
		return "", "", errGits // which knows whether another branch's name is in the way
	}
	return name, id, nil
}

// plainPaths reads the index and gives the paths that the commit is about. Errors: those
// of build.
func plainPaths(ctx context.Context, r *gitops.Repo, b *built, req Request) ([]string, error) {
	if err := gitops.CheckPaths(req.Paths); err != nil {
		return nil, err
	}
	var ok bool
	if b.index, ok = readIndex(r); !ok {
		return nil, errGits
	}
	found := map[string][]indexfile.Entry{}
	if b.index.data != nil {
		if found, ok = indexfile.Find(b.index.data, b.index.idLen, req.Paths); !ok {
			return nil, errGits
		}
	}
	for _, list := range found {
		if e := list[0]; e.Intended || e.Mode != 0o100644 {
			return nil, errGits
		}
	}
	return worktree.SortFound(ctx, r, req.Paths, req.Bytes, found)
}

// readIndex reads the index together with its place and time.
func readIndex(r *gitops.Repo) (i indexAsRead, ok bool) {
	i.info, _ = os.Stat(filepath.Join(r.GitDir, "index"))
	i.data, i.idLen, ok = r.IndexBytes()
	i.idLen = max(i.idLen, 20)
	return i, ok && i.idLen == 20 && (i.info == nil) == (i.data == nil)
}

// plainFile stores the content of a file and gives its entry in the index, without one
// where the commit removes it. Errors: errGits where git keeps it in another form.
func plainFile(ctx context.Context, r *gitops.Repo, req Request, name string, w object.Writer) (indexfile.Change, error) {
	c, data := indexfile.Change{Path: name}, req.Bytes[name]
	if dir := path.Dir(name); dir != "." && !worktree.RealFolder(r, dir) && gitops.Exists(filepath.Join(r.Root, filepath.FromSlash(dir))) {
		return c, errGits
	}
	info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 != 0) {
		return c, errGits
	}
	if data == nil {
		return c, nil
	}
	// Line ends are all that is left to convert, and without a CR there is nothing to do.
	if bytes.IndexByte(data, '\r') >= 0 || worktree.Converts(ctx, r, name) {
		return c, errGits
	}
	id, err := w.Write("blob", data)
	c.Entry = &indexfile.Entry{Mode: 0o100644, ID: id}
	return c, err
}

// stamp notes in the entries how the files on disk look, by which git knows that they are unchanged. Errors:
// fault.ChangedOnDisk; errGits.
func (b *built) stamp(r *gitops.Repo) error {
	for i, c := range b.changes {
		file := filepath.Join(r.Root, filepath.FromSlash(c.Path))
		info, err := os.Lstat(file)
		if err != nil || !gitops.SameFile(info, b.written[c.Path]) {
			if err := worktree.AsGiven(r, map[string][]byte{c.Path: b.request.Bytes[c.Path]}); err != nil {
				return err
			}
			if after, err := os.Lstat(file); c.Entry != nil && (err != nil || !gitops.SameFile(info, after)) {
				return safefile.Changed(c.Path)
			}
		}
		if c.Entry != nil {
			e, ok := gitops.StatRecord(info)
			if !ok {
				return errGits
			}
			e.Mode, e.ID = c.Entry.Mode, c.Entry.ID
			b.changes[i].Entry = &e
		}
	}
	return nil
}

// commitObject is a commit as it is stored.
func commitObject(tree string, parents []string, author, committer, message string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", author, committer, message)
	return b.Bytes()
}

// changedTree stores the tree was ("" for none) with the changes, whose paths are relative to it.
// It returns the id; "" if nothing is left. Errors: errGits if a change needs a file or a folder
// where the tree has something else.
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
