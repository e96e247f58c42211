package localstate

import (
	"time"

	"github.com/memctl/memctl/store"
)

// Handed is how often a memory was handed over without a question, and when and on what last.
type Handed struct {
	Count int    `json:"count"`
	Last  string `json:"last"`         // the day
	On    string `json:"on,omitempty"` // the words of a prompt or an error, or the file
}

// HandedOver counts in the record of this repository's sessions; key is an item's key or an entry's id. nil for never. Errors: the local
// state cannot be read.
func HandedOver(ss *store.Stores, scope, key string) (h *Handed, err error) {
	list, err := SessionRecords(ss, "")
	for _, rec := range list {
		for _, g := range rec.Given {
			if g.Found && g.Scope == scope && g.Key == key {
				if h == nil {
					h = &Handed{}
				}
				h.Count, h.Last, h.On = h.Count+1, rec.Time.Format(time.DateOnly), g.On
			}
		}
	}
	return h, err
}
