package exchange

import (
	"context"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/remotes"
	"github.com/memctl/memctl/store"
)

// mostCrossings bounds how deep histories that crossed each other are merged
// for a base, and how many commits one is made of.
const mostCrossings = 8

// baseTree is what two histories had in common: the files of the commit where
// they parted. Where each was merged into the other there are several such
// commits, and their merge is the base, as it is for git: with one of them
// alone, what the other brought would look new on both sides. What cannot be
// merged so stays as the first has it. No commits have no files.
func baseTree(ctx context.Context, st *store.Store, bases []string, depth int, f *filters) (map[string]remotes.TreeFile, error) {
	if len(bases) == 0 {
		return map[string]remotes.TreeFile{}, nil
	}
	files, err := remotes.Tree(ctx, st.Repo, bases[0])
	if err != nil || depth == 0 {
		return files, err
	}
	for _, next := range bases[1:min(len(bases), mostCrossings)] {
		below, err := object.MergeBases(ctx, st.Repo, bases[0], next)
		if err != nil {
			return nil, err
		}
		m := &merging{st: st, filters: f, ours: files, related: len(below) > 0, files: map[string]remotes.TreeFile{}, written: map[string][]byte{}}
		if m.base, err = baseTree(ctx, st, below, depth-1, f); err != nil {
			return nil, err
		}
		if m.theirs, err = remotes.Tree(ctx, st.Repo, next); err != nil {
			return nil, err
		}
		for _, name := range m.names() {
			if err := m.file(ctx, name); err != nil {
				m.keep(name, m.ours[name])
			}
		}
		files = m.files
	}
	return files, nil
}
