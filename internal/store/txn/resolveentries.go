package txn

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
)

// ResolvedEntry is what a resolution made of one entry's file.
type ResolvedEntry struct {
	Path     string // from the store's folder, with slashes
	Notes    []fault.Note
	Changed  bool
	Unmerged bool // git's index still has the file unmerged
	removed  []fault.Note
	hunks    int
}

// resolveEntries merges the entries that are in conflict: those that the index
// has unmerged, and those with conflict markers; only names the one to look at.
func (p *plan) resolveEntries(ctx context.Context, only string) (list []ResolvedEntry, err error) {
	var unmerged []string
	if p.st.Repo != nil {
		all, err := worktree.Unmerged(ctx, p.st.Repo, p.st.GitPathOf(entry.Root))
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			unmerged = append(unmerged, contents.PathInStore(p.st, name))
		}
	}
	files, err := contents.EntryFiles(ctx, p.st)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var failed error
	err = contents.EachEntry(ctx, p.st, files, func(name string, src []byte) {
		inConflict := slices.Contains(unmerged, name)
		if failed != nil || only != "" && name != only || !inConflict && !marked(name, src) {
			return
		}
		seen[name] = true
		e, err := p.resolveEntry(ctx, name, src, inConflict)
		if err != nil {
			failed = err
			return
		}
		list = append(list, e)
	})
	if err == nil {
		err = failed
	}
	for _, name := range unmerged { // those that stand in no worktree
		if err != nil || seen[name] || only != "" && name != only {
			continue
		}
		var e ResolvedEntry
		e, err = p.resolveEntry(ctx, name, nil, true)
		list = append(list, e)
	}
	return list, err
}

// marked reports whether conflict markers keep the entry from being read.
func marked(name string, src []byte) bool {
	f, problems := entry.Parse(name, src)
	return f == nil && slices.ContainsFunc(problems, func(p entry.Problem) bool { return p.Rule == "conflict-markers" })
}

// resolveEntry merges one entry's file, nil where none stands. An unmerged file without markers
// stays as it is, because a person has resolved it, unless it equals one of the sides. For a
// removed file see resolveRemoved.
func (p *plan) resolveEntry(ctx context.Context, name string, src []byte, unmerged bool) (ResolvedEntry, error) {
	e := ResolvedEntry{Path: name, Unmerged: unmerged}
	var stages [3][]byte
	if unmerged {
		var fault error
		if stages, _, fault = contents.ConflictSides(ctx, p.st, p.st.GitPathOf(name)); fault != nil {
			return e, fault
		}
		if changed := oneSide(stages); changed != nil {
			return p.resolveRemoved(e, src, changed, stages[0])
		}
	}
	merged, hunks, err := recovery.Resolve(name, src, stages, contents.RecoveryOptions(p.st))
	if err != nil {
		return e, fmt.Errorf("%q: %w", name, err)
	}
	if hunks == 0 || bytes.Equal(merged.Bytes, src) {
		return e, nil
	}
	e.hunks = hunks
	for _, note := range merged.Notes {
		e.Notes = append(e.Notes, fault.NewNote(note.Code, name+": "+note.Text))
	}
	if found := policy.Scan(merged.Bytes); len(found) > 0 && p.blocked == "" && !unmerged {
		return e, Secret(p.st.Scope, path.Base(name), found[0])
	}
	e.Changed = true
	p.changes = append(p.changes, store.FileChange{Path: name, Before: src, After: merged.Bytes})
	return e, nil
}

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
