// Package localstate keeps what a machine knows beside memory: sessions, how often entries were
// handed out, the last fault of a hook, and which commits a purge replaced.
package localstate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
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
	// SessionsFile holds the events of sessions.
	SessionsFile = "sessions.jsonl"
	// maxSessionsBytes is where the record is cut down to its newest half.
	maxSessionsBytes = 1 << 20
	// maxRecordField bounds each text that an agent told us, in bytes.
	maxRecordField = 4096
	// sameEvent is how long after an answer the same event counts as the same:
	// a hook answers within two seconds, and those of one event start together
	// or one after the other.
	sameEvent = 3 * time.Second
	// Who gives a session's prompts: a person, a program, or the client does not say.
	PromptsPerson  = "person"
	PromptsProgram = "program"
	PromptsUnknown = "unknown"
	// The events that begin and end a session.
	EventSessionStart = "SessionStart"
	EventSessionEnd   = "SessionEnd"
	// SourceStartup is the source of a start that has no conversation before it.
	SourceStartup = "startup"
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
	rec.cutTexts()
	lines, err := sessions(ss).Newest(true)
	mark, marshalErr := json.Marshal(rec.Session)
	if err != nil || marshalErr != nil {
		return false
	}
	now := ss.Now()
	for line := range lines {
		was, ok := statedir.Record[SessionRecord](line, string(mark))
		if !ok || was.Agent != rec.Agent || was.Session != rec.Session {
			continue
		}
		if was.Event == EventSessionEnd {
			return false
		}
		if was.Event == rec.Event && was.Source == rec.Source && was.Turn == rec.Turn && was.Subagent == rec.Subagent && now.Sub(was.Time).Abs() < sameEvent {
			return true
		}
	}
	return false
}

// cutTexts cuts each text that an agent told us.
func (rec *SessionRecord) cutTexts() {
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
	rec.cutTexts()
	return sessions(ss).Add(rec, skip)
}

func sessions(ss *store.Stores) statedir.Log[SessionRecord] {
	return statedir.Log[SessionRecord]{In: ss.SessionsState(), Name: SessionsFile, Max: maxSessionsBytes, Counts: func(rec SessionRecord) bool { return rec.Event != "" }}
}

// SessionRecords are the recorded events of a session since it last started up, oldest first; of all sessions
// where the name is "". A torn line is passed over.
func SessionRecords(ss *store.Stores, session string) (list []SessionRecord, err error) {
	if session == "" {
		return sessions(ss).Read("")
	}
	mark, err := json.Marshal(session)
	if err != nil {
		return nil, err
	}
	lines, err := sessions(ss).Newest(false)
	for line := range lines {
		rec, ok := statedir.Record[SessionRecord](line, string(mark))
		if !ok || rec.Session != session || rec.Event == "" {
			continue
		}
		if list = append(list, rec); rec.Event == EventSessionStart && rec.Source == SourceStartup && rec.Subagent == "" {
			break // nothing is older, so the rest of a large file need not be read
		}
	}
	slices.Reverse(list)
	return list, err
}

// LastRecord is the newest record of an event that fits. ok is false where there is none.
func LastRecord(ss *store.Stores, event string, fits func(SessionRecord) bool) (rec SessionRecord, ok bool, err error) {
	lines, err := sessions(ss).Newest(false)
	for line := range lines {
		if was, is := statedir.Record[SessionRecord](line, markOf(event)); is && was.Event == event && fits(was) {
			return was, true, nil
		}
	}
	return rec, false, err
}

// markOf is what the lines of an event contain.
func markOf(event string) string { return `"event":"` + event + `"` }

// GoesOn returns the session that took the place of this one in its client after /clear, or after the person chose another
// session. The client's MCP server still knows only the first one.
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

// ForgottenSinceStart are the records of what agents have forgotten since a person last read what memctl said at
// a start, oldest first.
func ForgottenSinceStart(ss *store.Stores) (list []SessionRecord, err error) {
	lines, err := sessions(ss).Newest(false)
	for line := range lines {
		if bytes.Contains(line, []byte(markOf(EventSessionStart))) && !bytes.Contains(line, []byte(`,"quiet":true`)) {
			break
		}
		if rec, ok := statedir.Record[SessionRecord](line, markOf(EventForgot)); ok && rec.Event == EventForgot {
			list = append(list, rec)
		}
	}
	slices.Reverse(list)
	return list, err
}

// Handed is how often a memory was handed over without a question, and when and on what last.
type Handed struct {
	Count int    `json:"count"`
	Last  string `json:"last"`         // the day
	On    string `json:"on,omitempty"` // the words of a prompt or an error, or the file
}

// HandedOver counts in the record of this repository's sessions, by scope and by an item's key or an entry's id. Errors: the local
// state cannot be read.
func HandedOver(ss *store.Stores) (map[string]map[string]Handed, error) {
	list, err := SessionRecords(ss, "")
	all := map[string]map[string]Handed{}
	for _, rec := range list {
		for _, g := range rec.Given {
			if !g.Found {
				continue
			}
			if all[g.Scope] == nil {
				all[g.Scope] = map[string]Handed{}
			}
			all[g.Scope][g.Key] = Handed{Count: all[g.Scope][g.Key].Count + 1, Last: rec.Time.Format(time.DateOnly), On: g.On}
		}
	}
	return all, err
}
