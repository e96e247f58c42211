// Package ledger keeps what happened in a store and what waits: the acts, in the journal in git, and the queue.
package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// ActRecord is one act, as the journal has it.
type ActRecord struct {
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	Order int64     `json:"order,omitempty"` // nanoseconds of the machine's clock: the order of acts in several stores
	// Worktree is a hash of the session's folder then, and Place one of how the repository calls it (see
	// Stores.ActsPlace; "" outside a repository): where undo finds the act.
	Worktree string `json:"worktree"`
	Place    string `json:"place,omitempty"`
	Scope    string `json:"scope"`
	Act      string `json:"act"`
	Undoes   string `json:"undoes,omitempty"` // the record that this one takes back
	// Command is the same in all acts of one command, so that one undo reverts them.
	Command string `json:"command,omitempty"`
	// Origin is on whose behalf it was done; "" counts as a person's.
	Origin string `json:"origin,omitempty"`
	// Redacted: a file had a secret before the act, and the journal has it without. Undo puts nothing back from there.
	Redacted bool `json:"redacted,omitempty"`

	Commit  string             `json:"-"` // "" where there was none
	Changes []store.FileChange `json:"-"` // what Fill has read
	// Undone: undo does not look at the act, as at a drop by undo itself.
	Undone bool `json:"-"`
	entry  *committer.JournalEntry
}

// NewAct begins the record of an act; undoes is the record that it takes back, and origin
// on whose behalf it is done.
func NewAct(ss *store.Stores, scope, act, undoes, origin string) ActRecord {
	raw := make([]byte, 6)
	_, _ = rand.Read(raw) // documented never to fail
	return ActRecord{
		ID: hex.EncodeToString(raw), Time: ss.Now().UTC(), Order: time.Now().UnixNano(), Worktree: hashed(ss.KeyPath(ss.ActsFolder())), Place: hashed(ss.ActsPlace()),
		Scope: scope, Act: act, Undoes: undoes, Origin: origin,
	}
}

// hashed stands for the name of a folder in the journal, which `git push --mirror` pushes.
func hashed(name string) string {
	if name == "" {
		return ""
	}
	return contents.DigestOf([]byte(name))[:16]
}

// inJournal is the act as an entry of the journal has it; "" if undo does not look at it.
func (rec *ActRecord) inJournal() string {
	if rec == nil || rec.Undone {
		return ""
	}
	data, _ := json.Marshal(rec)
	return string(data)
}

// recordOf is the act of an entry. An edit by hand, a sync or a commit of pending writes has no ID.
func recordOf(e committer.JournalEntry) (rec ActRecord) {
	_ = json.Unmarshal([]byte(e.Act), &rec)
	rec.Commit, rec.entry = e.Commit, &e
	if rec.Act == "" {
		rec.Act, rec.Time = actOf(e), e.Date
	}
	return rec
}

// Fill reads what an act changed from the journal; known is false if that does not have the act as it was. Errors: git does
// not have it any more.
func Fill(ctx context.Context, st *store.Store, rec *ActRecord) (known bool, err error) {
	if rec.Redacted {
		return false, nil
	}
	files, err := rec.blobs(ctx, st, false)
	for _, f := range files {
		c := store.FileChange{Path: f.Path}
		if err == nil {
			c.Before, c.After, err = contents.FileSides(ctx, st, f)
		}
		rec.Changes = append(rec.Changes, c)
	}
	return true, err
}

// Files are the act's changes of other files than the memory file.
func (rec ActRecord) Files() (list []store.FileChange) {
	return slices.DeleteFunc(slices.Clone(rec.Changes), func(c store.FileChange) bool { return c.Path == memfile.FileName })
}

// The number of acts that Acts looks at.
const (
	All     = 2 * journalKeep
	Undoing = 256
)

