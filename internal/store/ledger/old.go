package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// oldLedger is a file of local state in which earlier versions kept the acts that had not ended, and those that the journal
// could not take: a line of JSON each.
const oldLedger = "ledger.jsonl"

// oldAct is a line of it.
type oldAct struct {
	ActRecord
	State      string             `json:"state"` // begun, waits, done or back
	Commit     string             `json:"commit"`
	Subject    string             `json:"subject"`
	Message    string             `json:"message"`
	Trailers   []object.Trailer   `json:"trailers"`
	Before     []byte             `json:"before"` // of the memory file
	After      []byte             `json:"after"`
	Files      []store.FileChange `json:"files"`
	Undone     bool               `json:"undone"`
	Journalled bool               `json:"journalled"`
	Sums       []struct{ Path string }
}

// HasOld reports whether FoldOld has something to do.
func HasOld(st *store.Store) bool {
	data, err := st.SharedState().Read(oldLedger)
	return err == nil && data != nil && st.Repo != nil
}

// FoldOld takes the ledger of an earlier version into the journal, and removes it. It returns the acts that wait for a
// commit. The store's lock is held. Errors: the local state or the journal cannot be read or written.
func FoldOld(ctx context.Context, st *store.Store) (waits []string, err error) {
	data, err := st.SharedState().Read(oldLedger)
	if err != nil || data == nil || st.Repo == nil {
		return nil, err
	}
	for _, rec := range oldActs(data) {
		w := JournalWrite{Subject: "memory: " + rec.Subject, Body: rec.Message, Trailers: rec.Trailers, Commit: rec.Commit, Act: &rec.ActRecord, Changes: rec.Files}
		if rec.Before != nil || rec.After != nil {
			w.Changes = append(w.Changes, store.FileChange{Path: memfile.FileName, Before: rec.Before, After: rec.After})
		}
		for _, sum := range rec.Sums { // its commit has them
			if w.Commit != "" && len(rec.Files) == 0 {
				w.Changes = append(w.Changes, store.FileChange{Path: sum.Path})
			}
		}
		open := rec.State == "begun" || rec.State == "waits"
		if !rec.Journalled && !rec.Undone && rec.State != "back" && (len(w.Changes) > 0 || w.Commit != "") {
			if w.Commit == "" {
				w.Why = "written by an earlier version"
			}
			_, failed := AddJournal(ctx, st, w, nil)
			err = errors.Join(err, failed)
		}
		if open {
			waits = append(waits, rec.ID)
		}
	}
	if err == nil {
		err = st.SharedState().Remove(oldLedger)
	}
	return waits, err
}

// oldActs reads the lines. Still older versions wrote an act and what became of it in two lines.
func oldActs(data []byte) (list []oldAct) {
	for text := range bytes.Lines(data) {
		var rec oldAct
		if json.Unmarshal(text, &rec) != nil {
			older := struct{ Act *oldAct }{&rec}
			_ = json.Unmarshal(text, &older)
		}
		i := slices.IndexFunc(list, func(old oldAct) bool { return old.ID == rec.ID })
		switch {
		case rec.Act != "":
			list = append(list, rec)
		case i >= 0 && rec.State != "":
			list[i].State, list[i].Commit = rec.State, rec.Commit
		}
	}
	return list
}
