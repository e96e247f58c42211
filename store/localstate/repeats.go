package localstate

import (
	"context"
	"slices"

	"github.com/memctl/memctl/store"
)

// repeat says in which sessions a person said the same.
type repeat struct {
	Words    []string `json:"words"`    // WordDigest of each
	Sessions []string `json:"sessions"` // TextDigest of each
}

const (
	repeatsFile = "repeated.json"
	repeatsLock = "repeated.lock"
	// maxRepeats is how many statements have a count; the one that was repeated longest ago goes first.
	maxRepeats = 200
	// maxRepeatSessions bounds a count.
	maxRepeatSessions = 10
)

// CountRepeat counts that a person made a statement of these words in a session, and returns in how
// many sessions they have. Two thirds of the words make it the same statement. Errors: the local
// state cannot be read or written, or is held.
func CountRepeat(ctx context.Context, ss *store.Stores, words []string, session string) (sessions int, err error) {
	if len(words) == 0 {
		return 0, nil
	}
	state := ss.RepositoryState()
	err = locked(ctx, state, repeatsLock, "counts a repeat", sameEventWait, func() error {
		var list []repeat
		if err := state.ReadJSON(repeatsFile, &list); err != nil {
			return err
		}
		var r repeat
		for _, w := range words {
			r.Words = append(r.Words, WordDigest(w))
		}
		if i := slices.IndexFunc(list, r.same); i >= 0 {
			r = list[i]
			list = slices.Delete(list, i, i+1)
		}
		if name := TextDigest(session); !slices.Contains(r.Sessions, name) && len(r.Sessions) < maxRepeatSessions {
			r.Sessions = append(r.Sessions, name)
		}
		list, sessions = append(list, r), len(r.Sessions)
		return state.WriteJSON(repeatsFile, list[max(0, len(list)-maxRepeats):])
	})
	return sessions, err
}

// same reports whether two thirds of the words of each are in the other.
func (r repeat) same(other repeat) bool {
	n := 0
	for _, w := range r.Words {
		if slices.Contains(other.Words, w) {
			n++
		}
	}
	return 3*n >= 2*max(len(r.Words), len(other.Words))
}
