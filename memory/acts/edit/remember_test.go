package edit_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/setup"
)

// entryBox is a repository with a memory file, at a moment.
func entryBox(t *testing.T) *store.Stores {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	ss, err := store.Open(context.Background(), store.Env{Dir: dir, Getenv: func(string) string { return "" }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Init(t.Context(), ss, setup.InitRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}}); err != nil {
		t.Fatal(err)
	}
	return ss
}

// TestSummariesAreWrittenAnew holds that one file stands for a conversation.
func TestSummariesAreWrittenAnew(t *testing.T) {
	ss := entryBox(t)
	for _, text := range []string{"one\ntwo", "three"} {
		if w, err := edit.Add(t.Context(), ss, edit.Request{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}, Role: entry.RoleSummary, Text: text, Conversation: "My talk"}); err != nil || w.Verdict != "accept" {
			t.Fatalf("%+v, %v", w, err)
		}
	}
	list, err := view.List(t.Context(), ss, contents.Person, view.Query{Tier: entry.Summary, Conversation: "My talk"})
	if err != nil || len(list.Records) != 1 || list.Records[0].Text != "three" || !strings.HasPrefix(list.Records[0].Path, "memories/entries/my-talk-") {
		t.Errorf("%+v, %v", list, err)
	}
}
