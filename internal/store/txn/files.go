package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

const (
	// manyFiles is the number of files from which an act is a large one.
	manyFiles = 64
	// The modes of new files and folders: a project's are for everybody who may
	// read the project, those of a store of our own for this user.
	projectFileMode  = 0o644
	ownStoreFileMode = 0o600
	projectDirMode   = 0o755
)

// changeFiles checks the files that the act changes, and commits a person's edits of
// them first. If the act changes nothing, it commits the edits of the files that
// already are as the act wants them.
func (p *plan) changeFiles(ctx context.Context, list []store.FileChange, out *Outcome) error {
	size, seen := 0, map[string]bool{}
	var told []store.FileChange
	for _, c := range list {
		if err := errors.Join(ctx.Err(), store.CheckFilePath(c.Path)); err != nil {
			return err
		}
		if seen[c.Path] {
			return fmt.Errorf("%q: changed twice in one act", c.Path)
		}
		seen[c.Path] = true
		if size += len(c.After); size > contents.MaxChanged {
			return statedir.TooMuch(store.MemoriesDir, contents.MaxChanged)
		}
		if (c.Before == nil) == (c.After == nil) && bytes.Equal(c.Before, c.After) {
			told = append(told, c)
			continue
		}
		if found := policy.ScanFile(c.Path, c.After); len(found) > 0 && store.IsMemory(c.Path) {
			return Secret(p.st.Scope, c.Path, found[0])
		}
		out.Files = append(out.Files, c)
	}
	if err := stillThere(ctx, p.st, out.Files); err != nil {
		return err
	}
	p.changes = append(p.changes, out.Files...)
	if len(p.changes) == 0 && len(told) <= manyFiles {
		return p.commitFileEdits(ctx, told)
	}
	return p.commitFileEdits(ctx, out.Files)
}

// stillThere compares the files on disk with what the act takes them for.
func stillThere(ctx context.Context, st *store.Store, changes []store.FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	root, err := contents.OpenRoot(st)
	if root == nil || err != nil {
		return err // nil in a dry run of a store's first write
	}
	defer root.Close()
	for _, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, _, err := safefile.Read(root, c.Path, int64(len(c.Before)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && c.Before == nil:
		case errors.Is(err, fs.ErrNotExist), fault.Is(err, fault.TooLarge), err == nil && c.Before == nil:
			return safefile.Changed(c.Path)
		case err != nil:
			return err
		case !bytes.Equal(now, c.Before):
			return safefile.Changed(c.Path)
		}
	}
	return nil
}

// commitFileEdits commits what a person left uncommitted in files that the act
// changes, as theirs.
func (t *transaction) commitFileEdits(ctx context.Context, changes []store.FileChange) error {
	if t.st.Repo == nil || t.blocked != "" {
		return nil
	}
	byPath := map[string]store.FileChange{}
	var there []string
	for _, c := range changes {
		if c.Before != nil {
			p := t.st.GitPathOf(c.Path)
			byPath[p], there = c, append(there, p)
		}
	}
	dirty, err := worktree.DirtyFiles(ctx, t.st.Repo, there, func(p string) []byte { return byPath[p].Before })
	if err != nil {
		return err
	}
	var edits []store.FileChange
	for _, p := range there {
		c := byPath[p]
		state, is := dirty[p]
		if !is || state.Ignored && store.IsSkill(c.Path) { // what a person keeps out of git in a skill's folder stays out of it
			continue
		}
		edits = append(edits, store.FileChange{Path: c.Path, After: c.Before})
		if found := policy.ScanFile(c.Path, c.Before); len(found) > 0 && store.IsMemory(c.Path) {
			if t.w.Clean {
				return store.Deferred("a secret in an uncommitted edit", "")
			}
			return Secret(t.st.Scope, c.Path, found[0])
		}
	}
	if len(edits) == 0 {
		return nil
	}
	if _, err := t.commitChanges(ctx, edits, editSubject, "", editTrailers(t.st)); err != nil {
		t.blocked = commitFault(err)
		return nil
	}
	t.editCommitted(edits)
	return nil
}

// put is putUnless for what has to be written now.
func put(st *store.Store, changes []store.FileChange) error {
	return putUnless(context.Background(), st, changes)
}

