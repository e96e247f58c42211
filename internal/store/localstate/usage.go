package localstate

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
)

// Use is how often a memory was of use on this machine, and when last.
type Use struct {
	Count int       `json:"count"`
	Last  time.Time `json:"last"`
}

const (
	// UsesFile counts how often entries were handed out.
	UsesFile = "uses.json"
	// maxUses bounds the counts that are kept; what was used longest ago goes.
	maxUses = 20_000
)

// Uses are the use counts of the store's memories on this machine, by id or key.
// They are local state, and never committed.
func Uses(st *store.Store) (map[string]Use, error) {
	uses := map[string]Use{}
	if st.Dir == "" {
		return uses, nil
	}
	err := st.SharedState().ReadJSON(UsesFile, &uses)
	return uses, err
}

// NoteUses counts one use of each of the memories, by id or key.
func NoteUses(st *store.Store, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	now, lost := st.Stores.Now().UTC().Truncate(time.Second), time.Time{}
	err := changeUses(st, func(uses map[string]Use) {
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
			lost = uses[oldest].Last // of what is left out, nothing is known any more
			delete(uses, oldest)
		}
	})
	if u, readErr := upkeep(st); err != nil || readErr != nil || !u.Since.IsZero() && !lost.After(u.Lost) {
		return cmp.Or(err, readErr)
	}
	return changeUpkeep(st, func(u *Upkeep) {
		if u.Since.IsZero() {
			u.Since = now
		}
		if lost.After(u.Lost) {
			u.Lost = lost
		}
	})
}

// InheritUses gives a memory the uses of the memories that it replaces: their highest count and their last use.
func InheritUses(st *store.Store, id string, from []string) error {
	return changeUses(st, func(uses map[string]Use) {
		u := uses[id]
		for _, old := range from {
			u.Count = max(u.Count, uses[old].Count)
			if uses[old].Last.After(u.Last) {
				u.Last = uses[old].Last
			}
		}
		if u != uses[id] {
			uses[id] = u
		}
	})
}

// DropUses removes the counts of items whose key contains a text.
func DropUses(st *store.Store, contains func(text string) bool) error {
	return changeUses(st, func(uses map[string]Use) {
		maps.DeleteFunc(uses, func(key string, _ Use) bool { return contains(key) })
	})
}

func changeUses(st *store.Store, change func(map[string]Use)) error {
	if st.Dir == "" {
		return nil
	}
	return st.Unwritable(changeValue(st.SharedState(), UsesFile, func(uses *map[string]Use) error {
		if *uses == nil {
			*uses = map[string]Use{}
		}
		change(*uses)
		return nil
	}))
}

// Upkeep is what is known about the counting itself.
type Upkeep struct {
	Since time.Time `json:"since"`         // uses are counted from then on
	Lost  time.Time `json:"lost,omitzero"` // counts of uses until then were left out
}

// UpkeepFile holds it.
const UpkeepFile = "upkeep.json"

// UsesSince is when this machine began to count the uses of the store's memories,
// as far as the counts still tell: with its first act on the store, or the first
// use; zero where it has not.
func UsesSince(st *store.Store) (time.Time, error) {
	u, err := upkeep(st)
	if err != nil {
		return time.Time{}, err
	}
	acts, err := ledger.Acts(context.Background(), st.Stores, ledger.All)
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

func upkeep(st *store.Store) (u Upkeep, err error) {
	if st.Dir != "" {
		err = st.SharedState().ReadJSON(UpkeepFile, &u)
	}
	return u, err
}

func changeUpkeep(st *store.Store, change func(*Upkeep)) error {
	return st.Unwritable(changeValue(st.SharedState(), UpkeepFile, func(u *Upkeep) error {
		change(u)
		return nil
	}))
}

// CountUses writes down that uses are counted from now on, where they were not before.
func CountUses(st *store.Store) error {
	u, err := upkeep(st)
	if err != nil || !u.Since.IsZero() {
		return err
	}
	return changeUpkeep(st, func(u *Upkeep) {
		if u.Since.IsZero() {
			u.Since = st.Stores.Now().UTC().Truncate(time.Second)
		}
	})
}

// Shared reports whether other machines read the store as well, whose uses are
// not known here: its repository has a remote.
func Shared(ctx context.Context, st *store.Store) bool {
	if st.Repo == nil {
		return false
	}
	config, err := st.Repo.Config(ctx)
	return err != nil || config.HasRemote()
}
