package localstate

import (
	"context"
	"time"

	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/transcript"
)

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

const (
	readingsFile = "readings.json"
	readingsLock = "readings.lock"
	// maxReadings is how many transcripts memctl remembers. A session that is resumed after
	// so many others would count twice.
	maxReadings = 200
)

// Readings returns the transcripts of this worktree's sessions. The one that grew last comes
// last. Errors: the local state cannot be read.
func Readings(ss *store.Stores) (list []Reading, err error) {
	err = ss.SessionsState().ReadJSON(readingsFile, &list)
	return list, err
}

// ChangeReadings replaces the list of readings while no other process can. A change that
// reads transcripts adds to the notes of their days under the same lock, so that two hooks of
// one event count nothing twice. Errors: the local state cannot be read or written, or
// another process has held the lock for too long.
func ChangeReadings(ctx context.Context, ss *store.Stores, change func([]Reading) ([]Reading, error)) error {
	state := ss.SessionsState()
	return locked(ctx, state, readingsLock, "reads transcripts", sameEventWait, func() error {
		list, err := Readings(ss)
		if err == nil {
			list, err = change(list)
		}
		if err != nil {
			return err
		}
		return state.WriteQuickJSON(readingsFile, list[max(0, len(list)-maxReadings):])
	})
}
