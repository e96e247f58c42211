package edit

import (
	"errors"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// drafted counts the drafts of a candidate.
type drafted struct {
	candidate
	count int
}

func (*drafted) act() string    { return "add" }
func (*drafted) source() string { return "" }
func (c *drafted) draft(d *txn.Draft) error {
	c.count++
	return d.Put(txn.NewRecord(memfile.Item{Key: "k.a", Value: memfile.Str("queued")}))
}

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
			w := writing{Request: Request{Queued: q}, st: &store.Store{Scope: store.Project}}
			d := &drafted{}
			err := w.write(d).Change(&txn.Draft{Document: &doc, Store: w.st})
			var refusal *memory.Refusal
			if errors.As(err, &refusal) != c.refused || d.count != map[bool]int{false: 1}[c.refused] {
				t.Fatalf("refused: %v, drafts: %d", err, d.count)
			}
			if !c.refused && q.Left != memfile.AllowDigest(memfile.Str("queued")) {
				t.Errorf("left as %q", q.Left)
			}
		})
	}
}
