package txn

import (
	"bytes"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// oneSide is the version of the side that changed a file which the other
// removed; nil where that is not what is in conflict. stages are git's: base,
// ours and theirs.
func oneSide(stages [3][]byte) []byte {
	switch {
	case stages[0] == nil || (stages[1] == nil) == (stages[2] == nil):
		return nil
	case stages[1] != nil:
		return stages[1]
	}
	return stages[2]
}

// resolveRemoved settles an entry that one side removed and the other changed.
// Memory wins over absence: it stays, unless it was removed by an act of
// forgetting, which has left a tombstone of the text. What the other side made of a
// text that was forgotten is set aside then, as sync does.
func (p *plan) resolveRemoved(e ResolvedEntry, src, changed, base []byte) (ResolvedEntry, error) {
	e.hunks = 1
	forgotten, err := contents.ForgottenOf(p.st, contents.OldDocument(p.st, p.resolvedMemory()))
	if err != nil {
		return e, err
	}
	want, aside := changed, false
	for _, version := range [][]byte{base, changed} {
		if f, _ := entry.Parse(e.Path, version); f != nil && forgotten.WholeTombstone(f.Entry().Text) != nil {
			want = nil
		} else if f != nil && want == nil {
			aside = true
		}
	}
	if aside {
		return p.resolveAside(e, src, changed), nil
	}
	if e.removed = []fault.Note{keptOneSide(e.Path)}; want == nil {
		e.removed = []fault.Note{fault.NewNote("entry-forgotten", "forgotten on one side and changed on the other, so forgotten: "+e.Path)}
	} else if src != nil {
		want = src // as it stands in the worktree
	}
	if e.Changed = !bytes.Equal(src, want); e.Changed {
		p.changes = append(p.changes, store.FileChange{Path: e.Path, Before: src, After: want})
	}
	return e, nil
}

// keptOneSide names a file that one side of a merge removed.
func keptOneSide(name string) fault.Note {
	return fault.NewNote("file-kept", "removed on one side and changed on the other, so it is kept: "+name)
}

// resolveAside keeps a side's own text among the deleted files, unless one stands there.
func (p *plan) resolveAside(e ResolvedEntry, src, changed []byte) ResolvedEntry {
	to := entry.DeletedPath(e.Path)
	e.Changed = true
	e.removed = []fault.Note{fault.NewNote("entry-moved-aside", "forgotten on one side and changed on the other: "+e.Path+" is moved to "+to)}
	p.changes = append(p.changes, store.FileChange{Path: e.Path, Before: src})
	if there, err := contents.EntryBytes(p.st, to); err != nil || there == nil {
		p.changes = append(p.changes, store.FileChange{Path: to, After: changed})
	}
	return e
}

// resolvedMemory is the memory file as the resolution leaves it.
func (p *plan) resolvedMemory() []byte {
	for _, c := range p.changes {
		if c.Path == memfile.FileName {
			return c.After
		}
	}
	return p.src
}
