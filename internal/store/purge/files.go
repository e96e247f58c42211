package purge

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// files looks into the store's files: memory's own in a project, all of them in
// a store of memctl's own; in every worktree.
func (p *Search) files(ctx context.Context) error {
	found, err := filesWith(p.st, p.trace)
	if err != nil {
		return err
	}
	for _, name := range found {
		p.add(PlaceFile, name)
	}
	if p.st.Repo == nil || p.st.IsMemctlOwned() {
		return nil
	}
	trees, err := p.st.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if store.SameFolder(t.Path, p.st.Repo.Root) {
			continue
		}
		dir := filepath.Join(t.Path, filepath.FromSlash(path.Dir(p.st.GitPath())))
		found, err := filesWith((&store.Store{Scope: p.st.Scope, Dir: dir, Repo: p.st.Repo, Stores: p.st.Stores}), p.trace)
		if err != nil {
			return err
		}
		for _, name := range found {
			p.add(PlaceFile, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return nil
}

// isCopy reports whether a file in the store's folder is a copy of a memory file that an editor or another program made,
// such as .memories.md.swp, memories.md~ or memories.md.orig. A purge lists it and does not change it.
func isCopy(name string) bool {
	base := path.Base(name)
	_, rest, markdown := strings.Cut(base, ".md")
	if strings.HasPrefix(name, store.MemoriesDir+"/") {
		return markdown && (strings.HasPrefix(rest, ".") || rest == "~" || strings.ContainsAny(base[:1], ".#"))
	}
	return markdown && name != memfile.FileName && strings.HasPrefix(strings.TrimLeft(base, ".#_~"), store.MemoriesDir)
}

// filesWith lists the files below the store's folder that hold the text, with slashes.
func filesWith(st *store.Store, trace policy.TextFinder) (list []string, err error) {
	root, err := contents.OpenRoot(st)
	if root == nil || err != nil {
		return nil, err
	}
	defer root.Close()
	own := st.Scope == store.Private || st.Scope == store.User || st.Scope == store.Only
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mine := own || name == "." || name == store.MemoriesDir || strings.HasPrefix(name, store.MemoriesDir+"/") || name == memfile.FileName || isCopy(name)
		switch {
		case d.IsDir() && (!mine || name == ".git"):
			return fs.SkipDir
		case !mine || !d.Type().IsRegular():
			return nil
		}
		data, _, err := safefile.Read(root, name, contents.MaxChanged)
		if err == nil && (trace.FoundIn(data) || trace.FoundIn([]byte(name))) {
			list = append(list, name)
		}
		return err
	})
	return list, err
}
