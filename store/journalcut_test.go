package store

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/memfile"
)

func TestTheJournalIsCutAtItsOldestEnd(t *testing.T) {
	b := gitBox(t, withItem("a.b", "one"))
	st := b.project()
	note := func(key string) {
		t.Helper()
		change := FileChange{Path: memfile.FileName, After: []byte(withItem(key, "one"))}
		if err := st.addJournal(t.Context(), written{changes: []FileChange{change}, subject: "memory: add " + key}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"c.d", "e.f", "g.h"} {
		note(key)
	}
	if err := st.cutJournal(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := b.git("log", "--format=%s", committer.JournalRef); got != "memory: add g.h\nmemory: add e.f" {
		t.Errorf("%q", got)
	}
	note("i.j")
	if got := b.git("show", "-s", "--format=%b", committer.JournalRef); !strings.HasSuffix(got, "Journal-Entry: 3") {
		t.Errorf("%s", got)
	}
	b.git("fsck", "--strict")
}
