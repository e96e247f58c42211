// Package ledger keeps what happened in a store and what waits: the acts, the queue, and the
// journal in git.
package ledger

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/statedir"
)

// The ledger of a store is the file ledger.jsonl in the local state that its worktrees
// share. An act has a line before it changes a file, and loses it when the journal has it with its
// commit. So the ledger tells what a killed act left, what waits for its commit, and the acts that
// no journal has. It is local and 0600: nothing in it comes from another machine. docs/git.md
// describes it.
const (
	LedgerFile = "ledger.jsonl"
	// MaxLedgerRead bounds what is read: the files of the largest act, in base64.
	MaxLedgerRead = 4 * contents.MaxChanged
	// mostKept is from how many acts on the oldest one goes that has ended and that no journal has.
	mostKept = 100
)

// The states of an act in the ledger.
const (
	ActBegun = "begun" // it may have changed some of its files
	ActWaits = "waits" // its files stand in the worktree, and wait for their commit
	ActDone  = "done"
	ActBack  = "back" // its files are as they were before it
)

// FileSum is one file of an act: digests of its bytes before and after, "" for no file.
type FileSum struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// SumsOf are the digests of the changes.
func SumsOf(changes []store.FileChange) (sums []FileSum) {
	for _, c := range changes {
		sums = append(sums, FileSum{Path: c.Path, Before: contents.DigestOf(c.Before), After: contents.DigestOf(c.After)})
	}
	return sums
}

// Begin adds an act to the ledger, before its first file changes. With flush it is on the disk when
// Begin returns. Errors: fault.TooLarge; the system's cause.
func Begin(st *store.Store, rec ActRecord, flush bool) error {
	rec.State = ActBegun
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if len(data) > MaxLedgerRead/2 {
		return statedir.TooMuch(st.SharedState().Path(LedgerFile), contents.MaxChanged)
	}
	_, err = st.SharedState().AppendLine(LedgerFile, data, flush)
	return err
}

// End gives an act its state. It leaves the ledger if nothing is to be known of it any more: the journal
// has it, it left no trace, or undo does not look at it.
func End(st *store.Store, rec ActRecord) error {
	return st.SharedState().Change(LedgerFile, MaxLedgerRead, func(data []byte) ([]byte, error) {
		list := actsIn(data)
		i := slices.IndexFunc(list, func(old ActRecord) bool { return old.ID == rec.ID })
		if i < 0 {
			i, list = len(list), append(list, rec)
		}
		rec.Before, rec.After, rec.Files = nil, nil, nil
		if list[i] = rec; rec.State != ActWaits && (rec.State != ActDone || rec.Journalled || rec.Undone) {
			list = slices.Delete(list, i, i+1)
		}
		if ended := slices.IndexFunc(list, func(old ActRecord) bool { return old.State == ActDone }); ended >= 0 && len(list) > mostKept {
			list = slices.Delete(list, ended, ended+1)
		}
		return statedir.JSONLines(list)
	})
}

// readActs reads the ledger, in the order in which the acts began. A line that a crash tore is passed over.
func readActs(st *store.Store) ([]ActRecord, error) {
	data, err := st.SharedState().ReadUpTo(LedgerFile, MaxLedgerRead)
	return actsIn(data), err
}

// actsIn is readActs of the ledger's bytes. Older versions wrote the act and what became of it in two lines.
func actsIn(data []byte) (list []ActRecord) {
	for text := range bytes.Lines(data) {
		var rec ActRecord
		if !bytes.HasSuffix(text, []byte("\n")) {
			continue
		}
		if json.Unmarshal(text, &rec) != nil {
			older := struct{ Act *ActRecord }{&rec}
			_ = json.Unmarshal(text, &older)
		}
		i := slices.IndexFunc(list, func(old ActRecord) bool { return old.ID == rec.ID })
		switch {
		case rec.Act != "":
			list = append(list, rec)
		case i >= 0 && rec.State != "":
			list[i].State, list[i].Commit, list[i].Why = rec.State, rec.Commit, rec.Why
		}
	}
	return list
}

// OpenActs are the store's acts in this worktree that have begun and not ended, and those that wait.
func OpenActs(st *store.Store) (begun, waiting []ActRecord, err error) {
	list, err := readActs(st)
	for _, rec := range list {
		switch {
		case st.Repo != nil && rec.Tree != st.Repo.WorktreeName():
		case rec.State == ActBegun:
			begun = append(begun, rec)
		case rec.State == ActWaits:
			waiting = append(waiting, rec)
		}
	}
	return begun, waiting, err
}
