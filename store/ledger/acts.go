package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// ActRecord is one act, as the ledger has it.
type ActRecord struct {
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	Order int64     `json:"order,omitempty"` // nanoseconds of the machine's clock: the order of acts in several stores
	// Worktree is the session's folder then, and Place how the repository calls it (see
	// Stores.ActsPlace; "" outside a repository): where undo finds the act.
	Worktree string `json:"worktree"`
	Place    string `json:"place,omitempty"`
	Tree     string `json:"tree,omitempty"` // git's name of the store's worktree whose files changed
	Scope    string `json:"scope"`
	Act      string `json:"act"`
	Commit   string `json:"commit,omitempty"`
	Why      string `json:"why,omitempty"` // why there is no commit
	// The commit that the act has, or will have.
	Subject  string           `json:"subject,omitempty"`
	Message  string           `json:"message,omitempty"`
	Trailers []object.Trailer `json:"trailers,omitempty"`
	Sums     []FileSum        `json:"sums,omitempty"` // of all files that it changes
	// Before and After are the memory file's bytes, and Files the other files', where a
	// commit does not have them (yet) and one file is not all; Files is nil where they were
	// too much to keep.
	Before []byte             `json:"before,omitempty"`
	After  []byte             `json:"after,omitempty"`
	Files  []store.FileChange `json:"files,omitempty"`
	// Of an exchange: the commit that it moves the branch from, and the one that
	// it has made and moves it to.
	From   string `json:"from,omitempty"`
	Next   string `json:"next,omitempty"`
	Undoes string `json:"undoes,omitempty"` // the record that this one takes back
	// Command is the same in all acts of one command, so that one undo reverts them.
	Command string `json:"command,omitempty"`
	// Undone: undo does not look at the act, as at an exchange or a purge.
	Undone bool `json:"undone,omitempty"`
	Clean  bool `json:"clean,omitempty"` // as in Write
	// Origin is on whose behalf it was done; "" counts as a person's.
	Origin string `json:"origin,omitempty"`

	State string `json:"-"`
}

// NewAct begins the record of an act; undoes is the record that it takes back, and origin
// on whose behalf it is done.
func NewAct(ss *store.Stores, scope, act, undoes, origin string) ActRecord {
	raw := make([]byte, 6)
	_, _ = rand.Read(raw) // documented never to fail
	return ActRecord{
		ID: hex.EncodeToString(raw), Time: ss.Now().UTC(), Order: time.Now().UnixNano(), Worktree: ss.ActsFolder(), Place: ss.ActsPlace(),
		Scope: scope, Act: act, Undoes: undoes, Origin: origin,
	}
}

// MaxKept bounds the bytes of files that an act without a commit keeps for undo.
const MaxKept = 1 << 20

// KeepBytes notes the bytes of the changes; those of files beside the memory file only up to max.
func (rec *ActRecord) KeepBytes(changes []store.FileChange, max int) {
	size := 0
	rec.Files = nil
	for _, c := range changes {
		if c.Path == memfile.FileName {
			rec.Before, rec.After = c.Before, c.After
			continue
		}
		rec.Files = append(rec.Files, c)
		size += len(c.Before) + len(c.After)
	}
	if size > max {
		rec.Files = nil
	}
}

// Changes are the act's changes, with the bytes that it keeps.
func (rec ActRecord) Changes() (list []store.FileChange) {
	for _, sum := range rec.Sums {
		c := store.FileChange{Path: sum.Path}
		if sum.Path == memfile.FileName {
			c.Before, c.After = rec.Before, rec.After
		}
		if i := slices.IndexFunc(rec.Files, func(f store.FileChange) bool { return f.Path == sum.Path }); i >= 0 {
			c = rec.Files[i]
		}
		list = append(list, c)
	}
	return list
}

// Fill reads the bytes of an act that has no commit, where the journal holds them.
func Fill(ctx context.Context, ss *store.Stores, rec *ActRecord) error {
	st, err := ss.Get(ctx, rec.Scope)
	if err != nil || st.Repo == nil || rec.Commit != "" {
		return err
	}
	var changes []store.FileChange
	for _, sum := range rec.Sums {
		if sum.Was == "" && sum.Is == "" {
			return nil // the act has the bytes itself
		}
		c := store.FileChange{Path: sum.Path}
		for id, to := range map[string]*[]byte{sum.Was: &c.Before, sum.Is: &c.After} {
			if id == "" {
				continue
			}
			if *to, err = object.Blob(ctx, st.Repo, id); err != nil {
				return err
			}
		}
		changes = append(changes, c)
	}
	rec.KeepBytes(changes, MaxKept)
	return nil
}

// Acts lists the acts of this worktree that can still be taken back, the oldest first: what
// was undone, and the undoing itself, is left out.
func Acts(ctx context.Context, ss *store.Stores) ([]ActRecord, error) {
	all, err := done(ctx, ss)
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
// first.
func done(ctx context.Context, ss *store.Stores) ([]ActRecord, error) {
	var all []ActRecord
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" {
			continue // a scope that there is not has no acts
		}
		list, err := readActs(st, false)
		if err != nil {
			return nil, err
		}
		if scope == store.User { // which has the acts of all repositories, each with a place of the same name
			list = slices.DeleteFunc(list, func(rec ActRecord) bool { return rec.Worktree != ss.ActsFolder() })
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b ActRecord) int { return cmp.Compare(a.Order, b.Order) })
	folder, place := ss.ActsFolder(), ss.ActsPlace()
	return slices.DeleteFunc(all, func(rec ActRecord) bool {
		return !rec.doneIn(folder, place) || rec.Undone || rec.State == ActBegun || rec.State == ActBack
	}), nil
}

// doneIn reports whether an act was done in that folder, or, where its record says so, in
// what is that place of the repository wherever it was moved to.
func (rec ActRecord) doneIn(folder, place string) bool {
	if rec.Place == "" || place == "" {
		return rec.Worktree == folder
	}
	return rec.Place == place
}

// Documents are the memory before and after a recorded act that has no commit; ok is false
// where one of them is no sound file, as one with conflict markers: nobody can tell then what
// the act changed.
func (rec ActRecord) Documents() (before, after memfile.Document, ok bool) {
	before, known := readDocument(rec.Before)
	after, ok = readDocument(rec.After)
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

// DocumentOf reads bytes that memctl wrote; nothing gives an empty document.
func DocumentOf(src []byte) memfile.Document {
	if doc, ok := readDocument(src); ok {
		return doc
	}
	return contents.NoDocument()
}

// OriginExplicit is a person's own origin, as package memory has it.
const OriginExplicit = "explicit"
