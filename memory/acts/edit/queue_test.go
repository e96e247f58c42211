package edit

import (
	"errors"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

func TestQueuedWriteLooksAtItsKeyUnderTheLock(t *testing.T) {
	was := memfile.AllowDigest(memfile.Str("was"))
	for name, c := range map[string]struct {
		value, left string
		refused     bool
	}{
		"the key is as when the write was queued":     {value: "was"},
		"somebody changed the key in the meantime":    {value: "other", refused: true},
		"an earlier queued write changed the key":     {value: "other", left: memfile.AllowDigest(memfile.Str("other"))},
		"the key has the value of the queued write":   {value: "queued"},
		"the key changed after an earlier queued one": {value: "third", left: memfile.AllowDigest(memfile.Str("other")), refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			doc := memfile.Document{Items: []memfile.Item{{Key: "k.a", Value: memfile.Str(c.value)}}}
			q := &Queued{Waiting: ledger.Waiting{Act: "add", Key: "k.a", Value: memfile.Str("queued"), Was: was}, Left: c.left}
			st, count := &store.Store{Scope: store.Project}, 0
			err := q.watched(st, func(d *txn.Draft) error {
				count++
				return d.PutRecord(txn.NewRecord(memfile.Item{Key: "k.a", Value: memfile.Str("queued")}))
			})(&txn.Draft{Document: &doc, Store: st})
			var refusal *memory.Refusal
			if errors.As(err, &refusal) != c.refused || count != map[bool]int{false: 1}[c.refused] {
				t.Fatalf("refused: %v, drafts: %d", err, count)
			}
			if !c.refused && q.Left != memfile.AllowDigest(memfile.Str("queued")) {
				t.Errorf("left as %q", q.Left)
			}
		})
	}
}