// putUnless writes the changes, each only if the file is still what it was, and
// stops where the context ends between two of them. After an error all files are as
// they were, as far as the disk lets them.
func putUnless(ctx context.Context, st *store.Store, changes []store.FileChange) error {
	root, err := os.OpenRoot(st.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	w, done := writing{Batch: batch(st, root), root: root, made: map[string]bool{}}, 0
	for i, c := range changes {
		if err = ctx.Err(); err == nil {
			changes[i].Written, err = putOne(st, w, c)
		}
		if err != nil {
			break
		}
		done++
	}
	if err = errors.Join(err, w.Close()); err == nil {
		return nil
	}
	w.Batch = batch(st, root) // what the disk may not keep was not written
	for _, back := range reversed(changes[:done]) {
		_, failed := putOne(st, w, back)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, w.Close())
}

// batch begins to write files below root, with the temporary files in local state.
func batch(st *store.Store, root *os.Root) *safefile.Batch {
	via, err := st.SharedState().Open(false)
	if err != nil {
		via = nil // they lie beside the files then
	}
	return safefile.NewBatch(root, via)
}

// writing is one put under way.
type writing struct {
	*safefile.Batch
	root *os.Root
	made map[string]bool // folders that are there
}

// putOne writes one change, and returns what the system says of the new file.
func putOne(st *store.Store, w writing, c store.FileChange) (fs.FileInfo, error) {
	mode, dirMode := os.FileMode(projectFileMode), os.FileMode(projectDirMode)
	if st.Scope == store.User || st.Scope == store.Private {
		mode, dirMode = ownStoreFileMode, store.OwnStoreDirMode
	}
	if dir := path.Dir(c.Path); c.After != nil {
		if !w.made[dir] {
			if err := makeFolders(w.root, dir, dirMode); err != nil {
				return nil, err
			}
			w.made[dir] = true
		}
		return w.Write(c.Path, c.Before, c.After, mode)
	}
	if err := w.Remove(c.Path, c.Before); err != nil {
		return nil, err
	}
	clear(w.made)
	// Git keeps no empty folders, so neither do we. One that is not empty stays.
	for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
		if w.root.Remove(dir) != nil {
			break
		}
	}
	return nil, nil
}

// makeFolders makes the folder with its parents. What is in the way, a link
// too, is refused.
func makeFolders(root *os.Root, dir string, mode os.FileMode) error {
	if dir == "." {
		return nil
	}
	info, err := root.Lstat(dir)
	if err == nil && info.IsDir() && path.Dir(dir) == "." {
		return nil
	}
	if err == nil && !info.IsDir() {
		return safefile.NotAFile(dir, info.Mode().Type())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeFolders(root, path.Dir(dir), mode); err != nil || info != nil {
		return err
	}
	if err := root.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// reversed is what undoes the changes, the last first.
func reversed(changes []store.FileChange) []store.FileChange {
	var back []store.FileChange
	for _, c := range slices.Backward(changes) {
		back = append(back, store.FileChange{Path: c.Path, Before: c.After, After: c.Before})
	}
	return back
}

// Foreign is the error of a file called memories.md that never was a memory file; sealed
// says that it is no text, but encrypted or packed.
func Foreign(scope, name string, sealed bool) error {
	why := "it contains no memory"
	if sealed {
		why = "it is not text; it may be encrypted or compressed"
	}
	return &fault.Error{Code: fault.NotAMemoryFile, Thing: name, Cause: "is not a memory file: " + why, Scope: scope}
}

// otherEncoding is the error of a file, by its path from the store's folder, for which
// git's attributes demand another encoding. Git would refuse to commit the file in UTF-8,
// or would store other letters.
func otherEncoding(ctx context.Context, st *store.Store, name string) error {
	if st.Repo == nil {
		return nil
	}
	encoding := worktree.WorktreeEncoding(ctx, st.Repo, st.GitPathOf(name))
	switch {
	case encoding == "":
		return nil
	case name == memfile.FileName:
		name = st.Name()
	}
	attributes := shell.Quote(filepath.Join(filepath.Dir(st.Name()), ".gitattributes"))
	return &fault.Error{
		Code: fault.NotAMemoryFile, Thing: name, Scope: st.Scope,
		Hints: []string{"echo '/memories.md working-tree-encoding=UTF-8' >>" + attributes, "echo '/memories/** working-tree-encoding=UTF-8' >>" + attributes},
		Cause: "is not a memory file: its git attribute working-tree-encoding is " + encoding + ", but memory files are UTF-8",
	}
}
