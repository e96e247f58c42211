// Package ledger keeps what happened in a store and what waits: the acts, the queue, and the
// journal in git.
package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/statedir"
)

// The ledger of a store is the file ledger.jsonl in the local state that its worktrees
// share. Each act has a line before it changes a file and one when it has ended, so the
// ledger tells what a killed act left, what waits for its commit, and what undo can take
// back. It is local and 0600: nothing in it comes from another machine. docs/git.md
// describes it.
const (
	LedgerFile = "ledger.jsonl"
	// maxLedgerBytes is the size from which the ledger is cut. What is begun or waits stays.
	maxLedgerBytes = 1 << 20
	// MaxLedgerRead bounds what is read: the files of the largest act, in base64.
	MaxLedgerRead = 4 * contents.MaxChanged
	// waitsFor is how long an act that waits is known by its name, and maxWaits how many are
	// beyond those that fit.
	waitsFor = 30 * 24 * time.Hour
	maxWaits = 200
)

// The states of an act in the ledger.
const (
	ActBegun = "begun" // it may have changed some of its files
	ActWaits = "waits" // its files stand in the worktree, and wait for their commit
	ActDone  = "done"
	ActBack  = "back" // its files are as they were before it
)

// Line is one line of the ledger. The newest line of an act tells its state, and the
// newest one with an Act what it is. The first two fields come first in the line, so that
// most lines need not be decoded.
type Line struct {
	ID    string     `json:"id"`
	State string     `json:"state"`
	Act   *ActRecord `json:"act,omitempty"`
	// Commit is the act's commit, and Why says why it has none.
	Commit string `json:"commit,omitempty"`
	Why    string `json:"why,omitempty"`
}

// FileSum is one file of an act: digests of its bytes before and after, "" for no file.
type FileSum struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Was and Is are the ids of these bytes as blobs in git, where the journal holds them;
	// else the act itself has the bytes.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// SumsOf are the digests of the changes.
func SumsOf(changes []store.FileChange) (sums []FileSum) {
	for _, c := range changes {
		sums = append(sums, FileSum{Path: c.Path, Before: contents.DigestOf(c.Before), After: contents.DigestOf(c.After)})
	}
	return sums
}

// AddLine adds a line to the ledger. With flush it is on the disk when log returns. Errors:
// fault.TooLarge; the system's cause.
func AddLine(st *store.Store, line Line, flush bool) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if len(data) > MaxLedgerRead/2 {
		return statedir.TooMuch(st.SharedState().Path(LedgerFile), contents.MaxChanged)
	}
	large, err := st.SharedState().AppendLine(LedgerFile, data, flush)
	if err != nil || large < maxLedgerBytes {
		return err
	}
	return CutLedger(st)
}

// readActs reads the ledger: all acts in the order of their first lines, or those alone that
// are begun or wait. A line that a crash tore is passed over.
func readActs(st *store.Store, open bool) (list []ActRecord, err error) {
	data, err := st.SharedState().ReadUpTo(LedgerFile, MaxLedgerRead)
	if err != nil {
		return nil, err
	}
	return actsIn(data, open), nil
}

// actsIn is readActs of the ledger's bytes.
func actsIn(data []byte, open bool) (list []ActRecord) {
	states := map[string]string{}
	for line := range bytes.Lines(data) {
		if id, state, ok := lineHead(line); ok {
			states[id] = state
		}
	}
	at := map[string]int{}
	for line := range bytes.Lines(data) {
		id, _, ok := lineHead(line)
		if !ok || open && states[id] != ActBegun && states[id] != ActWaits {
			continue
		}
		var l Line
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		i, known := at[id]
		if !known {
			if l.Act == nil {
				continue // its beginning was cut away
			}
			i, at[id] = len(list), len(list)
			list = append(list, *l.Act)
		}
		if l.Act != nil {
			list[i] = *l.Act
		}
		list[i].ID, list[i].State, list[i].Commit, list[i].Why = id, l.State, l.Commit, l.Why
	}
	return list
}

// lineHead is the beginning of a line, as json.Marshal writes it.
func lineHead(line []byte) (id, state string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"id":"`))
	if !ok || line[len(line)-1] != '\n' {
		return "", "", false
	}
	idBytes, rest, ok := bytes.Cut(rest, []byte(`","state":"`))
	stateBytes, _, end := bytes.Cut(rest, []byte(`"`))
	return string(idBytes), string(stateBytes), ok && end
}

// CutLedger brings the ledger down to half of its size. The oldest acts that have ended leave
// it, and so do acts that have waited for too long. Of older acts that wait only the digests
// stay: they are known when they are committed, and undo cannot take them back.
func CutLedger(st *store.Store) error { return rewriteLedger(st, func(*ActRecord) {}) }

// DropTexts takes texts out of the names of the acts that have ended: undo reads in git what they changed.
// Errors: fault.LockHeld; the system's cause.
func DropTexts(ctx context.Context, st *store.Store, wait time.Duration, contains func(text string) bool) (err error) {
	if st.Dir == "" {
		return nil
	}
	unlock, err := st.Lock(ctx, wait, "forget")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return rewriteLedger(st, func(rec *ActRecord) {
		if rec.State == ActBegun || rec.State == ActWaits {
			return // its commit gets them
		}
		if contains(rec.Subject) {
			rec.Subject = rec.Act
		}
		if contains(rec.Message) {
			rec.Message = ""
		}
		rec.Trailers = slices.DeleteFunc(rec.Trailers, func(t object.Trailer) bool { return contains(t.Value) })
	})
}

// rewriteLedger is CutLedger that changes each act first.
func rewriteLedger(st *store.Store, change func(*ActRecord)) error {
	old := st.Stores.Now().Add(-waitsFor)
	return st.SharedState().Change(LedgerFile, MaxLedgerRead, func(data []byte) ([]byte, error) {
		var lines [][]byte
		size, waits := 0, 0
		for _, rec := range slices.Backward(actsIn(data, false)) {
			change(&rec)
			line, err := json.Marshal(rec.Line())
			if waitsOn := rec.State == ActWaits && rec.Time.After(old) && waits < maxWaits; waitsOn && size+len(line) >= maxLedgerBytes/2 {
				rec.Before, rec.After, rec.Files = nil, nil, nil
				line, err = json.Marshal(rec.Line())
				waits++
			} else if rec.State != ActBegun && size+len(line) >= maxLedgerBytes/2 {
				continue
			}
			if err != nil {
				return nil, err
			}
			lines, size = append(lines, []byte{'\n'}, line), size+len(line)
		}
		slices.Reverse(lines)
		return bytes.Join(lines, nil), nil
	})
}

// Line is the act in one line. What a commit has, the line does not repeat.
func (rec ActRecord) Line() Line {
	if rec.State == ActDone && rec.Commit != "" {
		rec.Before, rec.After, rec.Files = nil, nil, nil
	}
	l := Line{ID: rec.ID, State: rec.State, Commit: rec.Commit, Why: rec.Why}
	rec.Commit, rec.Why = "", ""
	l.Act = &rec
	return l
}

// OpenActs are the store's acts in this worktree that have begun and not ended, and those that wait.
func OpenActs(st *store.Store) (begun, waiting []ActRecord, err error) {
	list, err := readActs(st, true)
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
