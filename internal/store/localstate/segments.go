package localstate

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
)

// Segment is the part of a session's conversation that a model has not read yet. Where the client
// keeps a transcript, it has no text.
type Segment struct {
	Agent      string             `json:"agent"`
	Session    string             `json:"session"`
	Transcript string             `json:"transcript,omitempty"` // the path
	From       int64              `json:"from"`                 // bytes; a model has read everything before
	To         int64              `json:"to"`
	Facts      transcript.Session `json:"facts,omitzero"` // what reading up to From found
	Text       []string           `json:"text,omitempty"` // prompts, redacted, where there is no transcript
	Since      time.Time          `json:"since"`          // when it began to wait
	Due        time.Time          `json:"due"`            // not before this time, unless a person asks
	// Conversation is what all of it belongs to, "" for the scope's own. NoSummary keeps no summary of it.
	Conversation string `json:"conversation,omitempty"`
	NoSummary    bool   `json:"no_summary,omitempty"`

	Tries int `json:"tries,omitempty"` // times that no model could read it
}

// Waits reports whether a model still has to read something of it.
func (s Segment) Waits() bool { return s.From < s.To || len(s.Text) > 0 }

const (
	segmentsFolder = "segments"
	segmentsFile   = "segments" // whose lock is that of all segments
	readingLock    = "reading.lock"
	// maxSegments is how many segments wait at most; the oldest goes.
	maxSegments = 100
	// maxReadSegments is how many segments are kept of which everything is read. They tell where
	// the next one of their session begins.
	maxReadSegments = 200
)

// segmentsState is the folder of the repository's segments.
func segmentsState(ss *store.Stores) statedir.Dir {
	state := ss.RepositoryState()
	state.Folder = filepath.Join(state.Folder, segmentsFolder)
	return state
}

func (s Segment) file() string { return TextDigest(s.Agent+" "+s.Session) + ".json" }

// Segments returns the segments that wait here, the oldest first; one that failed often comes
// after the others. What is no segment is passed over. Errors: the folder cannot be read.
func Segments(ss *store.Stores) (list []Segment, err error) {
	all, err := allSegments(ss)
	list = slices.DeleteFunc(all, func(s Segment) bool { return !s.Waits() })
	slices.SortStableFunc(list, func(a, b Segment) int {
		const often = 5
		if late := (a.Tries >= often); late != (b.Tries >= often) {
			return map[bool]int{true: 1, false: -1}[late]
		}
		return a.Since.Compare(b.Since)
	})
	return list, err
}

// allSegments reads every segment, the oldest first.
func allSegments(ss *store.Stores) (list []Segment, err error) {
	names, err := segmentsState(ss).Names()
	for _, name := range names {
		s, failed := segmentFile(ss, name).Read()
		if failed == nil && s.Session != "" && s.From >= 0 && s.file() == name {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Segment) int { return a.Since.Compare(b.Since) })
	return list, err
}

func segmentFile(ss *store.Stores, name string) statedir.File[Segment] {
	return statedir.File[Segment]{In: segmentsState(ss), Name: name}
}

// ChangeSegment changes the segment of a session while no other process can; a session without
// one has a new one that waits for nothing. Errors: the local state cannot be read or written, or
// another process has held the lock for too long.
func ChangeSegment(ss *store.Stores, agent, session string, change func(*Segment)) error {
	state := segmentsState(ss)
	return state.Locked(segmentsFile, func() error {
		all, err := allSegments(ss)
		if err != nil {
			return err
		}
		s := Segment{Agent: agent, Session: session}
		i := slices.IndexFunc(all, func(was Segment) bool { return was.file() == s.file() })
		if i >= 0 {
			s = all[i]
			all = slices.Delete(all, i, i+1)
		}
		waited := s.Waits()
		if change(&s); s.Waits() && !waited {
			s.Since = ss.Now().UTC()
		}
		if err := drop(state, all, Segment.Waits, maxSegments-1); err != nil {
			return err
		}
		if err := drop(state, all, func(s Segment) bool { return !s.Waits() }, maxReadSegments-1); err != nil {
			return err
		}
		return segmentFile(ss, s.file()).Write(s)
	})
}

// drop removes the oldest of the chosen segments beyond a number.
func drop(state statedir.Dir, all []Segment, chosen func(Segment) bool, keep int) error {
	list := slices.DeleteFunc(slices.Clone(all), func(s Segment) bool { return !chosen(s) })
	var errs []error
	for _, s := range list[:max(0, len(list)-keep)] {
		errs = append(errs, state.Remove(s.file()))
	}
	return errors.Join(errs...)
}

// LockReading makes this process the one that lets a model read segments here. ok is false where
// another one does.
func LockReading(ctx context.Context, ss *store.Stores) (unlock func() error, ok bool) {
	waiting, cancel := context.WithTimeout(ctx, sameEventWait)
	defer cancel()
	unlock, err := segmentsState(ss).Lock(waiting, readingLock, "lets a model read conversations", nil)
	return unlock, err == nil
}

// Reading says how far memctl has read one agent's transcript of a session, for the note of the day.
type Reading struct {
	Agent      string             `json:"agent"`
	Session    string             `json:"session"`
	Transcript string             `json:"transcript"` // the path
	Offset     int64              `json:"offset"`     // bytes
	Facts      transcript.Session `json:"facts"`      // what reading up to Offset found
	Due        time.Time          `json:"due,omitzero"`
}

// IsDue reports whether the transcript is to be read on.
func (r Reading) IsDue(now time.Time) bool { return !r.Due.IsZero() && !r.Due.After(now) }

// maxReadings is how many transcripts memctl remembers. A session that is resumed after
// so many others would count twice.
const maxReadings = 200

func readings(ss *store.Stores) statedir.Log[Reading] {
	return statedir.Log[Reading]{In: ss.SessionsState(), Name: "readings.json", Keep: maxReadings}
}

// Readings returns the transcripts of this worktree's sessions. The one that grew last comes
// last. Errors: the local state cannot be read.
func Readings(ss *store.Stores) ([]Reading, error) { return readings(ss).Read("") }

// ChangeReadings replaces the list of readings while no other process can. A change that
// reads transcripts adds to the notes of their days under the same lock, so that two hooks of
// one event count nothing twice. Errors: those of change, which leave the list as it is; the local state cannot be read or
// written, or another process has held the lock for too long.
func ChangeReadings(ss *store.Stores, change func([]Reading) ([]Reading, error)) (err error) {
	failed := readings(ss).Change(func(list []Reading) []Reading {
		next, changeErr := change(slices.Clone(list))
		if err = changeErr; err != nil {
			return list
		}
		return next
	})
	return cmp.Or(err, failed)
}
