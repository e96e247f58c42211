package contents

import (
	"context"
	"os"
	"path/filepath"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Kept is git's version of a memory file that is not on disk (see txn.Absent) or that
// somebody's page has replaced. Nobody is shown it as memory, but its tombstones and locks
// hold. nil if the file is there, or git has none.
func (m *Memory) Kept(ctx context.Context) (*memfile.Document, error) {
	if m.Exists || m.keptRead {
		return m.kept, nil
	}
	blob := ""
	if m.Store.Repo != nil && m.Store.Dir != "" {
		// The index, which may be large, is asked where this worktree's memory was read before;
		// what is there alone was put there here.
		_, err := os.Lstat(m.Store.WorktreeState().Path(SnapshotFile))
		blob = worktree.FindAbsent(ctx, m.Store.Repo, m.Store.GitPath(), err == nil).Blob
	}
	if blob != "" {
		src, err := MemoryFromBlob(ctx, m.Store, blob)
		if err != nil {
			return nil, err
		}
		if f, _ := memfile.Parse(m.Store.Name(), src); f != nil {
			doc := f.Document()
			m.kept = &doc
		} else if !memfile.IsPage(src) {
			doc := salvaged(ctx, m.Store, src)
			m.kept = &doc
		}
	}
	m.keptRead = true
	return m.kept, nil
}

// Tombstones are those that bind what is written and shown: the file's, or those of one
// that is not on disk and git has.
func (m *Memory) Tombstones(ctx context.Context) ([]memfile.Tombstone, error) {
	kept, err := m.Kept(ctx)
	if err != nil || kept == nil {
		return m.Deletions, err
	}
	return kept.Deletions, nil
}

// tombstones returns those of a store, as Memory.Tombstones does. If the memory file cannot be read
// (a link, a folder, a file that is too large), it returns those that git has: in HEAD or the
// index, else in the newest sound version. Errors: that of Read if git has none.
func tombstones(ctx context.Context, st *store.Store) ([]memfile.Tombstone, error) {
	m, err := Read(ctx, st)
	if err == nil {
		return m.Tombstones(ctx)
	}
	kept, keptErr := empty(st).Kept(ctx)
	if kept == nil && keptErr == nil {
		kept = ForgottenEarlier(ctx, st)
	}
	if kept == nil {
		return nil, err
	}
	return kept.Deletions, nil
}

// keepSettings takes over the switches of a memory file that is not on disk: its entries
// stand beside it, and who switched memory off has not switched it on by losing the file.
func (m *Memory) keepSettings(ctx context.Context) {
	if m.Store.Repo == nil || m.Store.Dir == "" {
		return
	}
	if _, err := os.Lstat(filepath.Join(m.Store.Dir, store.MemoriesDir)); err != nil {
		return // nothing that they would be about
	}
	if kept, err := m.Kept(ctx); err == nil && kept != nil {
		m.Settings = kept.Settings
	}
}
