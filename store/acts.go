package store

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/memctl/memctl/memfile"
)

// ActRecord is one act of this worktree: what undo looks at.
type ActRecord struct {
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Worktree string    `json:"worktree"`        // its folder then
	Place    string    `json:"place,omitempty"` // see Stores.place; "" in older records
	Scope    string    `json:"scope"`
	Act      string    `json:"act"`
	Commit   string    `json:"commit,omitempty"`
	Why      string    `json:"why,omitempty"` // why there is no commit
	// Before and After are the memory file's bytes where there is no commit
	// that could tell.
	Before []byte `json:"before,omitempty"`
	After  []byte `json:"after,omitempty"`
	// Sides are the ids of ours and theirs, of a memory file in conflict that was
	// resolved: what stands between its markers is not all that a side said.
	Sides []string `json:"sides,omitempty"`
	// Files are the other files, likewise; nil where they were too much to keep.
	Files  []FileChange `json:"files,omitempty"`
	Undoes string       `json:"undoes,omitempty"` // the record that this one takes back, or the commit of several
	// Origin is on whose behalf it was done; "" counts as a person's.
	Origin string `json:"origin,omitempty"`
}

const (
	actsFile = "acts.jsonl"
	// maxActsBytes is where the record is cut down to its newest half.
	maxActsBytes = 4 << 20
)

// newAct begins the record of an act.
func (ss *Stores) newAct(w Write, scope string) ActRecord {
	raw := make([]byte, 6)
	_, _ = rand.Read(raw) // documented never to fail
	return ActRecord{
		ID: hex.EncodeToString(raw), Time: ss.Now().UTC(), Worktree: ss.folder(), Place: ss.place(),
		Scope: scope, Act: w.Act, Undoes: w.Undoes, Origin: w.Origin,
	}
}

// hasAct reports whether the act was recorded.
func (ss *Stores) hasAct(id string) (bool, error) {
	data, err := ss.session().read(actsFile)
	return bytes.Contains(data, []byte(`"id":"`+id+`"`)), err
}

// record appends acts. A line that a crash tore is skipped by readers.
func (ss *Stores) record(recs ...ActRecord) error {
	var lines [][]byte
	for _, rec := range recs {
		line, err := json.Marshal(rec)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	return ss.session().appendLine(actsFile, bytes.Join(lines, []byte{'\n'}), maxActsBytes)
}

// keep notes the changes of an act that has no commit.
func (rec *ActRecord) keep(changes []FileChange) {
	size := 0
	for _, c := range changes {
		if c.Path == memfile.FileName {
			rec.Before, rec.After = c.Before, c.After
			continue
		}
		rec.Files = append(rec.Files, c)
		size += len(c.Before) + len(c.After)
	}
	if size > maxActsBytes/4 {
		rec.Files = nil
	}
}

// Acts lists the acts of this worktree that can still be taken back, the oldest first: what
// was undone, and the undoing itself, is left out.
func (ss *Stores) Acts() ([]ActRecord, error) {
	data, err := ss.session().read(actsFile)
	if err != nil {
		return nil, err
	}
	var all []ActRecord
	undone := map[string]bool{}
	folder, place := ss.folder(), ss.place()
	for line := range bytes.Lines(data) {
		var rec ActRecord
		if json.Unmarshal(line, &rec) != nil || !rec.doneIn(folder, place) {
			continue
		}
		if rec.Undoes != "" {
			undone[rec.Undoes] = true
			continue
		}
		all = append(all, rec)
	}
	var open []ActRecord
	for _, rec := range all {
		if !undone[rec.ID] && (rec.Commit == "" || !undone[rec.Commit]) {
			open = append(open, rec)
		}
	}
	return open, nil
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
	before, known := ReadDocument(rec.Before)
	after, ok = ReadDocument(rec.After)
	return before, after, ok && known
}

// ReadDocument is what a sound memory file says; no file (nil) says nothing. ok is
// false where the file is not sound.
func ReadDocument(src []byte) (doc memfile.Document, ok bool) {
	if src == nil {
		return NoDocument(), true
	}
	f, _ := memfile.Parse(memfile.FileName, src)
	if f == nil {
		return doc, false
	}
	return f.Document(), true
}

// documentOf reads bytes that memctl wrote; nothing gives an empty document.
func documentOf(src []byte) memfile.Document {
	if f, _ := memfile.Parse(memfile.FileName, src); f != nil {
		return f.Document()
	}
	return NoDocument()
}

// NoDocument is the memory where there is no file: nothing, switched on.
func NoDocument() memfile.Document {
	return memfile.Document{Version: 1, Settings: memfile.Settings{Enabled: true, AnnounceWrites: true}}
}
