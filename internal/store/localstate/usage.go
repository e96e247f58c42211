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

// countingBegan is the key of the record that says when this machine began to count. No memory has it.
const countingBegan = ""

// NoteUses counts one use of each of the memories, by id or key.
func NoteUses(st *store.Store, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	now := st.Stores.Now().UTC().Truncate(time.Second)
	return changeUses(st, func(uses map[string]Use) {
		for _, id := range ids {
			uses[id] = Use{Count: uses[id].Count + 1, Last: now}
		}
		for len(uses) > maxUses {
			oldest := countingBegan
			for id, u := range uses {
				if id != countingBegan && (oldest == countingBegan || u.Last.Before(uses[oldest].Last)) {
					oldest = id
				}
			}
			delete(uses, oldest)
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
	return st.Unwritable(UsesOf(st).Change(func(uses *map[string]Use) error {
		if *uses == nil {
			*uses = map[string]Use{}
		}
		if _, begun := (*uses)[countingBegan]; !begun {
			(*uses)[countingBegan] = Use{Last: st.Stores.Now().UTC().Truncate(time.Second)}
		}
		change(*uses)
		return nil
	}))
}

// UsesSince is when this machine began to count the uses of the store's memories: with its first act on the store, or the first
// use; zero where it has not.
func UsesSince(st *store.Store) (since time.Time, err error) {
	uses, err := Uses(st)
	if err != nil {
		return since, err
	}
	acts, err := ledger.Acts(context.Background(), st.Stores, ledger.All)
	since = uses[countingBegan].Last
	for _, a := range acts {
		if a.Scope == st.Scope && (since.IsZero() || a.Time.Before(since)) {
			since = a.Time
		}
	}
	return since, err
}

// CountUses writes down that uses are counted from now on, where they were not before.
func CountUses(st *store.Store) error { return changeUses(st, func(map[string]Use) {}) }

// Shared reports whether other machines read the store as well, whose uses are
// not known here: its repository has a remote.
func Shared(ctx context.Context, st *store.Store) bool {
	if st.Repo == nil {
		return false
	}
	config := st.GitConfig(ctx)
	return config.Silent || config.Remote
}
