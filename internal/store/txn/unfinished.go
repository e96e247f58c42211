package txn

import (
	"cmp"
	"context"
	"errors"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/gitops/worktree"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
)

// whyCutShort is why an act has no commit that its own process did not end.
const whyCutShort = "finished by the next write"

// begin notes the act in the ledger, before the first byte changes. One file is the old
// one or the new one, even after a power cut; of several the ledger has the bytes.
func (p *plan) begin() error {
	p.act.Subject, p.act.Message, p.act.Trailers = p.w.subject(), p.w.Message, p.w.Trailers(p.st.Scope)
	p.act.Sums, p.act.Clean = ledger.SumsOf(p.changes), p.w.Clean
	if p.st.Repo != nil {
		p.act.Tree = p.st.Repo.WorktreeName()
	}
	if len(p.changes) > 1 {
		p.act.KeepBytes(p.changes)
	}
	return ledger.Begin(p.st, p.act, len(p.changes) > 1)
}

// end notes that the act is over, with its commit or why it has none.
func (p *plan) end(state, commit, why string) error {
	p.act.State, p.act.Commit, p.act.Why = state, commit, why
	return ledger.End(p.st, p.act)
}

// endOne ends an act that a killed process left in this worktree: what it had
// begun to write is written to the end, and waits to be committed under its own name. Where
// somebody has changed one of the files since, all stay as they are.
func (t *transaction) endOne(ctx context.Context, rec ledger.ActRecord) error {
	finish, done, theirs, err := t.left(ctx, rec)
	if err != nil {
		return err
	}
	if t.st.Repo != nil {
		t.pendingPaths = append(t.pendingPaths, t.st.GitPaths(rec.Changes())...)
	}
	state := ledger.ActBack
	switch {
	case len(done) == 0 && !theirs && t.st.Repo != nil:
		err = unstage(ctx, t.st, rec.Sums)
	case len(done) > 0 && !theirs && rec.Clean && t.blocked != "" && t.complete(ctx, &rec, done):
		err = put(t.st, reversed(done)) // what an agent noted may not wait in the worktree
	case len(done) > 0 && !theirs:
		if err, state = put(t.st, finish), ledger.ActDone; err == nil && t.st.Repo != nil {
			state = ledger.ActWaits // for its commit; the act's git may have been killed before it wrote the index
		}
	}
	if err != nil {
		return err
	}
	t.finished = append(t.finished, fault.NewNote("killed-write-finished", "finished a write that was killed: "+rec.Act))
	rec.State, rec.Why = state, whyCutShort
	if t.complete(ctx, &rec, done) && state == ledger.ActWaits && !rec.Undone {
		rec.Journalled = t.journal(ctx, ledger.JournalWrite{Changes: rec.Changes(), Subject: "memory: " + rec.Subject, Body: rec.Message, Trailers: rec.Trailers, Why: cmp.Or(t.blocked, whyCutShort), Act: &rec})
	}
	return ledger.End(t.st, rec)
}

// complete puts in what the only file of an act was before it, as HEAD or the commit before it has it. ok is false where they
// have another one.
func (t *transaction) complete(ctx context.Context, rec *ledger.ActRecord, done []store.FileChange) (ok bool) {
	for _, rev := range []string{"HEAD", "HEAD^"} {
		if len(done) != 1 || t.st.Repo == nil || rec.Whole() {
			break
		}
		done[0].Before, _, _ = object.FileAt(ctx, t.st.Repo, rev, t.st.GitPathOf(done[0].Path))
		rec.KeepBytes(done)
	}
	return rec.Whole()
}

// left tells the changes that are still to be made from those that are done; theirs says
// that somebody has changed one of the files since.
func (t *transaction) left(ctx context.Context, rec ledger.ActRecord) (finish, done []store.FileChange, theirs bool, err error) {
	changes := rec.Changes()
	for i, sum := range rec.Sums {
		c := changes[i]
		now, err := contents.FileBytes(t.st, sum.Path)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, false, err
		}
		switch contents.DigestOf(now) {
		case sum.After:
			c.After = now
			done = append(done, c)
		case sum.Before:
			c.Before = now
			finish = append(finish, c)
		default:
			theirs = true
		}
	}
	return finish, done, theirs, nil
}

// unstage takes the new files of an act that was taken back out of the index.
func unstage(ctx context.Context, st *store.Store, sums []ledger.FileSum) error {
	var fresh []store.FileChange
	for _, sum := range sums {
		if sum.Before == "" {
			fresh = append(fresh, store.FileChange{Path: sum.Path})
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return worktree.Unstage(ctx, st.Repo, st.GitPaths(fresh))
}

// newAct begins the act's record.
func (p *plan) newAct() ledger.ActRecord {
	rec := ledger.NewAct(p.st.Stores, p.st.Scope, p.w.Act, p.w.Undoes, p.w.Origin)
	rec.Command = p.w.Command
	return rec
}

// beginUndone is begin for an act that undo does not look at.
func (p *plan) beginUndone() error {
	if p.act.ID == "" {
		p.act = p.newAct()
	}
	p.act.Undone = true
	return p.begin()
}
