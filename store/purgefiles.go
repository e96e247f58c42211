package store

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
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
		p.add(PlaceFile, name, 1)
	}
	if p.st.Repo == nil || p.st.Own() {
		return nil
	}
	trees, err := p.st.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	folder := path.Dir(p.st.gitPath())
	for _, t := range trees {
		names, shown := found, func(name string) string { return name }
		if !sameFolder(t.Path, p.st.Repo.Root) {
			dir := filepath.Join(t.Path, filepath.FromSlash(folder))
			names, err = (&Store{Scope: p.st.Scope, Dir: dir, Repo: p.st.Repo, ss: p.st.ss}).filesWith(p.trace)
			if err != nil {
				return err
			}
			shown = func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
			for _, name := range names {
				p.add(PlaceFile, shown(name), 1)
			}
		}
		for _, name := range names {
			if err := p.edited(ctx, t, name, shown(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// edited notes a file of a worktree that has the text where the commit there has none:
// no command takes it out of what a person has not committed.
func (p *Purge) edited(ctx context.Context, t gitops.Worktree, name, shown string) error {
	if strings.HasSuffix(name, ".bak") {
		return nil // which is told of by itself
	}
	at := p.st.gitPathOf(name)
	var content []byte
	var known bool
	if t.Head != "" {
		var err error
		if content, known, err = p.st.Repo.FileAt(ctx, t.Head, at); err != nil {
			return err
		}
	}
	what := `"` + policy.Inert(string(p.trace.Cut([]byte(shown)))) + `": has it, and no commit there: `
	switch {
	case p.trace.Found(content):
	case known:
		p.Edited = append(p.Edited, what+"edit it out, or take what is committed, git -C "+shell.Quote(t.Path)+" restore --staged --worktree -- "+shell.Quote(at)+"; then purge again")
	default:
		p.Edited = append(p.Edited, what+"edit it out, or delete the file; then purge again")
	}
	return nil
}

// filesWith lists the files below the store's folder that hold the text, with slashes.
func (st *Store) filesWith(trace policy.Trace) (list []string, err error) {
	root, err := st.openRoot()
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
