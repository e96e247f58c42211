package skills

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/skills/format"
)

// Found is a skill in a collection that is not installed.
type Found struct {
	Name  string // of its folder
	Path  string // of its folder in the collection, with slashes; "." for the collection itself
	Files []format.File
}

// The modes of entries in git's trees that are no files.
const (
	linkMode    = "120000"
	gitlinkMode = "160000"
)

// mostEntries is how many files of a commit are looked at.
const mostEntries = 200_000

// ErrGitlink is the error of a skill that contains another repository.
var ErrGitlink = errors.New("contains a submodule, which memctl does not fetch")

// InCommit reads the skills of a commit from its trees: no file is checked out, and no filter
// or hook runs. name is that of the collection, for a SKILL.md at its top. Only the skills
// that are wanted are read whole; nil wants all. under are the folders to look in; nil for all.
func InCommit(ctx context.Context, repo *gitops.Repo, commit, name string, wanted, under []string) (found []Found, err error) {
	leads := func(at string) bool { // in, or on the way to, a folder to look in
		return under == nil || slices.ContainsFunc(under, func(u string) bool { return strings.HasPrefix(at+"/", u+"/") || strings.HasPrefix(u, at+"/") })
	}
	err = object.WithReader(ctx, repo, func(o object.Reader) error {
		var files []object.Item
		seen := 0
		var list func(tree, prefix string) error
		list = func(tree, prefix string) error {
			items, err := object.ReadItems(o, tree)
			if seen += len(items); err == nil && seen > mostEntries {
				err = fmt.Errorf("the commit has more than %d files", mostEntries)
			}
			for _, item := range items {
				plain := !strings.Contains(item.Name, "/")
				item.Name = prefix + item.Name
				switch {
				case err != nil:
					return err
				case !plain:
					return fmt.Errorf("%q: not a plain file name", item.Name)
				case item.Mode != object.FolderMode:
					files = append(files, item)
				case leads(item.Name):
					err = list(item.ID, item.Name+"/")
				}
			}
			return err
		}
		tree, err := object.TreeOf(o, commit)
		if err == nil {
			err = list(tree, "")
		}
		if err == nil {
			found, err = collected(o, files, name, wanted, under)
		}
		return err
	})
	return found, err
}

// collected reads the skills that files of git make up, whose names are paths from the top. A folder with a SKILL.md is
// a skill, with all that it contains. The others are as for InCommit.
func collected(o object.Reader, files []object.Item, name string, wanted, under []string) (found []Found, err error) {
	slices.SortFunc(files, func(a, b object.Item) int { return strings.Compare(a.Name, b.Name) })
	var tops []string
	for _, f := range files {
		at := path.Dir(f.Name)
		inside := under == nil || slices.ContainsFunc(under, func(u string) bool { return strings.HasPrefix(at, u+"/") })
		if inside && path.Base(f.Name) == format.FileName && strings.HasPrefix(f.Mode, object.RegularMode) {
			tops = append(tops, at)
		}
	}
	if slices.Contains(tops, ".") {
		tops = []string{"."} // the others are parts of it
	}
	slices.SortStableFunc(tops, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, at := range tops {
		s := Found{Name: path.Base(at), Path: at}
		if at == "." {
			s.Name = name
		}
		if slices.ContainsFunc(found, func(of Found) bool { return strings.HasPrefix(at, of.Path+"/") }) {
			continue // it is a part of that skill
		}
		if wanted == nil || slices.Contains(wanted, s.Name) {
			if s.Files, err = filesOf(o, files, at); err != nil {
				return nil, fmt.Errorf("%q: %w", at, err)
			}
		}
		found = append(found, s)
	}
	slices.SortFunc(found, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	return found, nil
}

// filesOf reads the files of git in one folder, with their paths from there.
func filesOf(o object.Reader, files []object.Item, folder string) (list []format.File, err error) {
	total := 0
	for _, item := range files {
		name, ok := item.Name, folder == "."
		if !ok {
			if name, ok = strings.CutPrefix(name, folder+"/"); !ok {
				continue
			}
		}
		if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00") {
			return nil, fmt.Errorf("%q: not a plain file name", name)
		}
		if item.Mode == gitlinkMode {
			return nil, ErrGitlink
		}
		_, data, err := o.Read(item.ID)
		if err != nil {
			return nil, object.Damaged(item.ID, err)
		}
		list = append(list, format.File{Path: name, Data: data, Link: item.Mode == linkMode, Large: len(data) > format.MaxFile})
		if total += len(data); total > mostBytes || len(list) > mostFiles {
			return nil, ErrTooLarge
		}
	}
	return list, nil
}

// InFolder reads the skills of a folder on disk. Only those that are wanted are read; nil wants
// all.
func InFolder(dir string, wanted []string) ([]Found, error) {
	folders, err := FoldersIn(dir)
	if err != nil {
		return nil, err
	}
	var found []Found
	for _, at := range folders {
		s := Found{Name: path.Base(at), Path: at}
		if at == "." {
			s.Name = filepath.Base(dir)
		}
		if wanted == nil || slices.Contains(wanted, s.Name) {
			if s.Files, err = FilesIn(filepath.Join(dir, filepath.FromSlash(at))); err != nil {
				return nil, fmt.Errorf("%q: %w", at, err)
			}
		}
		found = append(found, s)
	}
	return found, nil
}

// FoldersIn lists the folders with a SKILL.md below a folder, by their paths from there; "." is
// the folder itself. A folder inside a skill is a part of it. It follows no link.
func FoldersIn(dir string) (list []string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		if seen++; seen > mostEntries {
			return fmt.Errorf("%q has more than %d folders", dir, mostEntries)
		}
		info, err := root.Lstat(path.Join(name, format.FileName))
		if err == nil && info.Mode().IsRegular() {
			list = append(list, name)
			return fs.SkipDir
		}
		return nil
	})
	return list, err
}
