package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// ActRecord is one act: a line of the ledger, or an entry of the journal.
type ActRecord struct {
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	Order int64     `json:"order,omitempty"` // nanoseconds of the machine's clock: the order of acts in several stores
	// Worktree is a hash of the session's folder then, and Place one of how the repository calls it (see
	// Stores.ActsPlace; "" outside a repository): where undo finds the act. Old records have the names.
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

	// The ledger alone has what follows.
	Tree   string `json:"tree,omitempty"` // git's name of the store's worktree whose files changed
	Commit string `json:"commit,omitempty"`
	Why    string `json:"why,omitempty"` // why there is no commit
	// The commit that the act will have.
	Subject  string           `json:"subject,omitempty"`
	Message  string           `json:"message,omitempty"`
	Trailers []object.Trailer `json:"trailers,omitempty"`
	Sums     []FileSum        `json:"sums,omitempty"` // of all files that it changes
	// Before and After are the memory file's bytes, and Files the other files', until an act of
	// several files ends.
	Before []byte             `json:"before,omitempty"`
	After  []byte             `json:"after,omitempty"`
	Files  []store.FileChange `json:"files,omitempty"`
	// Undone: undo does not look at the act, as at an exchange or a purge.
	Undone bool `json:"undone,omitempty"`
	Clean  bool `json:"clean,omitempty"` // as in Write
	// Journalled: the journal has the act.
	Journalled bool `json:"journalled,omitempty"`

	State string                  `json:"state,omitempty"`
	entry *committer.JournalEntry // where the journal has the act
}

// NewAct begins the record of an act; undoes is the record that it takes back, and origin
// on whose behalf it is done.
func NewAct(ss *store.Stores, scope, act, undoes, origin string) ActRecord {
	raw := make([]byte, 6)
	_, _ = rand.Read(raw) // documented never to fail
	return ActRecord{
		ID: hex.EncodeToString(raw), Time: ss.Now().UTC(), Order: time.Now().UnixNano(), Worktree: hashed(ss.ActsFolder()), Place: hashed(ss.ActsPlace()),
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
	data, _ := json.Marshal(ActRecord{
		ID: rec.ID, Time: rec.Time, Order: rec.Order, Worktree: rec.Worktree, Place: rec.Place, Scope: rec.Scope, Act: rec.Act,
		Undoes: rec.Undoes, Command: rec.Command, Origin: rec.Origin, Redacted: rec.Redacted,
	})
	return string(data)
}

// KeepBytes notes the bytes of the changes.
func (rec *ActRecord) KeepBytes(changes []store.FileChange) {
	rec.Files = nil
	for _, c := range changes {
		if c.Path == memfile.FileName {
			rec.Before, rec.After = c.Before, c.After
			continue
		}
		rec.Files = append(rec.Files, c)
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

// Whole reports whether the act has the bytes of all that it changed.
func (rec ActRecord) Whole() bool { return slices.Equal(SumsOf(rec.Changes()), rec.Sums) }

// Fill reads what an act changed from the journal; known is false if that does not have the act as it was. Errors: git does
// not have it any more.
func Fill(ctx context.Context, st *store.Store, rec *ActRecord) (known bool, err error) {
	if rec.entry == nil || rec.Redacted {
		return false, nil
	}
	files, before, err := committer.JournalFiles(ctx, st.Repo, *rec.entry)
	if err != nil {
		return false, err
	}
	read := func(blob, path string) (src []byte) {
		if blob != "" && err == nil {
			src, err = contents.StoredFile(ctx, st, blob, path)
			src = append([]byte{}, src...) // an empty file is one, too
		}
		return src
	}
	var changes []store.FileChange
	for _, path := range slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(files)), maps.Keys(before))))) {
		if files[path] != before[path] {
			changes = append(changes, store.FileChange{Path: contents.PathInStore(st, path), Before: read(before[path], path), After: read(files[path], path)})
		}
	}
	rec.Sums = SumsOf(changes)
	rec.KeepBytes(changes)
	return true, err
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
// first: those of the newest entries of the journals, and those that no journal has.
func done(ctx context.Context, ss *store.Stores, look int) ([]ActRecord, error) {
	var all []ActRecord
	folder, place := ss.ActsFolder(), ss.ActsPlace()
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil || st.Dir == "" {
			continue // a scope that there is not has no acts
		}
		list, err := readActs(st)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(rec ActRecord) bool {
			return rec.Undone || rec.State == ActBegun || rec.State == ActBack || rec.Journalled
		})
		if list, err = journalled(ctx, st, look, list); err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(list, func(rec ActRecord) bool {
			if rec.Place == "" || place == "" || scope == store.User { // which has the acts of all repositories, each with a place of the same name
				return !sameName(rec.Worktree, folder)
			}
			return !sameName(rec.Place, place)
		})...)
	}
	slices.SortStableFunc(all, func(a, b ActRecord) int { return cmp.Compare(a.Order, b.Order) })
	return all, nil
}

// sameName reports whether a record was made in the folder or place of that name.
func sameName(recorded, name string) bool { return recorded == name || recorded == hashed(name) }

// journalled adds the acts of the journal's newest entries to the list. Of an act with two entries, the one with its commit counts.
func journalled(ctx context.Context, st *store.Store, look int, list []ActRecord) ([]ActRecord, error) {
	if st.Repo == nil {
		return list, nil
	}
	at := map[string]int{}
	err := committer.Journal(ctx, st.Repo, func(e committer.JournalEntry) bool {
		var rec ActRecord
		if json.Unmarshal([]byte(e.Act), &rec) != nil || rec.Scope != st.Scope {
			return look > 0
		}
		look--
		rec.Commit, rec.Why, rec.State, rec.entry = e.Commit, e.Why, ActDone, &e
		if i, known := at[rec.ID]; !known {
			at[rec.ID], list = len(list), append(list, rec)
		} else if list[i].Commit == "" {
			list[i] = rec
		}
		return look > 0
	})
	return list, err
}

// Documents are the memory before and after a recorded act; ok is false
// where one of them is no sound file, as one with conflict markers, or where nobody kept what the act changed.
func (rec ActRecord) Documents() (before, after memfile.Document, ok bool) {
	before, known := readDocument(rec.Before)
	after, ok = readDocument(rec.After)
	return before, after, ok && known && rec.Whole()
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
