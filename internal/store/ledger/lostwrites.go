package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

// Lost is an item or an entry that was written here and is not here any more.
type Lost struct {
	Item *memfile.Item // nil for an entry
	Path string        // of the entry's file, from the store's folder
	Src  []byte
}

// LostWrites lists the items and facts that were written on the checked-out branch (with a detached HEAD, in this worktree) and
// that HEAD does not contain: after `git reset --hard` or a checkout of the file, for example. An item counts if it was added or
// changed by writes that HEAD does not contain, is now as it was before them, and no later write names it. It looks at the newest
// 64 entries of the journal.
func LostWrites(ctx context.Context, st *store.Store) []Lost {
	src, err := contents.BytesAsRead(st)
	if err != nil {
		return nil
	}
	return lostWrites(ctx, st, src, false)
}

// NewlyLost is LostWrites where no write has followed: what the next act and the start of a
// session tell. src is the memory file. It starts git only if that differs from the journal's
// newest entry and HEAD is far from that entry's commit.
func NewlyLost(ctx context.Context, st *store.Store, src []byte) []Lost {
	return lostWrites(ctx, st, src, true)
}

// NewlyLostNote is LostNote of NewlyLost; none where the memory file cannot be read.
func NewlyLostNote(ctx context.Context, st *store.Store) []fault.Note {
	src, err := contents.BytesAsRead(st)
	if err != nil {
		return nil
	}
	return LostNote(NewlyLost(ctx, st, src))
}

func lostWrites(ctx context.Context, st *store.Store, src []byte, newest bool) (list []Lost) {
	if st.Repo == nil {
		return nil
	}
	state, err := st.Repo.State()
	if err != nil || newest && sameAsLastEntry(ctx, st, state, src) || st.Repo.Operation() != "" {
		return nil
	}
	search := lostSearch{st: st, src: src}
	for line := lineOf(ctx, st, state); len(line) > 0; {
		n := slices.IndexFunc(line, func(e committer.JournalEntry) bool { return !isWriteLost(ctx, st, state, e) })
		if n < 0 {
			n = len(line)
		}
		list = append(list, search.itemsOf(ctx, line[:n])...)
		if newest || n == len(line) {
			break
		}
		search.decided = append(search.decided, keysOf(line[n])...)
		line = line[n+1:]
	}
	return withoutDefault(ctx, st, append(list, search.files...))
}

// withoutDefault takes out what the default branch has, where another one is checked out.
func withoutDefault(ctx context.Context, st *store.Store, list []Lost) []Lost {
	if len(list) == 0 || st.Scope != store.Project {
		return list
	}
	_, commit := contents.OnDefault(ctx, st.Stores)
	src, ok, err := contents.AsWritten(ctx, st.Repo, commit, st.GitPath())
	if commit == "" || err != nil {
		return list
	}
	doc := contents.NoDocument()
	if ok {
		doc = contents.OldDocument(st, src)
	}
	return slices.DeleteFunc(list, func(l Lost) bool {
		if l.Item != nil {
			return len(onlyKey(doc, l.Item.Key).Items) > 0
		}
		return worktree.CommitHas(ctx, st.Repo, commit, st.GitPathOf(l.Path))
	})
}

// lostSearch looks for what was lost, from the newest entry back.
type lostSearch struct {
	st        *store.Store
	src       []byte // the memory file
	now       memfile.Document
	forgotten *contents.Forgotten // nil until something was lost
	decided   []string            // keys and ids that newer writes name
	files     []Lost              // facts and notes
}

// itemsOf returns the items that the writes, newest first, made or changed and that are as before them now, and collects the files.
func (s *lostSearch) itemsOf(ctx context.Context, lost []committer.JournalEntry) (items []Lost) {
	if len(lost) == 0 {
		return nil
	}
	if s.forgotten == nil {
		s.now = contents.OldDocument(s.st, s.src)
		forgotten, err := contents.ForgottenOf(s.st, s.now)
		if err != nil {
			return nil
		}
		s.forgotten = forgotten
	}
	_, first, err := committer.JournalFiles(ctx, s.st.Repo, lost[len(lost)-1])
	before := documentOf(ctx, s.st, first)
	for _, e := range lost {
		files, _, failed := committer.JournalFiles(ctx, s.st.Repo, e)
		if err = errors.Join(err, failed); err != nil {
			return items
		}
		after, keys := documentOf(ctx, s.st, files), keysOf(e)
		for _, key := range keys {
			isNow, isLeft, at := onlyKey(s.now, key), onlyKey(after, key), merge.Duplicates(&after, key)
			if memfile.KeyForm(key) && !slices.Contains(s.decided, key) && at >= 0 && sameKey(isNow, onlyKey(before, key)) && !sameKey(isNow, isLeft) && !policy.HasPurgedPart(after.Items[at].Value) {
				items = append(items, Lost{Item: &after.Items[at]})
			}
		}
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if name := contents.PathInStore(s.st, file); !slices.ContainsFunc(s.files, func(l Lost) bool { return l.Path == name }) && s.fileGone(name) {
				src, err := contents.StoredFile(ctx, s.st, files[file], file)
				if f := entry.ParseOrNil(name, src); err == nil && f != nil && !s.forgotten.HasText(f.Text) && !policy.HasPurgedPart(memfile.Str(f.Text)) {
					s.files = append(s.files, Lost{Path: name, Src: src})
				}
			}
		}
		s.decided = append(s.decided, keys...)
	}
	return items
}

