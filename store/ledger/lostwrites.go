package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// LostWrites names the items and facts that were written on the checked-out branch, or in this worktree with a detached
// HEAD, and that neither HEAD nor (in the second case) another branch contains: after `git reset --hard`, `git rebase
// --abort` or a checkout, for example. An item
// counts if it was added or changed by writes that HEAD does not contain, is now as it was
// before them, and no later write names it. It looks at the newest 64 entries of the journal.
func LostWrites(ctx context.Context, st *store.Store) []string {
	src, err := contents.BytesAsRead(st)
	if err != nil {
		return nil
	}
	return lostWrites(ctx, st, src, false)
}

// NewlyLost is LostWrites where no write has followed: what the next act and the start of a
// session tell. src is the memory file. It starts git only if that differs from the journal's
// newest entry and HEAD is far from that entry's commit.
func NewlyLost(ctx context.Context, st *store.Store, src []byte) []string {
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

func lostWrites(ctx context.Context, st *store.Store, src []byte, newest bool) (names []string) {
	if st.Repo == nil {
		return nil
	}
	state, err := st.Repo.State()
	if err != nil || newest && sameAsLastEntry(ctx, st, state, src) || st.Repo.Operation() != "" {
		return nil
	}
	now := sync.OnceValue(func() memfile.Document { return contents.OldDocument(st, src) }) // usually nothing was lost
	var decided []string                                                                    // keys and ids that newer writes name
	var lost []committer.JournalEntry
	line := lineOf(ctx, st, state)
	for i, e := range line {
		switch {
		case isFound(e):
			continue
		case !lacks(ctx, st, state, e):
			if newest {
				return append(names, lostFiles(ctx, st, lost, now)...)
			}
		default:
			lost = append(lost, e)
			base := slices.IndexFunc(line[i+1:], func(e committer.JournalEntry) bool { return isFound(e) || !lacks(ctx, st, state, e) })
			left, was := journalDocument(ctx, st, e), contents.NoDocument()
			if base >= 0 {
				was = journalDocument(ctx, st, line[i+1+base])
			}
			for _, key := range keysOf(e) {
				isNow, isLeft := onlyKey(now(), key), onlyKey(left, key)
				if memfile.KeyForm(key) && !slices.Contains(decided, key) && len(isLeft.Items) > 0 && sameKey(isNow, onlyKey(was, key)) && !sameKey(isNow, isLeft) {
					names = append(names, key)
				}
			}
		}
		decided = append(decided, keysOf(e)...)
	}
	return append(names, lostFiles(ctx, st, lost, now)...)
}

// lacks reports whether HEAD does not contain the write: its commit is not in HEAD's history,
// or it had none because of a rebase or its like.
func lacks(ctx context.Context, st *store.Store, state gitops.State, e committer.JournalEntry) bool {
	if e.Commit == "" {
		return gitops.Begun(e.Why)
	}
	return e.Commit != state.Head && !object.IsAncestor(ctx, st.Repo, e.Commit, state.Head)
}

// lineOf returns the journal's entries of the branch, newest first, with those that this worktree made with a detached
// HEAD: in a rebase that was given up, or with a commit that no branch contains.
func lineOf(ctx context.Context, st *store.Store, state gitops.State) (line []committer.JournalEntry) {
	here, look, aborted := HereOn(st, BranchRef(state)), JournalLook, st.Repo.Aborted()
	var apart []string
	_ = committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool {
		if here(e) && (e.Branch != "" || e.Commit != "" || aborted && gitops.Begun(e.Why)) {
			line = append(line, e)
		}
		look--
		return look > 0
	})
	for _, e := range line {
		if e.Branch == "" && e.Commit != "" && lacks(ctx, st, state, e) {
			apart = append(apart, e.Commit)
		}
	}
	kept := onBranches(ctx, st, apart)
	return slices.DeleteFunc(line, func(e committer.JournalEntry) bool { return slices.Contains(kept, e.Commit) })
}

// onBranches returns those of the commits that a branch or tag contains, of this repository or of a remote.
func onBranches(ctx context.Context, st *store.Store, commits []string) (kept []string) {
	if len(commits) == 0 {
		return nil
	}
	args := append([]string{"rev-list", "--ignore-missing"}, commits...)
	out, err := st.Repo.Git(ctx, gitops.Call{Args: append(args, "--not", "--branches", "--tags", "--remotes")})
	if err != nil {
		return commits // nobody is told of a loss that is not known
	}
	left := strings.Fields(string(out))
	return slices.DeleteFunc(slices.Clone(commits), func(id string) bool {
		_, _, missing := object.BlobsAt(ctx, st.Repo, id, nil)
		return missing != nil || slices.Contains(left, id)
	})
}

// LostWritesNote is the code of LostNote.
const LostWritesNote = "lost-writes"

// LostNote says how many memories LostWrites names; none where there are none.
func LostNote(names []string) []fault.Note {
	if len(names) == 0 {
		return nil
	}
	lost, them := fmt.Sprintf("%d memories that were written here are", len(names)), "them"
	if len(names) == 1 {
		lost, them = "1 memory that was written here is", "it"
	}
	return []fault.Note{fault.NewNote(LostWritesNote, lost+" no longer on this branch, for example after git reset or git checkout; restore "+them+" with: memctl restore --from journal")}
}

// sameAsLastEntry reports whether the files are as the newest entry of the journal for the
// branch has them, or its commit is HEAD: then nothing was lost.
func sameAsLastEntry(ctx context.Context, st *store.Store, state gitops.State, src []byte) bool {
	last, blob, ok, err := committer.JournalLast(ctx, st.Repo, JournalLook, HereOn(st, BranchRef(state)), st.GitPath())
	if err != nil || !ok || last.Commit == state.Head {
		return true
	}
	if !isBlob(ctx, st, blob, kept{src: src}) {
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

// journalDocument is the memory that an entry of the journal holds.
func journalDocument(ctx context.Context, st *store.Store, e committer.JournalEntry) memfile.Document {
	files, _, err := committer.JournalFiles(ctx, st.Repo, e)
	if blob := files[st.GitPath()]; err == nil && blob != "" {
		if src, err := contents.Stored(ctx, st, blob); err == nil {
			return contents.OldDocument(st, src)
		}
	}
	return contents.NoDocument()
}

// lostFiles are the short ids of the entries' facts and notes that are not on disk any
// more and are not forgotten.
func lostFiles(ctx context.Context, st *store.Store, lost []committer.JournalEntry, now func() memfile.Document) (ids []string) {
	if len(lost) == 0 {
		return nil
	}
	forgotten, err := contents.ForgottenOf(st, now())
	if err != nil {
		return nil
	}
	var known []string
	for _, e := range lost {
		files, _, err := committer.JournalFiles(ctx, st.Repo, e)
		if err != nil {
			continue
		}
		decided := known
		known = append(known, keysOf(e)...) // a newer entry decides
		for file, blob := range files {
			name := contents.PathInStore(st, file)
			place, ok := entry.ParsePath(name)
			if !ok || place.Deleted || slices.Contains(ids, entry.ShortID(place.ID)) {
				continue
			}
			if slices.Contains(decided, place.ID) || slices.Contains(decided, entry.ShortID(place.ID)) {
				continue
			}
			if on, err := contents.FileBytes(st, name); err != nil || on != nil {
				continue
			}
			if gone, err := contents.FileBytes(st, entry.DeletedPath(name)); err != nil || gone != nil {
				continue
			}
			src, err := contents.StoredFile(ctx, st, blob, file)
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