// Acts lists the acts of this worktree that can still be taken back, the oldest first: what
// was undone, and the undoing itself, is left out. It looks at that many acts in each store.
func Acts(ctx context.Context, ss *store.Stores, look int) ([]ActRecord, error) {
	all, err := done(ctx, ss, look)
	undone := map[string]bool{}
	var open []ActRecord
	for _, rec := range all {
		if rec.Undoes != "" {
			undone[rec.Undoes] = true
		} else {
			open = append(open, rec)
		}
	}
	return slices.DeleteFunc(open, func(rec ActRecord) bool {
		return undone[rec.ID] || rec.Commit != "" && undone[rec.Commit]
	}), err
}

// done lists the acts of this worktree that are done, with those that undo them, the oldest
// first: those of the newest entries of the journals.
func done(ctx context.Context, ss *store.Stores, look int) ([]ActRecord, error) {
	var all []ActRecord
	folder, place := hashed(ss.KeyPath(ss.ActsFolder())), hashed(ss.ActsPlace())
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" {
			continue // a scope that there is not has no acts
		}
		list, err := journalled(ctx, st, look)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(list, func(rec ActRecord) bool {
			if rec.Place == "" || place == "" || scope == store.User { // which has the acts of all repositories, each with a place of the same name
				return rec.Worktree != folder
			}
			return rec.Place != place
		})...)
	}
	slices.SortStableFunc(all, func(a, b ActRecord) int { return cmp.Compare(a.Order, b.Order) })
	return all, nil
}

// journalled lists the acts of the journal's newest entries. Of an act with two entries, the one with its commit counts.
func journalled(ctx context.Context, st *store.Store, look int) (list []ActRecord, err error) {
	if st.Repo == nil {
		return nil, nil
	}
	at := map[string]int{}
	err = committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool {
		rec := recordOf(e)
		if rec.ID == "" || rec.Scope != st.Scope {
			return look > 0
		}
		look--
		if i, known := at[rec.ID]; !known {
			at[rec.ID], list = len(list), append(list, rec)
		} else if list[i].Commit == "" {
			list[i] = rec
		}
		return look > 0
	})
	return list, err
}

// Documents are the memory before and after a recorded act that Fill has read; ok is false
// where one of them is no sound file, as one with conflict markers.
func (rec ActRecord) Documents() (before, after memfile.Document, ok bool) {
	var c store.FileChange
	if i := slices.IndexFunc(rec.Changes, func(c store.FileChange) bool { return c.Path == memfile.FileName }); i >= 0 {
		c = rec.Changes[i]
	}
	before, known := readDocument(c.Before)
	after, ok = readDocument(c.After)
	return before, after, ok && known
}

// readDocument is what a sound memory file says; no file (nil) says nothing. ok is
// false where the file is not sound.
func readDocument(src []byte) (doc memfile.Document, ok bool) {
	if src == nil {
		return contents.NoDocument(), true
	}
	f, _ := memfile.Parse(memfile.FileName, src)
	if f == nil {
		return doc, false
	}
	return f.Document(), true
}

// OriginExplicit is a person's own origin, as package memory has it.
const OriginExplicit = "explicit"

// Undos returns the undos of this worktree that no redo has reversed, oldest first.
func Undos(ctx context.Context, ss *store.Stores) (undos []ActRecord, err error) {
	all, err := done(ctx, ss, Undoing)
	for _, rec := range all {
		switch rec.Act {
		case "undo":
			undos = append(undos, rec)
		case "redo": // reverses the newest undo of its scope
			for i, u := range slices.Backward(undos) {
				if u.Scope == rec.Scope {
					undos = slices.Delete(undos, i, i+1)
					break
				}
			}
		}
	}
	return undos, err
}

// UndoneByAgent reports whether an agent has undone a commit's act in this worktree. Errors: the ledger cannot be read.
func UndoneByAgent(ctx context.Context, ss *store.Stores, commit string) (bool, error) {
	all, err := done(ctx, ss, JournalLook)
	id := commit
	for _, rec := range all {
		if rec.Commit == commit {
			id = rec.ID
		}
	}
	return slices.ContainsFunc(all, func(rec ActRecord) bool {
		return rec.Undoes != "" && (rec.Undoes == id || rec.Undoes == commit) && cmp.Or(rec.Origin, OriginExplicit) != OriginExplicit
	}), err
}
