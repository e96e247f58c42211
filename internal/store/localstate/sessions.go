// Package localstate keeps what a machine knows beside memory: sessions, how often entries were
// handed out, the last fault of a hook, and which commits a purge replaced.
package localstate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// SessionRecord is one event of an agent's session, as a hook told it. It is
// what capture will start from, and what says which text came from memory.
type SessionRecord struct {
	Time       time.Time `json:"time"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Event      string    `json:"event"`
	Source     string    `json:"source,omitempty"`     // of a SessionStart
	Reason     string    `json:"reason,omitempty"`     // of a SessionEnd; a PreCompact's trigger
	Transcript string    `json:"transcript,omitempty"` // a path
	Folder     string    `json:"folder,omitempty"`
	Subagent   string    `json:"subagent,omitempty"` // its id, where it is a subagent's event
	Turn       string    `json:"turn,omitempty"`     // TextDigest of what tells two such events apart
	Quiet      bool      `json:"quiet,omitempty"`    // of a SessionStart: no person read what memctl said at it
	Prompts    string    `json:"prompts,omitempty"`  // of a SessionStart: who gives them, as PromptsPerson; "" where hooks do not tell memctl of prompts
	Given      []Given   `json:"given,omitempty"`    // what the session was handed; of EventForgot what it is about
}

// Given is one item that a session was handed. Its text stands as a digest:
// what a private store holds shall not lie in the repository's folder.
type Given struct {
	Scope  string `json:"scope"`
	Key    string `json:"key"`
	Digest string `json:"digest"`          // TextDigest of its text
	Found  bool   `json:"found,omitempty"` // it was found for a prompt, an action or an error, and not asked for
	On     string `json:"on,omitempty"`    // the words or the file that it was found by
}

const (
	// SessionsFile holds the events of sessions, and SessionsLock is held while one is added.
	SessionsFile = "sessions.jsonl"
	SessionsLock = SessionsFile + ".lock"
	// maxSessionsBytes is where the record is cut down to its newest half.
	maxSessionsBytes = 1 << 20
	// maxRecordField bounds each text that an agent told us, in bytes.
	maxRecordField = 4096
	// sameEvent is how long after an answer the same event counts as the same:
	// a hook answers within two seconds, and those of one event start together
	// or one after the other.
	sameEvent = 3 * time.Second
	// recentBytes is how much of the record's end is looked at for it, and first for the
	// newest record of an event. A session's start reads both.
	recentBytes = 64 << 10
	// Who gives a session's prompts: a person, a program, or the client does not say.
	PromptsPerson  = "person"
	PromptsProgram = "program"
	PromptsUnknown = "unknown"
	// The events that begin and end a session.
	EventSessionStart = "SessionStart"
	EventSessionEnd   = "SessionEnd"
	// EventForgot is an agent's forgetting of what a person stated. It is of no session.
	EventForgot = "Forgot"
	// sameEventWait bounds the wait for another hook that is recording.
	sameEventWait = 200 * time.Millisecond
)

// TextDigest names a text without repeating it: 16 hex digits of the SHA-256
// of the text, each run of white space one space.
func TextDigest(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:8])
}

// RecordAnswer adds one answered event, and reports whether this process is the
// first to answer it: an agent whose hooks stand in two settings files calls
// them both, at the same time, and the session shall be told once. Errors: the
// local state cannot be written, or is held; who is first is not known then.
func RecordAnswer(ss *store.Stores, rec SessionRecord) (first bool, err error) {
	first = true
	err = rec.add(ss, func() bool {
		first = rec.Session == "" || !answered(ss, rec)
		return !first
	})
	return first, err
}

// answered looks for the same event, answered a moment ago. A session that has ended since
// then was resumed, and this is another event.
func answered(ss *store.Stores, rec SessionRecord) (found bool) {
	rec.bound()
	data, err := ss.SessionsState().Tail(SessionsFile, recentBytes)
	mark, marshalErr := json.Marshal(rec.Session)
	if err != nil || marshalErr != nil {
		return false
	}
	now := ss.Now()
	for line := range bytes.Lines(data) {
		var was SessionRecord
		if !bytes.Contains(line, mark) {
			continue // most lines are of other sessions, and parsing one takes a while
		}
		if json.Unmarshal(line, &was) != nil || was.Agent != rec.Agent || was.Session != rec.Session {
			continue
		}
		switch was.Event {
		case EventSessionEnd:
			found = false
		case rec.Event:
			found = found || was.Source == rec.Source && was.Turn == rec.Turn && was.Subagent == rec.Subagent && now.Sub(was.Time).Abs() < sameEvent
		}
	}
	return found
}

// bound cuts each text that an agent told us.
func (rec *SessionRecord) bound() {
	for _, field := range []*string{&rec.Agent, &rec.Session, &rec.Event, &rec.Source, &rec.Reason, &rec.Transcript, &rec.Folder, &rec.Subagent} {
		*field = (*field)[:min(len(*field), maxRecordField)]
	}
}

// RecordSession adds one event to this worktree's record. Errors: the local
// state cannot be written.
func RecordSession(ss *store.Stores, rec SessionRecord) error { return rec.add(ss, nil) }

// add adds the event, unless skip holds.
func (rec SessionRecord) add(ss *store.Stores, skip func() bool) error {
	rec.Time = ss.Now().UTC()
	rec.bound()
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return ss.SessionsState().AppendCapped(SessionsFile, line, maxSessionsBytes, skip)
}

// SessionRecords are the recorded events of a session, oldest first; of all
// sessions where the name is "". A torn line is passed over.
func SessionRecords(ss *store.Stores, session string) ([]SessionRecord, error) {
	data, err := ss.SessionsState().Read(SessionsFile)
	if err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	var list []SessionRecord
	for line := range bytes.Lines(data) {
		if session != "" && !bytes.Contains(line, quoted) {
			continue // most lines are of other sessions, and reading one takes a while
		}
		var rec SessionRecord
		if json.Unmarshal(line, &rec) == nil && rec.Event != "" && (session == "" || rec.Session == session) {
			list = append(list, rec)
		}
	}
	return list, nil
}

// LastRecord is the newest record of an event that fits. ok is false where there is none.
// It reads the whole record only where its end has no such event.
func LastRecord(ss *store.Stores, event string, fits func(SessionRecord) bool) (rec SessionRecord, ok bool, err error) {
	for _, size := range []int64{recentBytes, statedir.MaxStateBytes} {
		data, err := ss.SessionsState().Tail(SessionsFile, size)
		if err != nil {
			return rec, false, err
		}
		if rec, ok = lastRecord(data, event, fits); ok || int64(len(data)) < size {
			break
		}
	}
	return rec, ok, nil
}

// GoesOn is the session in which a person goes on after /clear, or after they chose another session, in the client that ran
// the session: its MCP server still has the name of the first one.
func GoesOn(ss *store.Stores, session string) string {
	since := time.Time{}
	first := func(event string, fits func(SessionRecord) bool) (rec SessionRecord) { // the first one since then
		_, _, _ = LastRecord(ss, event, func(r SessionRecord) bool {
			if !r.Time.Before(since) && fits(r) {
				rec = r
			}
			return r.Time.Before(since)
		})
		return rec
	}
	for range maxChanges {
		end := first(EventSessionEnd, func(r SessionRecord) bool {
			return r.Session == session && (r.Reason == "clear" || r.Reason == "resume")
		})
		since = end.Time
		next := first(EventSessionStart, func(r SessionRecord) bool {
			return r.Agent == end.Agent && r.Source == end.Reason && r.Session != session
		})
		if end.Event == "" || next.Event == "" {
			break
		}
		session, since = next.Session, next.Time
	}
	return session
}

// maxChanges is how many changes of its session a client is followed through.
const maxChanges = 50

// lastRecord parses no line that is not of the event.
func lastRecord(data []byte, event string, fits func(SessionRecord) bool) (rec SessionRecord, ok bool) {
	mark := []byte(`"event":"` + event + `"`)
	for len(data) > 0 {
		at := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
		line := data[at:]
		data = data[:at]
		var was SessionRecord
		if bytes.Contains(line, mark) && json.Unmarshal(line, &was) == nil && was.Event == event && fits(was) {
			return was, true
		}
	}
	return rec, false
}

// ForgottenSinceStart are the records of what agents have forgotten since a person last read what memctl said at
// a start, oldest first. It reads the whole record only where its end has no such start.
func ForgottenSinceStart(ss *store.Stores) (list []SessionRecord, err error) {
	for _, size := range []int64{recentBytes, statedir.MaxStateBytes} {
		data, err := ss.SessionsState().Tail(SessionsFile, size)
		if err != nil {
			return nil, err
		}
		var begun bool
		if list, begun = forgottenIn(data); begun || int64(len(data)) < size {
			break
		}
	}
	return list, nil
}

func forgottenIn(data []byte) (list []SessionRecord, begun bool) {
	start, mark := []byte(`"event":"`+EventSessionStart+`"`), []byte(`"event":"`+EventForgot+`"`)
	for line := range bytes.Lines(data) {
		var rec SessionRecord
		switch {
		case bytes.Contains(line, start) && !bytes.Contains(line, []byte(`,"quiet":true`)):
			list, begun = nil, true
		case bytes.Contains(line, mark) && json.Unmarshal(line, &rec) == nil && rec.Event == EventForgot:
			list = append(list, rec)
		}
	}
	return list, begun
}
