package ledger

import (
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/committer"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestTheJournalIsCutAtItsOldestEnd(t *testing.T) {
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	st := b.Project()
	note := func(key string) {
		t.Helper()
		change := store.FileChange{Path: memfile.FileName, After: []byte(storetest.WithItem(key, "one"))}
		if _, err := AddJournal(t.Context(), st, JournalWrite{Changes: []store.FileChange{change}, Subject: "memory: add " + key}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"c.d", "e.f", "g.h"} {
		note(key)
	}
	if err := cutJournal(t.Context(), st, 1); err != nil {
		t.Fatal(err)
	}
	if got := b.Git("log", "--format=%s", committer.JournalRef); got != "memory: add g.h\nmemory: add e.f" {
		t.Errorf("%q", got)
	}
	note("i.j")
	if got := b.Git("show", "-s", "--format=%b", committer.JournalRef); !strings.HasSuffix(got, "Journal-Entry: 3") {
		t.Errorf("%s", got)
	}
	b.Git("fsck", "--strict")
}
