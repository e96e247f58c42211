package localstate

import (
	"slices"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// repeat says when a person last made a statement.
type repeat struct {
	Said    string `json:"said"`    // TextDigest of its words
	Session string `json:"session"` // TextDigest
	Day     string `json:"day"`
	Before  string `json:"before,omitempty"` // the last day on which they made it in another session
}

// maxRepeats is how many statements are known; the one that was made longest ago goes first.
const maxRepeats = 200

// LastSaid notes that a person made a statement in a session, and returns the last day on which they made it, word for word, in
// another one; "" for never. Errors: the local state cannot be read or written, or is held.
func LastSaid(ss *store.Stores, said, session string) (day string, err error) {
	if said == "" {
		return "", nil
	}
	repeats := statedir.Log[repeat]{In: ss.RepositoryState(), Name: "repeated.json", Keep: maxRepeats}
	err = repeats.Change(func(list []repeat) []repeat {
		r := repeat{Said: TextDigest(said), Session: TextDigest(session), Day: ss.Today()}
		if i := slices.IndexFunc(list, func(was repeat) bool { return was.Said == r.Said }); i >= 0 {
			r.Before = list[i].Day
			if list[i].Session == r.Session {
				r.Before = list[i].Before
			}
			list = slices.Delete(list, i, i+1)
		}
		day = r.Before
		return append(list, r)
	})
	return day, err
}
