package txn

import (
	"errors"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// killedExchange is a sync whose process ends when its files are written and the
// branch has not moved.
func killedExchange(b *storetest.Box) {
	b.T.Helper()
	before, after := b.Read(memfile.FileName), storetest.WithItem("a.b", "from the remote")
	t := &plan{transaction: &transaction{st: b.Project(), w: Write{Act: "sync"}}, undone: true, changes: []store.FileChange{{Path: memfile.FileName, Before: []byte(before), After: []byte(after)}}}
	errKilled := errors.New("killed")
	if _, err := commitFiles(b.T.Context(), t.st, t.changes, "sync", "", nil, func(id string) error {
		return errors.Join(t.write(b.T.Context(), id, ""), errKilled)
	}); !errors.Is(err, errKilled) {
		b.T.Fatal(err)
	}
}

func TestAKilledExchangeIsCommittedByTheNextAct(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killedExchange(b)
	must(b, add("e.f", false))
	allEnded(b)
	if got := b.Subjects(); !slices.Equal(got, []string{"memory: add e.f", "memory: sync", "begin"}) {
		t.Errorf("commits %q", got)
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("left %s", status)
	}
	if acts, err := ledger.Acts(t.Context(), b.Project().Stores, ledger.All); err != nil || len(acts) != 1 {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}
