package localstate

import (
	"context"
	"slices"

	"github.com/memctl/memctl/store"
)

// repeat says when a person last made a statement.
type repeat struct {
	Words   []string `json:"words"`   // WordDigest of each
	Session string   `json:"session"` // TextDigest
	Day     string   `json:"day"`
	Before  string   `json:"before,omitempty"` // the last day on which they made it in another session
}

const (
	repeatsFile = "repeated.json"
	repeatsLock = "repeated.lock"
	// maxRepeats is how many statements are known; the one that was made longest ago goes first.
	maxRepeats = 200
)

// LastSaid notes that a person made a statement of these words in a session, and returns the last day on which they made
// it in another one; "" for never. Two thirds of the words make it the same statement. Errors: the local state cannot be
// read or written, or is held.
func LastSaid(ctx context.Context, ss *store.Stores, words []string, session string) (day string, err error) {
	if len(words) == 0 {
		return "", nil
	}
	state := ss.RepositoryState()
	err = locked(ctx, state, repeatsLock, "notes a repeat", sameEventWait, func() error {
		var list []repeat
		if err := state.ReadJSON(repeatsFile, &list); err != nil {
			return err
		}
		r := repeat{Session: TextDigest(session), Day: ss.Today()}
		for _, w := range words {
			r.Words = append(r.Words, WordDigest(w))
		}
		if i := slices.IndexFunc(list, r.same); i >= 0 {
			r.Before = list[i].Day
			if list[i].Session == r.Session {
				r.Before = list[i].Before
			}
			list = slices.Delete(list, i, i+1)
		}
		list, day = append(list, r), r.Before
		return state.WriteJSON(repeatsFile, list[max(0, len(list)-maxRepeats):])
	})
	return day, err
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
