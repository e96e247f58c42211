package localstate

import (
	"context"
	"maps"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/statedir"
)

// Use is how often a memory was of use on this machine, and when last.
type Use struct {
	Count int       `json:"count"`
	Last  time.Time `json:"last"`
}

// maxUses bounds the counts that are kept; what was used longest ago goes.
const maxUses = 20_000

// UsesOf is the file of the counts.
func UsesOf(st *store.Store) statedir.File[map[string]Use] {
	return statedir.File[map[string]Use]{In: st.SharedState(), Name: "uses.json", Quick: true}
}

// Uses are the use counts of the store's memories on this machine, by id or key.
// They are local state, and never committed.
func Uses(st *store.Store) (map[string]Use, error) {
	if st.Dir == "" {
		return nil, nil
	}
	return UsesOf(st).Read()
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
	if err != nil {
		return err
	}
	return changeUpkeep(st, func(u Upkeep) Upkeep {
		if u.Since.IsZero() {
			u.Since = now
		}
		if lost.After(u.Lost) {
			u.Lost = lost
		}
		return u
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
	return st.Unwritable(UsesOf(st).Change(func(uses *map[string]Use) error {
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

// UpkeepOf is its file.
func UpkeepOf(st *store.Store) statedir.File[Upkeep] {
	return statedir.File[Upkeep]{In: st.SharedState(), Name: "upkeep.json", Quick: true}
}

// UsesSince is when this machine began to count the uses of the store's memories,
// as far as the counts still tell: with its first act on the store, or the first
// use; zero where it has not.
func UsesSince(st *store.Store) (since time.Time, err error) {
	if st.Dir == "" {
		return since, nil
	}
	u, err := UpkeepOf(st).Read()
	if err != nil {
		return since, err
	}
	acts, err := ledger.Acts(context.Background(), st.Stores, ledger.All)
	if err != nil {
		return since, err
	}
	since = u.Since
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

func changeUpkeep(st *store.Store, change func(Upkeep) Upkeep) error {
	if st.Dir == "" {
		return nil
	}
	u, err := UpkeepOf(st).Read()
	if err != nil || change(u) == u {
		return err
	}
	return st.Unwritable(UpkeepOf(st).Change(func(u *Upkeep) error {
		*u = change(*u)
		return nil
	}))
}

// CountUses writes down that uses are counted from now on, where they were not before.
func CountUses(st *store.Store) error {
	return changeUpkeep(st, func(u Upkeep) Upkeep {
		if u.Since.IsZero() {
			u.Since = st.Stores.Now().UTC().Truncate(time.Second)
		}
		return u
	})
}

// Shared reports whether other machines read the store as well, whose uses are
// not known here: its repository has a remote.
func Shared(ctx context.Context, st *store.Store) bool {
	if st.Repo == nil {
		return false
	}
	config := st.GitConfig(ctx)
	return config.Silent || config.Remote
}
