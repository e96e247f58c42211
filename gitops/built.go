package gitops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops/indexfile"
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
	bytes   map[string][]byte // see CommitRequest
	changes []indexfile.Change
}

// indexAsRead is the index at one moment.
type indexAsRead struct {
	data  []byte
	info  fs.FileInfo // nil where there is none
	idLen int
}

// build stores the objects of the commit that is asked for, with the files as they stand.
// Nothing that anybody sees is changed. Errors: errGits; *BlockedError; the system's cause.
func (r *Repo) build(ctx context.Context, req CommitRequest, message string) (*built, error) {
	if len(req.Paths) > maxArgPaths {
		return nil, errGits // it puts thousands of files into one pack, and not into a file each
	}
	author, committer, err := r.signatures(req)
	if err != nil {
		return nil, err
	}
	writer := r.newObjectWriter(ctx)
	if !r.plainObjects(writer) || !ours(r) {
		return nil, errGits
	}
	b := &built{subject: oneLine(req.Subject), signed: committer, reflogs: req.Settings.Reflogs, bytes: req.Bytes}
	if b.ref, b.parent, err = r.headRef(); err != nil {
		return nil, err
	}
	paths, err := r.plainPaths(ctx, b, req)
	if err != nil || len(paths) == 0 {
		return b, err
	}
	was, tree, err := r.storeFiles(ctx, b, paths, writer)
	if err != nil {
		return nil, err
	}
	if tree == was || was == "" && !slices.ContainsFunc(b.changes, func(c indexfile.Change) bool { return c.Entry != nil }) {
		return b, nil
	}
	if !req.Settings.Signed {
		b.id, err = writer.write("commit", commitObject(tree, b.parent, author, committer, message))
		return b, err
	}
	if b.id, err = r.signedCommit(ctx, tree, b.parent, author, committer, message); err != nil {
		return nil, err
	}
	// A signature can wait for the person, and a git that prunes takes meanwhile what no ref
	// leads to.
	if _, now, err := r.storeFiles(ctx, b, paths, writer); err != nil || now != tree {
		return nil, cmp.Or(err, errIndexMoved)
	}
	return b, nil
}

// storeFiles stores the files as they stand, as the commit's changes, and the trees with
// them. was is the tree of the commit's parent, "" for none. Errors: those of build.
func (r *Repo) storeFiles(ctx context.Context, b *built, paths []string, w objectWriter) (was, tree string, err error) {
	b.changes = nil
	for _, name := range paths {
		c, err := r.plainFile(ctx, name, w)
		if err != nil {
			return "", "", err
		}
		if data, ok := b.bytes[name]; ok && (c.Entry == nil) != (data == nil) || c.Entry != nil && ok && c.Entry.ID != BlobID(40, data) {
			return "", "", &safefile.ChangedError{Name: name}
		}
		b.changes = append(b.changes, c)
	}
	err = r.withoutGit(func(o objectReader) error {
		if was, err = treeOf(o, b.parent); err == nil {
			tree, err = changedTree(o, w, was, b.changes)
		}
		return err
	})
	if err == nil && tree == "" {
		tree, err = w.write("tree", nil)
	}
	return was, tree, err
}

// signedCommit has git store the commit, with the person's signature. Errors: those of git.
func (r *Repo) signedCommit(ctx context.Context, tree, parent, author, committer, message string) (string, error) {
	date := func(line string) string { return line[strings.LastIndexByte(line, '>')+2:] }
	c := call{
		args: []string{"commit-tree", "-S", "-F", "-"}, stdin: []byte(message), writes: true,
		config: []string{"i18n.commitEncoding=UTF-8"},
		env:    []string{"GIT_AUTHOR_DATE=" + date(author), "GIT_COMMITTER_DATE=" + date(committer)},
	}
	if parent != "" {
		c.args = append(c.args, "-p", parent)
	}
	c.args = append(c.args, tree)
	out, err := r.git(ctx, c)
	return strings.TrimSpace(string(out)), err
}

// signatures are the author's and the committer's lines. Errors: errGits.
func (r *Repo) signatures(req CommitRequest) (author, committer string, err error) {
	set := func(name string) bool { return os.Getenv(name) != "" }
	if req.Settings == nil || req.Settings.Git != "" || req.Hooks || slices.ContainsFunc(alwaysGit(), set) {
		return "", "", errGits
	}
	if r.Pinned() && inCommitHook() || !r.Pinned() && slices.ContainsFunc(gitVariables(), set) {
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
func (r *Repo) headRef() (name, id string, err error) {
	if !r.plainRefs() {
		return "", "", errGits
	}
	id, name, err = r.readRef("HEAD")
	if err != nil {
		return "", "", errGits
	}
	if name == "" {
		return "HEAD", id, nil
	}
	id, next, err := r.readRef(name)
	file := filepath.Join(r.CommonDir, filepath.FromSlash(name))
	info, statErr := os.Lstat(file)
	switch {
	case err != nil || next != "" || r.refFolder(name) != r.CommonDir || !strings.HasPrefix(name, "refs/heads/"):
		return "", "", errGits
	case statErr == nil && !info.Mode().IsRegular():
		return "", "", errGits
	case id == "" && exists(filepath.Join(r.CommonDir, "packed-refs")):
		return "", "", errGits // which knows whether another branch's name is in the way
	}
	return name, id, nil
}

// plainPaths reads the index and gives the paths that the commit is about. Errors: those
// of build.
func (r *Repo) plainPaths(ctx context.Context, b *built, req CommitRequest) ([]string, error) {
	if err := errors.Join(checkPaths(req.Paths), r.asGiven(req.Bytes)); err != nil {
		return nil, err
	}
	var ok bool
	if b.index, ok = r.readIndex(); !ok {
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
	paths, _, err := r.sortFound(ctx, req.Paths, found)
	return paths, err
}

// readIndex reads the index together with its place and time.
func (r *Repo) readIndex() (i indexAsRead, ok bool) {
	i.info, _ = os.Stat(filepath.Join(r.GitDir, "index"))
	i.data, i.idLen, ok = r.indexBytes()
	i.idLen = max(i.idLen, 20)
	return i, ok && i.idLen == 20 && (i.info == nil) == (i.data == nil)
}

// plainFile stores the content of a file and gives its entry in the index, without one
// where the file is not there. Errors: errGits where git keeps it in another form, or
// where somebody changes it.
func (r *Repo) plainFile(ctx context.Context, name string, w objectWriter) (indexfile.Change, error) {
	c := indexfile.Change{Path: name}
	if dir := path.Dir(name); dir != "." && !r.realFolder(dir) {
		if exists(filepath.Join(r.Root, filepath.FromSlash(dir))) {
			return c, errGits
		}
		return c, nil
	}
	file := filepath.Join(r.Root, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxObject {
		return c, errGits
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return c, errGits
	}
	e, ok := statRecord(info)
	after, err := os.Lstat(file)
	if err != nil || !ok || !os.SameFile(info, after) || !info.ModTime().Equal(after.ModTime()) || int64(len(data)) != after.Size() {
		return c, errGits
	}
	// Line ends are all that is left to convert, and without a CR there is nothing to do.
	if info.Mode()&0o111 != 0 || bytes.IndexByte(data, '\r') >= 0 || r.Converts(ctx, name) {
		return c, errGits
	}
	e.Mode = 0o100644
	e.ID, err = w.write("blob", data)
	c.Entry = &e
	return c, err
}

// commitObject is a commit as it is stored.
func commitObject(tree, parent, author, committer, message string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", author, committer, message)
	return b.Bytes()
}
