package localstate

import (
	"cmp"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
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
