package localstate

import (
	"time"

	"github.com/memctl/memctl/internal/store"
)

// Handed is how often a memory was handed over without a question, and when and on what last.
type Handed struct {
	Count int    `json:"count"`
	Last  string `json:"last"`         // the day
	On    string `json:"on,omitempty"` // the words of a prompt or an error, or the file
}

// HandedOver counts in the record of this repository's sessions, by scope and by an item's key or an entry's id. Errors: the local
// state cannot be read.
func HandedOver(ss *store.Stores) (map[string]map[string]Handed, error) {
	list, err := SessionRecords(ss, "")
	all := map[string]map[string]Handed{}
	for _, rec := range list {
		for _, g := range rec.Given {
			if !g.Found {
				continue
			}
			if all[g.Scope] == nil {
				all[g.Scope] = map[string]Handed{}
			}
			all[g.Scope][g.Key] = Handed{Count: all[g.Scope][g.Key].Count + 1, Last: rec.Time.Format(time.DateOnly), On: g.On}
		}
	}
	return all, err
}
