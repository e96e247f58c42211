package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
)

// Dropped names the items and facts that were written on the checked-out branch, or in this
// worktree with a detached HEAD, and are not on the branch any more: after `git reset --hard`
// or `git rebase --abort`, for example. An item counts if it was added or changed by writes
// that HEAD does not contain, and is now as it was before them. It is empty when HEAD
// contains the newest entry of the journal for this branch, and so after the next act. It starts git only if the file differs from that entry and
// HEAD is far from its commit.
func (st *Store) Dropped(ctx context.Context) (names []string) {
	if st.Repo == nil {
		return nil
	}
	state, err := st.Repo.State()
	if err != nil || state.Branch == "" || state.Operation != "" {
		return nil
	}
	src, err := st.bytes()
	if err != nil || st.standsAsLast(ctx, state, src) {
		return nil
	}
	lost, before := st.lostEntries(ctx, state)
	if len(lost) == 0 {
		return nil
	}
	now, left, was := st.historic(src), st.journalDocument(ctx, lost[0]), NoDocument()
	if before != nil {
		was = st.journalDocument(ctx, *before)
	}
	for _, key := range keysOf(lost) {
		if isNow := onlyKey(now, key); len(onlyKey(left, key).Items) > 0 && sameKey(isNow, onlyKey(was, key)) && !sameKey(isNow, onlyKey(left, key)) {
			names = append(names, key)
		}
	}
	return append(names, st.lostFiles(ctx, lost, now)...)
}

// DroppedNote is the line that says how many memories Dropped names; "" where there are none.
func DroppedNote(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "1 memory that was written here is not on this branch any more, as after git reset; bring it back with: memctl restore --from journal"
	}
	return fmt.Sprintf("%d memories that were written here are not on this branch any more, as after git reset; bring them back with: memctl restore --from journal", len(names))
}

// standsAsLast reports whether the files are as the newest entry of the journal for the
// branch has them, or its commit is HEAD: then nothing was dropped.
func (st *Store) standsAsLast(ctx context.Context, state gitops.State, src []byte) bool {
	last, blob, ok, err := committer.JournalLast(ctx, st.Repo, journalLook, st.hereOn(branchRef(state)), st.gitPath())
	if err != nil || !ok || last.Commit == state.Head {
		return true
	}
	if !st.isBlob(ctx, blob, kept{src: src}) {
		return false
	}
	files, err := committer.JournalFiles(ctx, st.Repo, last)
	return err != nil || !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(file string) bool {
		on, err := st.fileBytes(st.ownPath(file))
		return err == nil && on == nil
	})
}

// lostEntries are the newest entries of the branch in the journal that HEAD does not contain,
// newest first, and the entry before them: their commit is not in HEAD's history, or they
// had none because of a rebase or its like.
func (st *Store) lostEntries(ctx context.Context, state gitops.State) (lost []committer.JournalEntry, before *committer.JournalEntry) {
	here, look := st.hereOn(branchRef(state)), journalLook
	var line []committer.JournalEntry
	err := committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool {
		if here(e) {
			line = append(line, e)
		}
		look--
		return look > 0
	})
	if err != nil {
		return nil, nil
	}
	for _, e := range line {
		switch {
		case isFound(e) && len(lost) == 0:
		case isFound(e), e.Commit == "" && !gitops.Begun(e.Why), e.Commit != "" && object.IsAncestor(ctx, st.Repo, e.Commit, state.Head):
			return lost, &e
		default:
			lost = append(lost, e)
		}
	}
	return lost, nil
}

// keysOf are the keys that the entries name, the newest entry's first.
func keysOf(list []committer.JournalEntry) (keys []string) {
	for _, e := range list {
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" && memfile.KeyForm(tr.Value) && !slices.Contains(keys, tr.Value) {
				keys = append(keys, tr.Value)
			}
		}
	}
	return keys
}

// journalDocument is the memory that an entry of the journal holds.
func (st *Store) journalDocument(ctx context.Context, e committer.JournalEntry) memfile.Document {
	files, err := committer.JournalFiles(ctx, st.Repo, e)
	if blob := files[st.gitPath()]; err == nil && blob != "" {
		if src, err := st.stored(ctx, blob); err == nil {
			return st.historic(src)
		}
	}
	return NoDocument()
}

// lostFiles are the short ids of the entries' facts and notes that are not on disk any
// more and are not forgotten.
func (st *Store) lostFiles(ctx context.Context, lost []committer.JournalEntry, now memfile.Document) (ids []string) {
	forgotten, err := st.forgotten(now)
	if err != nil {
		return nil
	}
	var known []string
	for _, e := range lost {
		files, err := committer.JournalFiles(ctx, st.Repo, e)
		if err != nil {
			continue
		}
		decided := known
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" {
				known = append(known, tr.Value) // a newer entry decides
			}
		}
		for file, blob := range files {
			name := st.ownPath(file)
			place, ok := entry.ParsePath(name)
			if !ok || place.Deleted || slices.Contains(ids, entry.ShortID(place.ID)) {
				continue
			}
			if slices.Contains(decided, place.ID) || slices.Contains(decided, entry.ShortID(place.ID)) {
				continue
			}
			if on, err := st.fileBytes(name); err != nil || on != nil {
				continue
			}
			if gone, err := st.fileBytes(entry.DeletedPath(name)); err != nil || gone != nil {
				continue
			}
			src, err := st.version(ctx, blob, file)
			if f, _ := entry.Parse(name, src); err == nil && f != nil && !forgotten.Text(f.Entry().Text) {
				ids = append(ids, entry.ShortID(place.ID))
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// onlyKey is what the document says of one key, signals aside.
func onlyKey(doc memfile.Document, key string) (of memfile.Document) {
	for _, it := range doc.Items {
		if it.Key == key {
			it.Signals, it.Seen = 0, ""
			of.Items = append(of.Items, it)
		}
	}
	for _, tomb := range doc.Deletions {
		if tomb.Key == key {
			of.Deletions = append(of.Deletions, tomb)
		}
	}
	return of
}

// SaySame reports whether two documents say the same of a key, signals aside.
func SaySame(a, b memfile.Document, key string) bool {
	return sameKey(onlyKey(a, key), onlyKey(b, key))
}

func sameKey(a, b memfile.Document) bool { return len(memfile.Diff(a, b)) == 0 }
