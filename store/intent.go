package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
)

// intent is what an act is about to do to the tree. It is on disk before the
// first byte changes, and goes when the act is over: where it is still there,
// the act was killed, and the next one ends it.
type intent struct {
	pendingWrite
	Act     ActRecord    `json:"act"`
	Clean   bool         `json:"automatic,omitempty"`
	Changes []FileChange `json:"changes"`
	// Of an exchange: the commit that it moves the branch from, and the one that
	// it has made and moves it to.
	From string `json:"from,omitempty"`
	Next string `json:"next,omitempty"`
}

const (
	// whyCutShort stands in the record of an act that its own process did not end.
	whyCutShort = "ended by the next act"
	intentFile  = "intent.json"
	// maxIntentBytes caps what is read: the bytes before and after, in base64.
	maxIntentBytes = 4 * maxChanged
)

// begin writes the intent of the changes that follow.
func (t *transaction) begin() error {
	if t.st.Repo == nil && len(t.changes) == 1 {
		return nil // nothing to commit, so nothing is left to do
	}
	in := intent{pendingWrite: t.pending(), Act: t.act, Clean: t.w.Clean, Changes: t.changes}
	if len(t.changes) == 1 {
		// One file is the old one or the new one, even after a power cut: then
		// the intent may be lost, and with it the act's name, but no bytes.
		return t.st.worktree().writeQuickJSON(intentFile, in)
	}
	return t.st.worktree().writeLargeJSON(intentFile, in, maxIntentBytes)
}

// end takes the intent away: the act is over, whichever way.
func (t *transaction) end() error { return t.st.worktree().remove(intentFile) }

// settleIntent ends the act that a killed process left: what it had begun to
// write is written to the end, and waits to be committed under its own name. An
// automatic one that cannot be committed now is taken back instead, for it may
// not leave the tree changed. What somebody has changed since is theirs.
func (t *transaction) settleIntent(ctx context.Context) error {
	if t.w.DryRun || t.st.Dir == "" {
		return nil
	}
	if gitops.HandsOff(t.blocked) {
		return nil
	}
	var in intent
	err := t.st.worktree().readLargeJSON(intentFile, &in, maxIntentBytes)
	var damaged *StateError
	if errors.As(err, &damaged) {
		return t.end() // torn by a power cut: the tree had not changed before it was whole
	}
	if err != nil || len(in.Changes) == 0 {
		return err
	}
	finish, done, theirs, err := t.left(ctx, in)
	if err != nil {
		return err
	}
	if len(done) == 0 && len(finish) == len(in.Changes) && t.st.Repo != nil {
		if err := t.st.unstage(ctx, in.Changes); err != nil {
			return err
		}
	}
	if t.st.Repo != nil {
		t.touched = append(t.touched, t.st.gitPaths(in.Changes)...)
	}
	t.mended = append(t.mended, "an act that was killed is ended: "+in.Act.Act)
	// Where a person has been at one of them since, all stays as they left it.
	if len(done) > 0 && !theirs {
		if err := t.endActOf(ctx, in, done, finish); err != nil {
			return err
		}
	}
	return t.end()
}

// left tells the changes that are still to be made from those that are done; theirs says
// that somebody has changed one of the files since.
func (t *transaction) left(ctx context.Context, in intent) (finish, done []FileChange, theirs bool, err error) {
	for _, c := range in.Changes {
		now, err := t.st.fileBytes(c.Path)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, nil, false, err
		}
		switch digestOf(now) {
		case digestOf(c.After):
			c.After = now
			done = append(done, c)
		case digestOf(c.Before):
			c.Before = now
			finish = append(finish, c)
		default:
			if c.Before == nil && torn(now, c.After) {
				done = append(done, FileChange{Path: c.Path, After: now})
				c.Before = now
				finish = append(finish, c)
			} else {
				theirs = true
			}
		}
	}
	return finish, done, theirs, nil
}

// torn reports whether a new file is what a power cut left of it: its beginning,
// and zeros where the rest was not on the disk yet.
func torn(now, after []byte) bool {
	if now == nil || len(now) > len(after) {
		return false
	}
	i := 0
	for i < len(now) && now[i] == after[i] {
		i++
	}
	return len(bytes.Trim(now[i:], "\x00")) == 0
}

// unstage takes the new files of an act that was taken back out of the index.
func (st *Store) unstage(ctx context.Context, changes []FileChange) error {
	var fresh []FileChange
	for _, c := range changes {
		if c.Before == nil {
			fresh = append(fresh, c)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return st.Repo.Unstage(ctx, st.gitPaths(fresh))
}

// endActOf ends an act that had changed some files (done), with the rest of them.
func (t *transaction) endActOf(ctx context.Context, in intent, done, finish []FileChange) error {
	if in.Clean && t.blocked != "" && t.blocked != WhyNoRepository {
		return t.st.put(takenBack(done))
	}
	if err := t.st.put(finish); err != nil {
		return err
	}
	if t.st.Repo == nil {
		return nil
	}
	if in.Next != "" {
		return t.endExchange(ctx, in)
	}
	v := &tree{st: t.st, now: map[string][]byte{}, head: map[string][]byte{}}
	if v.inHead(ctx, in.pendingWrite) {
		// Its git may have been killed before it wrote the index.
		if err := t.st.Repo.Restage(ctx, t.st.gitPaths(in.Changes)); err != nil {
			t.notes = append(t.notes, "the index is not as HEAD is: "+err.Error())
		}
	}
	if in.Act.ID == "" {
		return t.st.notePending(in.pendingWrite)
	}
	in.Act.keep(in.Changes)
	in.Act.Why = whyCutShort
	if known, err := t.st.ss.hasAct(in.Act.ID); err == nil && !known {
		if err := t.st.ss.record(in.Act); err != nil {
			t.notes = append(t.notes, "undo will not know the act that was cut short: "+err.Error())
		}
	}
	return t.st.notePending(in.pendingWrite)
}

// fileBytes are a file's of the store; nil without an error where it is not
// there.
func (st *Store) fileBytes(name string) ([]byte, error) {
	if name == memfile.FileName {
		return st.bytes()
	}
	root, err := os.OpenRoot(st.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, name, maxChanged)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && src == nil {
		src = []byte{}
	}
	return src, err
}
