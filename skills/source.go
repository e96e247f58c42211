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
	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
)

// Found is a skill in a collection that is not installed.
type Found struct {
	Name  string // of its folder
	Path  string // of its folder in the collection, with slashes; "." for the collection itself
	Files []check.File
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
func InCommit(ctx context.Context, repo *gitops.Repo, commit, name string, wanted, under []string) ([]Found, error) {
	var found []Found
	err := object.WithReader(ctx, repo, func(o object.Reader) error {
		tree, err := object.TreeOf(o, commit)
		if err != nil {
			return err
		}
		w := &treeWalk{reader: o, top: name, wanted: wanted, under: under}
		err = w.folder(tree, ".")
		found = w.found
		return err
	})
	slices.SortFunc(found, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	return found, err
}

// treeWalk looks a commit's trees through for skills.
type treeWalk struct {
	reader object.Reader
	top    string
	wanted []string
	under  []string
	found  []Found
	seen   int
}

// folder looks at one folder. A folder with a SKILL.md is a skill, with all that it contains.
func (w *treeWalk) folder(tree, at string) error {
	items, err := w.items(tree)
	if err != nil {
		return err
	}
	if main, ok := items[format.FileName]; ok && w.inside(at) && strings.HasPrefix(main.Mode, object.RegularMode) {
		s := Found{Name: path.Base(at), Path: at}
		if at == "." {
			s.Name = w.top
		}
		if w.wanted == nil || slices.Contains(w.wanted, s.Name) {
			total := 0
			if err := w.files(items, "", &s, &total); err != nil {
				return fmt.Errorf("%q: %w", s.Path, err)
			}
		}
		w.found = append(w.found, s)
		return nil
	}
	for name, item := range items {
		if item.Mode == object.FolderMode && w.leads(path.Join(at, name)) {
			if err := w.folder(item.ID, path.Join(at, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inside reports whether the walk looks for skills at this path.
func (w *treeWalk) inside(at string) bool {
	return w.under == nil || slices.ContainsFunc(w.under, func(u string) bool { return strings.HasPrefix(at, u+"/") })
}

// leads reports whether the path is in, or on the way to, a folder to look in.
func (w *treeWalk) leads(at string) bool {
	return w.under == nil || slices.ContainsFunc(w.under, func(u string) bool { return strings.HasPrefix(at+"/", u+"/") || strings.HasPrefix(u, at+"/") })
}

func (w *treeWalk) items(tree string) (map[string]object.Item, error) {
	items, err := object.ReadItems(w.reader, tree)
	if w.seen += len(items); err == nil && w.seen > mostEntries {
		err = fmt.Errorf("the commit has more than %d files", mostEntries)
	}
	return items, err
}

// files reads all files of a skill.
func (w *treeWalk) files(items map[string]object.Item, prefix string, s *Found, total *int) error {
	for name, item := range items {
		at := prefix + name
		if !filepath.IsLocal(name) || strings.ContainsAny(name, "/\\\x00") {
			return fmt.Errorf("%q: not a plain file name", name)
		}
		if item.Mode == gitlinkMode {
			return ErrGitlink
		}
		if item.Mode == object.FolderMode {
			inside, err := w.items(item.ID)
			if err == nil {
				err = w.files(inside, at+"/", s, total)
			}
			if err != nil {
				return err
			}
			continue
		}
		_, data, err := w.reader.Read(item.ID)
		if err != nil {
			return object.Damaged(item.ID, err)
		}
		f := check.File{Path: at, Data: data, Link: item.Mode == linkMode, Large: len(data) > check.MaxFile}
		s.Files = append(s.Files, f)
		if *total += len(data); *total > mostBytes || len(s.Files) > mostFiles {
			return ErrTooLarge
		}
	}
	slices.SortFunc(s.Files, func(a, b check.File) int { return strings.Compare(a.Path, b.Path) })
	return nil
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
			return fmt.Errorf("%q: has more than %d folders", dir, mostEntries)
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

// grouped are the skills that files make up.
func grouped(files []check.File) []Found {
	var tops []string
	for _, f := range files {
		if path.Base(f.Path) == format.FileName && !f.Link {
			tops = append(tops, path.Dir(f.Path))
		}
	}
	slices.SortStableFunc(tops, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	var found []Found
	for _, at := range tops {
		if slices.ContainsFunc(found, func(s Found) bool { return strings.HasPrefix(at, s.Path+"/") }) {
			continue // it is a part of that skill
		}
		found = append(found, Found{Name: path.Base(at), Path: at, Files: inside(files, at)})
	}
	return found
}

// inside are the files of one folder, with their paths from there.
func inside(files []check.File, folder string) (list []check.File) {
	for _, f := range files {
		if rel, ok := strings.CutPrefix(f.Path, folder+"/"); ok {
			f.Path = rel
			list = append(list, f)
		}
	}
	return list
}

// InIndex reads the skills that git's index has in the folders.
func InIndex(ctx context.Context, repo *gitops.Repo, under []string) ([]Found, error) {
	staged, err := object.StagedIn(ctx, repo, under)
	if err != nil || len(staged) == 0 {
		return nil, err
	}
	var files []check.File
	err = object.WithReader(ctx, repo, func(o object.Reader) error {
		files = files[:0]
		for _, item := range staged {
			_, data, err := o.Read(item.ID)
			if item.Mode == gitlinkMode {
				data, err = nil, ErrGitlink
			}
			if err != nil {
				return fmt.Errorf("%q: %w", item.Name, err)
			}
			files = append(files, check.File{Path: item.Name, Data: data, Link: item.Mode == linkMode, Large: len(data) > check.MaxFile})
		}
		return nil
	})
	return grouped(files), err
}
