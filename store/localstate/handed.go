package localstate

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/statedir"
)

// Handed is one thing that the proxy added to a conversation, so that a proxy that starts later
// repeats it byte for byte: a service caches a conversation only while its beginning stays the same.
type Handed struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`           // TextDigest of what names the session
	Begins  bool      `json:"begins,omitempty"`  // Text is the session's profile; earlier records do not count
	Served  bool      `json:"served,omitempty"`  // a hook hands memory to the session; with Begins
	Dropped bool      `json:"dropped,omitempty"` // the proxy no longer repeats the earlier messages' texts
	Message string    `json:"message,omitempty"` // names the message that got Text, which may be nothing; "" with Begins
	Older   bool      `json:"older,omitempty"`   // the message is older than the newest one before this record
	Text    string    `json:"text,omitempty"`
	Summary string    `json:"summary,omitempty"` // the part of Text that is the conversation's summary

	Memories []HandedMemory `json:"memories,omitempty"` // that Text repeats
}

// HandedMemory is one memory that a message got.
type HandedMemory struct {
	Line   string `json:"line"` // as it is in Handed.Text: "[role] text"
	Scope  string `json:"scope"`
	Source string `json:"source"` // the file that has the memory, relative to its store
	ID     string `json:"id"`
}

const (
	// maxHandedBytes is where a file is cut to its newest half.
	maxHandedBytes = 4 << 20
	// maxHandedAge is longer than a service keeps a conversation in its cache.
	maxHandedAge = 24 * time.Hour
)

// HandedState is the folder that has a file for each folder that a proxy serves. It is in the data
// folder, because the text of a private or user store does not belong in a repository's folder.
func HandedState(ss *store.Stores) statedir.Dir {
	state := ss.DataState()
	state.Folder = filepath.Join(state.Folder, "proxy")
	return state
}

func handedFile(ss *store.Stores) string { return TextDigest(ss.ActsFolder()) + ".jsonl" }

// RecordHanded adds records of what was added. Errors: the local state cannot be written.
func RecordHanded(ss *store.Stores, list []Handed) error {
	now := ss.Now().UTC()
	var lines [][]byte
	for _, h := range list {
		h.Time = now
		line, err := json.Marshal(h)
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	return HandedState(ss).AppendCapped(handedFile(ss), bytes.Join(lines, []byte("\n")), maxHandedBytes)
}

// HandedTo returns the records of a session, the oldest first; none of a session that got nothing
// for a day. Errors: the local state cannot be read.
func HandedTo(ss *store.Stores, session string) (list []Handed, err error) {
	data, err := HandedState(ss).Read(handedFile(ss))
	mark := []byte(`"session":"` + session + `"`)
	for line := range bytes.Lines(data) {
		var h Handed
		if !bytes.Contains(line, mark) || json.Unmarshal(line, &h) != nil || h.Session != session {
			continue // most lines are of other sessions; a crash may have torn one
		}
		switch {
		case h.Begins:
			list = []Handed{h}
		case list != nil: // else its beginning was cut off
			list = append(list, h)
		}
	}
	if list != nil && ss.Now().Sub(list[len(list)-1].Time).Abs() > maxHandedAge {
		return nil, err
	}
	return list, err
}
