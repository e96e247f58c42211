package store

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// files looks into the store's files: memory's own in a project, all of them in
// a store of memctl's own; in every worktree.
func (p *Purge) files(ctx context.Context) error {
	found, err := p.st.filesWith(p.trace)
	if err != nil {
		return err
	}
	for _, name := range found {
		p.add(PlaceFile, name)
	}
	if p.st.Repo == nil || p.st.Own() {
		return nil
	}
	trees, err := p.st.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if sameFolder(t.Path, p.st.Repo.Root) {
			continue
		}
		dir := filepath.Join(t.Path, filepath.FromSlash(path.Dir(p.st.gitPath())))
		found, err := (&Store{Scope: p.st.Scope, Dir: dir, Repo: p.st.Repo, ss: p.st.ss}).filesWith(p.trace)
		if err != nil {
			return err
		}
		for _, name := range found {
			p.add(PlaceFile, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return nil
}

// filesWith lists the files below the store's folder that hold the text, with slashes.
func (st *Store) filesWith(trace policy.Trace) (list []string, err error) {
	root, err := st.OpenRoot()
	if root == nil || err != nil {
		return nil, err
	}
	defer root.Close()
	own := st.Scope == Private || st.Scope == User || st.Scope == Only
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mine := own || name == "." || name == MemoriesDir || strings.HasPrefix(name, MemoriesDir+"/") || strings.HasPrefix(name, memfile.FileName)
		switch {
		case d.IsDir() && (!mine || name == ".git"):
			return fs.SkipDir
		case !mine || !d.Type().IsRegular():
			return nil
		}
		data, _, err := safefile.Read(root, name, maxChanged)
		if err == nil && (trace.Found(data) || trace.Found([]byte(name))) {
			list = append(list, name)
		}
		return err
	})
	return list, err
}
