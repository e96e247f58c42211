package store

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
)

// beginExchange writes the intent of an exchange: files that change, and a
// branch that moves after them to a commit which is there already.
func (t *transaction) beginExchange(from, next string) error {
	return t.intend(intent{pendingWrite: t.pending(), Changes: t.changes, From: from, Next: next})
}

// intend writes the intent of an act that undo does not know. What changes more
// than an intent holds goes without.
func (t *transaction) intend(in intent) error {
	size := 0
	for _, c := range in.Changes {
		size += len(c.Before) + len(c.After)
	}
	if size > maxChanged || len(in.Changes) == 0 {
		return nil
	}
	in.Act = ActRecord{Act: t.w.Act}
	return t.st.worktree().writeLargeJSON(intentFile, in, maxIntentBytes)
}

// endExchange moves the branch as the exchange that was killed would have. Where
// somebody has moved it elsewhere since, its files are committed under its name.
func (t *transaction) endExchange(ctx context.Context, in intent) error {
	state, err := t.st.Repo.State()
	if err != nil {
		return err
	}
	var moved *gitops.MovedError
	if t.blocked != "" {
		return t.st.notePending(in.pendingWrite)
	}
	if state.Head != in.Next {
		err = t.st.Repo.Advance(ctx, in.From, in.Next, advanced)
	}
	if errors.As(err, &moved) {
		return t.st.notePending(in.pendingWrite)
	}
	if err == nil {
		t.journalExchange(ctx, in.Changes, in.Message, in.Next)
	}
	return err
}

// journalExchange tells the journal of what was taken.
func (t *transaction) journalExchange(ctx context.Context, changes []FileChange, message, commit string) {
	if len(changes) > 0 {
		t.journal(ctx, written{changes: changes, subject: syncSubject, body: message, trailers: Write{Act: "sync"}.trailers(t.st.Scope), commit: commit})
	}
}
