package txn

import (
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// killedExchange is a sync whose process ends when its files are written and the
// branch has not moved. It gives the commit that the branch was to move to.
func killedExchange(b *storetest.Box) (next string) {
	b.T.Helper()
	before, head := b.Read(memfile.FileName), b.Git("rev-parse", "HEAD")
	after := storetest.WithItem("a.b", "from the remote")
	b.Write(memfile.FileName, after)
	b.Git("commit", "-q", "-m", SyncSubject, "--", memfile.FileName)
	next = b.Git("rev-parse", "HEAD")
	b.Git("reset", "-q", "--hard", head)
	t := &plan{transaction: &transaction{st: b.Project(), w: Write{Act: "sync"}}, changes: []store.FileChange{{Path: memfile.FileName, Before: []byte(before), After: []byte(after)}}}
	if err := t.beginExchange(head, next); err != nil {
		b.T.Fatal(err)
	}
	if err := put(t.st, t.changes); err != nil {
		b.T.Fatal(err)
	}
	return next
}

func TestAKilledExchangeIsEndedByTheNextAct(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	next := killedExchange(b)
	must(b, add("e.f", false))
	allEnded(b)
	if got := b.Git("rev-parse", "HEAD~1"); got != next {
		t.Errorf("the branch is not at the exchange's commit %s: %q", next, b.Subjects())
	}
	if status := b.Git("status", "--porcelain"); status != "" {
		t.Errorf("left %s", status)
	}
	if acts, err := ledger.Acts(t.Context(), b.Project().Stores, ledger.All); err != nil || len(acts) != 1 {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}

func TestAKilledExchangeKeepsItsNameWhereTheBranchHasMoved(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	killedExchange(b)
	b.Git("commit", "-q", "--allow-empty", "-m", "own")
	must(b, add("e.f", false))
	allEnded(b)
	if got := b.Subjects(); !slices.Equal(got, []string{"memory: add e.f", SyncSubject, "own", "begin"}) {
		t.Errorf("commits %q", got)
	}
}
