package store

import (
	"slices"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// killedExchange is a sync whose process ends when its files are written and the
// branch has not moved. It gives the commit that the branch was to move to.
func (b *box) killedExchange() (next string) {
	b.t.Helper()
	before, head := b.read(memfile.FileName), b.git("rev-parse", "HEAD")
	after := withItem("a.b", "from the remote")
	b.write(memfile.FileName, after)
	b.git("commit", "-q", "-m", syncSubject, "--", memfile.FileName)
	next = b.git("rev-parse", "HEAD")
	b.git("reset", "-q", "--hard", head)
	t := &plan{transaction: &transaction{st: b.project(), w: Write{Act: "sync"}}, changes: []FileChange{{Path: memfile.FileName, Before: []byte(before), After: []byte(after)}}}
	if err := t.beginExchange(head, next); err != nil {
		b.t.Fatal(err)
	}
	if err := t.st.put(t.changes); err != nil {
		b.t.Fatal(err)
	}
	return next
}

func TestAKilledExchangeIsEndedByTheNextAct(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	next := b.killedExchange()
	b.must(add("e.f", false))
	b.allEnded()
	if got := b.git("rev-parse", "HEAD~1"); got != next {
		t.Errorf("the branch is not at the exchange's commit %s: %q", next, b.subjects())
	}
	if status := b.git("status", "--porcelain"); status != "" {
		t.Errorf("left %s", status)
	}
	if acts, err := b.project().ss.Acts(t.Context()); err != nil || len(acts) != 1 {
		t.Errorf("undo knows %+v, %v", acts, err)
	}
}

func TestAKilledExchangeKeepsItsNameWhereTheBranchHasMoved(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	b.killedExchange()
	b.git("commit", "-q", "--allow-empty", "-m", "own")
	b.must(add("e.f", false))
	b.allEnded()
	if got := b.subjects(); !slices.Equal(got, []string{"memory: add e.f", syncSubject, "own", "begin"}) {
		t.Errorf("commits %q", got)
	}
}
