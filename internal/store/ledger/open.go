package ledger

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
)

// OpenAct is an act of this worktree that may have to be finished: its process was killed, or its files wait for a commit.
type OpenAct struct {
	ActRecord
	Files    []object.ChangedFile // by path from the store's folder
	Begun    bool                 // its commit was stored, and HEAD was never there
	NeverWas bool                 // with Begun: the log of HEAD says so
}

// Subject, Message and Trailers are those of the act's commit.
func (a *OpenAct) Subject() string            { return strings.TrimPrefix(a.entry.Subject, "memory: ") }
func (a *OpenAct) Message() string            { return a.entry.Body }
func (a *OpenAct) Trailers() []object.Trailer { return a.entry.Trailers }

// Open lists the acts of this worktree that may be open, oldest first: its newest one, unless HEAD has been at its commit, and
// those before it that waited then. What cannot be read of a damaged journal is left out.
func Open(ctx context.Context, st *store.Store) (list []*OpenAct) {
	if st.Repo == nil {
		return nil
	}
	state, err := st.Repo.State()
	if err != nil {
		return nil // the act says what is wrong with HEAD
	}
	var waits []string // the acts that waited, and are still to be found
	found, look, tree := false, All, treeOf(st)
	_ = committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool { // which holds the objects, so nothing else is read here
		rec := recordOf(e)
		switch i := slices.Index(waits, rec.ID); {
		case i >= 0:
			list, waits = append(list, &OpenAct{ActRecord: rec}), slices.Delete(waits, i, i+1)
		case !found && e.Tree == tree:
			list, found, waits = append(list, &OpenAct{ActRecord: rec}), true, strings.Fields(e.Waits)
		}
		look--
		return look > 0 && (!found && look > All-lookForTree || len(waits) > 0)
	})
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(a *OpenAct) bool {
		a.Begun, a.NeverWas = neverCommitted(ctx, st, a.Commit, state.Head)
		ended := !a.Begun && a.Commit != ""
		if !ended {
			a.Files, err = a.blobs(ctx, st, true)
		}
		return ended || err != nil
	})
}

// lookForTree is how many entries are looked at for the newest one of this worktree.
const lookForTree = 256

// treeOf names the store's worktree in the journal.
func treeOf(st *store.Store) string { return hashed(st.Repo.WorktreeName() + "/" + st.StateSuffix()) }

// neverCommitted reports whether HEAD was never at the commit of an act; never, whether the log of HEAD proves it: git may have cut
// that off.
func neverCommitted(ctx context.Context, st *store.Store, commit, head string) (is, never bool) {
	if commit == "" || commit == head || object.IsAncestor(ctx, st.Repo, commit, head) {
		return false, false
	}
	was, last := committer.WasHead(st.Repo, commit, head)
	if was {
		return false, false
	}
	_, parent, err := object.BlobsAt(ctx, st.Repo, commit, nil)
	return true, err == nil && parent == head && last == head
}

// blobs lists the files that the act changed. With own, they are as the act's commit has them, if there is one: the
// journal has no secrets.
func (rec *ActRecord) blobs(ctx context.Context, st *store.Store, own bool) (list []object.ChangedFile, err error) {
	files, before, err := committer.JournalFiles(ctx, st.Repo, *rec.entry)
	if err != nil {
		return nil, err
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(files)), maps.Keys(before))
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if own && rec.Redacted && rec.Commit != "" {
		if f, parent, err := object.BlobsAt(ctx, st.Repo, rec.Commit, names); err == nil {
			files, before = f, nil
			if parent != "" {
				before, _, _ = object.BlobsAt(ctx, st.Repo, parent, names)
			}
		}
	}
	for _, name := range names {
		if files[name] != before[name] {
			list = append(list, object.ChangedFile{Path: contents.PathInStore(st, name), Before: before[name], After: files[name]})
		}
	}
	return list, nil
}

// Amend has the journal say that the act has no commit, and why. Errors: the system's cause; fault.Blocked.
func (a *OpenAct) Amend(ctx context.Context, st *store.Store, why string) (err error) {
	e := *a.entry
	if e.Files, e.Before, err = committer.JournalFiles(ctx, st.Repo, e); err != nil {
		return err
	}
	e.Commit, e.Why = "", why
	_, _, err = committer.AddJournal(ctx, st.Repo, e, a.entry.ID)
	a.Commit, a.Begun = "", false
	return err
}

// Drop takes the act out of the journal: it never was. Errors: the system's cause; fault.Blocked.
func (a *OpenAct) Drop(ctx context.Context, st *store.Store) error {
	return committer.DropJournal(ctx, st.Repo, *a.entry)
}

// mostWaiting is how many acts an entry names that wait: the newest ones.
const mostWaiting = 100
