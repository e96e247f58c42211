package store

import (
	"context"
	"time"
)

// Use is how often a memory was of use on this machine, and when last.
type Use struct {
	Count int       `json:"count"`
	Last  time.Time `json:"last"`
}

const (
	usesFile = "uses.json"
	// maxUses bounds the counts that are kept; what was used longest ago goes.
	maxUses = 20_000
)

// Uses are the use counts of the store's memories on this machine, by id or key.
// They are local state, and never committed.
func (st *Store) Uses() (map[string]Use, error) {
	uses := map[string]Use{}
	if st.Dir == "" {
		return uses, nil
	}
	err := st.shared().readJSON(usesFile, &uses)
	return uses, err
}

// NoteUses counts one use of each of the memories, by id or key.
func (st *Store) NoteUses(ctx context.Context, ids []string, wait time.Duration) error {
	if len(ids) == 0 || st.Dir == "" {
		return nil
	}
	unlock, err := st.lock(ctx, wait, "uses")
	if err != nil {
		return err
	}
	defer unlock()
	uses, err := st.Uses()
	if err != nil {
		return err
	}
	now := st.ss.Now().UTC().Truncate(time.Second)
	for _, id := range ids {
		uses[id] = Use{Count: uses[id].Count + 1, Last: now}
	}
	for len(uses) > maxUses {
		oldest := ""
		for id, u := range uses {
			if oldest == "" || u.Last.Before(uses[oldest].Last) {
				oldest = id
			}
		}
		delete(uses, oldest)
	}
	return st.shared().writeQuickJSON(usesFile, uses)
}
