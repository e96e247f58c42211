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
	was, err := st.upkeep()
	if err != nil {
		return err
	}
	is := was
	if is.Since.IsZero() {
		is.Since = now
	}
	for len(uses) > maxUses {
		oldest := ""
		for id, u := range uses {
			if oldest == "" || u.Last.Before(uses[oldest].Last) {
				oldest = id
			}
		}
		// Of what is left out, nothing is known any more.
		if last := uses[oldest].Last; last.After(is.Lost) {
			is.Lost = last
		}
		delete(uses, oldest)
	}
	if is != was {
		if err := st.shared().writeQuickJSON(upkeepFile, is); err != nil {
			return err
		}
	}
	return st.shared().writeQuickJSON(usesFile, uses)
}

// upkeep is what is known about the counting itself.
type upkeep struct {
	Since time.Time `json:"since"`          // uses are counted from then on
	Lost  time.Time `json:"lost,omitzero"`  // counts of uses until then were left out
	Last  time.Time `json:"last,omitzero"`  // when it was last compacted
	Asked time.Time `json:"asked,omitzero"` // when it was last asked whether it is due by itself
}

// upkeepFile holds it.
const upkeepFile = "upkeep.json"

// UsesSince is when this machine began to count the uses of the store's memories,
// as far as the counts still tell: with its first act on the store, or the first
// use; zero where it has not.
func (st *Store) UsesSince() (time.Time, error) {
	u, err := st.upkeep()
	if err != nil {
		return time.Time{}, err
	}
	acts, err := st.ss.Acts(context.Background())
	if err != nil {
		return time.Time{}, err
	}
	since := u.Since
	for _, a := range acts {
		if a.Scope == st.Scope && (since.IsZero() || a.Time.Before(since)) {
			since = a.Time
		}
	}
	if u.Lost.After(since) {
		since = u.Lost
	}
	return since, nil
}

// LastCompact is when the store was last compacted here; zero where it was not.
func (st *Store) LastCompact() (time.Time, error) {
	u, err := st.upkeep()
	return u.Last, err
}

// DueDaily reports, once a day, that it is time to see whether the store is to be
// compacted by itself. The first time it notes the day and says no: what is there on
// the first day was put there by somebody who is still at it.
func (st *Store) DueDaily(ctx context.Context, wait time.Duration) (bool, error) {
	const day = 24 * time.Hour
	now := st.ss.Now().UTC().Truncate(time.Second)
	recent := func(u upkeep) bool { return now.Sub(u.Asked).Abs() < day || now.Sub(u.Last).Abs() < day }
	u, err := st.upkeep()
	if err != nil || st.Dir == "" || recent(u) {
		return false, err
	}
	unlock, err := st.lock(ctx, wait, "compact")
	if err != nil {
		return false, err
	}
	defer unlock()
	if u, err = st.upkeep(); err != nil || recent(u) {
		return false, err
	}
	first := u.Asked.IsZero()
	u.Asked = now
	return !first, st.shared().writeJSON(upkeepFile, u)
}

func (st *Store) upkeep() (u upkeep, err error) {
	if st.Dir != "" {
		err = st.shared().readJSON(upkeepFile, &u)
	}
	return u, err
}

// NoteCompact writes down that uses are counted from now on, where they were not
// before, and with done that the store was compacted.
func (st *Store) NoteCompact(ctx context.Context, wait time.Duration, done bool) error {
	u, err := st.upkeep()
	if err != nil || !u.Since.IsZero() && !done {
		return err
	}
	unlock, err := st.lock(ctx, wait, "compact")
	if err != nil {
		return err
	}
	defer unlock()
	if u, err = st.upkeep(); err != nil {
		return err
	}
	now := st.ss.Now().UTC().Truncate(time.Second)
	if u.Since.IsZero() {
		u.Since = now
	}
	if done {
		u.Last = now
	}
	return st.shared().writeJSON(upkeepFile, u)
}

// Shared reports whether other machines read the store as well, whose uses are
// not known here: its repository has a remote.
func (st *Store) Shared(ctx context.Context) bool {
	if st.Repo == nil {
		return false
	}
	config, err := st.Repo.Config(ctx)
	return err != nil || config.HasRemote()
}