// fileGone reports whether the file is one of a fact or note that no newer write names and that is not on disk any more.
func (s *lostSearch) fileGone(name string) bool {
	place, ok := entry.ParsePath(name)
	return ok && !place.Deleted && !slices.Contains(s.decided, place.ID) && !slices.Contains(s.decided, entry.ShortID(place.ID)) &&
		!slices.ContainsFunc([]string{name, entry.DeletedPath(name)}, func(path string) bool {
			on, err := contents.FileBytes(s.st, path)
			return err != nil || on != nil
		})
}

// isWriteLost reports whether HEAD does not contain the write: its commit is not in HEAD's history,
// or it had none because of a rebase or its like, or because git could not sign it or did not know its author.
func isWriteLost(ctx context.Context, st *store.Store, state gitops.State, e committer.JournalEntry) bool {
	if e.Commit == "" {
		return gitops.IsUnfinishedOperation(e.Why) || e.Why == gitops.WhySigning || e.Why == gitops.WhyNoIdentity
	}
	return e.Commit != state.Head && !object.IsAncestor(ctx, st.Repo, e.Commit, state.Head)
}

// onBranch picks the journal's entries of the checked-out branch, or with a detached HEAD those of this worktree.
func onBranch(st *store.Store, state gitops.State) func(committer.JournalEntry) bool {
	branch, here := BranchRef(state), place(st)
	return func(e committer.JournalEntry) bool { return e.Branch == branch && (branch != "" || e.Worktree == here) }
}

// lineOf returns the journal's entries of the checked-out branch, newest first.
func lineOf(ctx context.Context, st *store.Store, state gitops.State) (line []committer.JournalEntry) {
	here, look := onBranch(st, state), JournalLook
	_ = committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool {
		if here(e) && !changesQueue(e) {
			line = append(line, e)
		}
		look--
		return look > 0
	})
	return line
}

// LostWritesNote is the code of LostNote.
const LostWritesNote = "lost-writes"

// LostNote says how many memories LostWrites lists; none where there are none.
func LostNote(list []Lost) []fault.Note {
	if len(list) == 0 {
		return nil
	}
	lost, them := fmt.Sprintf("%d memories that were written here are", len(list)), "them"
	if len(list) == 1 {
		lost, them = "1 memory that was written here is", "it"
	}
	return []fault.Note{fault.NewNote(LostWritesNote, lost+" no longer on this branch, for example after git reset or git checkout; restore "+them+" with: memctl restore --from journal")}
}

// sameAsLastEntry reports whether the files are as the newest entry of the journal for the
// branch has them, or its commit is HEAD: then nothing was lost.
func sameAsLastEntry(ctx context.Context, st *store.Store, state gitops.State, src []byte) bool {
	last, blob, ok, err := committer.JournalLast(ctx, st.Repo, JournalLook, onBranch(st, state), st.GitPath())
	if err != nil || !ok || last.Commit == state.Head {
		return true
	}
	if !IsBlob(ctx, st, blob, st.GitPath(), src) {
		return false
	}
	files, _, err := committer.JournalFiles(ctx, st.Repo, last)
	return err != nil || !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(file string) bool {
		on, err := contents.FileBytes(st, contents.PathInStore(st, file))
		return err == nil && on == nil
	})
}

// keysOf are the keys and ids that the entry names.
func keysOf(e committer.JournalEntry) (keys []string) {
	for _, tr := range e.Trailers {
		if tr.Name == "Memory-Key" {
			keys = append(keys, tr.Value)
		}
	}
	return keys
}

// documentOf is the memory among files of the journal.
func documentOf(ctx context.Context, st *store.Store, files map[string]string) memfile.Document {
	if blob := files[st.GitPath()]; blob != "" {
		if src, err := contents.MemoryFromBlob(ctx, st, blob); err == nil {
			return contents.OldDocument(st, src)
		}
	}
	return contents.NoDocument()
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

// sameKey compares what onlyKey returns.
func sameKey(a, b memfile.Document) bool { return len(memfile.Diff(a, b)) == 0 }
