package localstate

import (
	"context"
	"errors"
	"slices"

	"github.com/memctl/memctl/store"
)

// repeat says in which sessions a person said again what an item says.
type repeat struct {
	Key      string   `json:"key"`
	Value    string   `json:"value"`    // TextDigest of the item's value
	Sessions []string `json:"sessions"` // TextDigest of each
}

const (
	repeatsFile = "repeats.json"
	// maxRepeats is how many items have a count; the one that was repeated longest ago goes first.
	maxRepeats = 200
	// maxRepeatSessions bounds a count.
	maxRepeatSessions = 10
)

// CountRepeat counts that a person said an item of the store again in a session, and returns in how
// many sessions they have. A new value of the item starts again at one. It changes local state alone, so that an item of the
// project can be counted. Errors: the local state cannot be read or written, or is held.
func CountRepeat(ctx context.Context, st *store.Store, key, value, session string) (sessions int, err error) {
	state := st.SharedState()
	unlock, err := state.Lock(ctx, notedLock, "counts a repeat", store.NothingToMend)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var list []repeat
	if err := state.ReadJSON(repeatsFile, &list); err != nil {
		return 0, err
	}
	r := repeat{Key: key, Value: TextDigest(value)}
	if i := slices.IndexFunc(list, func(was repeat) bool { return was.Key == key }); i >= 0 {
		if list[i].Value == r.Value {
			r.Sessions = list[i].Sessions
		}
		list = slices.Delete(list, i, i+1)
	}
	if name := TextDigest(session); !slices.Contains(r.Sessions, name) && len(r.Sessions) < maxRepeatSessions {
		r.Sessions = append(r.Sessions, name)
	}
	list = append(list, r)
	return len(r.Sessions), state.WriteJSON(repeatsFile, list[max(0, len(list)-maxRepeats):])
}
