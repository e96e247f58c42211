package undo

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
)

// find sets the store and the differences to take back: those of the named commit, or
// of the last act that has something left to take back.
func (u *undoing) find(ctx context.Context) error {
	if u.Commit != "" {
		return u.findCommit(ctx)
	}
	acts, err := ledger.Acts(ctx, u.ss)
	if err != nil {
		return err
	}
	acts = slices.DeleteFunc(acts, func(r ledger.ActRecord) bool {
		return r.Act == "init" || u.Scope != "" && r.Scope != u.Scope
	})
	for i, rec := range slices.Backward(acts) {
		if rec.Act == "recover" { // the damaged file is in its notes and in git
			u.passed = append(u.passed, memory.Quoted(rec.Act)+": undo does not revert a recovery, and passes over it")
			continue
		}
		if rec.IsDrop() {
			if err := u.findDropped(ctx, rec); err != nil || len(u.dropped) > 0 {
				return err
			}
			u.passed = append(u.passed, memory.Quoted(rec.Act)+": what it dropped was purged, so undo skips it")
			continue
		}
		if err := u.load(ctx, rec, acts[:i]); err != nil {
			return err
		}
		why, err := u.nothingLeft(ctx)
		if err != nil {
			return err
		}
		if why == "" {
			if i > 0 && rec.Act == "move" && acts[i-1].Act == rec.Act && acts[i-1].Scope != rec.Scope && acts[i-1].Subject == rec.Subject {
				u.half = acts[i-1].Scope
			}
			return u.canTakeBack()
		}
		names := namesOf(u.changes)
		u.passed = append(u.passed, memory.Quoted(strings.TrimSpace(rec.Act+" "+strings.Join(names[:min(len(names), 3)], ", ")))+": "+why+", so undo skips it")
	}
	if len(acts) == 0 {
		if st, err := u.ss.Session(ctx); err == nil && st.Repo == nil {
			return memory.NoHistory(u.ss, st)
		}
	}
	message := "there are no more changes to undo in this worktree"
	for _, note := range u.passedNotes() {
		message += "; " + note
	}
	return &fault.Error{Code: "nothing-to-undo", Status: 1, Cause: message, Hints: []string{"memctl log --all", "memctl undo COMMIT"}}
}

// load reads what a recorded act changed; before are the acts before it.
func (u *undoing) load(ctx context.Context, rec ledger.ActRecord, before []ledger.ActRecord) (err error) {
	if err := ledger.Fill(ctx, u.ss, &rec); err != nil {
		return err
	}
	u.record, u.changes, u.gone, u.earlier = rec, nil, false, ""
	if u.store, err = u.ss.Get(ctx, rec.Scope); err != nil {
		return err
	}
	if u.store.Repo == nil {
		return memory.NoHistory(u.ss, u.store)
	}
	if rec.Commit == "" {
		var deltas []memfile.Delta
		if was, is, ok := rec.Documents(); ok {
			deltas = memfile.Diff(was, is)
		}
		u.changes = changesOf(deltas, rec.Files)
		return nil
	}
	u.gone = !contents.InHistory(ctx, u.store, rec.Commit)
	if next := localstate.MovedTo(u.store, rec.Commit); u.gone && next != "" { // by a purge that was asked for in another folder
		u.record.Commit, u.gone = next, !contents.InHistory(ctx, u.store, next)
	}
	if u.gone {
		for _, r := range slices.Backward(before) {
			if r.Scope == rec.Scope && r.Commit != "" && contents.InHistory(ctx, u.store, r.Commit) {
				u.earlier = r.Commit[:min(len(r.Commit), 8)]
				break
			}
		}
	}
	err = u.readCommit(ctx, u.record.Commit)
	if fault.Is(err, fault.UnknownRevision) {
		e := &fault.Error{Code: "not-undone", Status: 1, Cause: memory.Quoted(u.name()) + ": its commit " + rec.Commit[:min(len(rec.Commit), 8)] + " no longer exists, so undo cannot tell what it changed", Hints: []string{"memctl log"}}
		if u.earlier != "" {
			e.Hints = append(e.Hints, "memctl undo "+u.earlier)
		}
		return e
	}
	return err
}

// canTakeBack refuses what items alone do not tell: the resolution of a conflict, and an act before which
// the file cannot be read.
func (u *undoing) canTakeBack() error {
	e := &fault.Error{Code: "not-undone", Status: 1, Cause: memory.Quoted(u.name()) + ": the memory file before that change cannot be read, so undo cannot tell what it changed", Hints: []string{"memctl log"}}
	switch {
	case u.record.Act == "resolve":
		e.Cause = memory.Quoted("resolve") + ": resolved a conflict, which undo cannot restore"
	case u.known():
		return nil
	}
	return e
}
