package edit_test

import (
	"context"
	"errors"
	"fmt"
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

// importedTo is imported with a scope.
func importedTo(t *testing.T, b *memorytest.Bench, scope, data string) edit.ImportResult {
	t.Helper()
	in := readAs(t, "x.jsonl", data)
	res, err := edit.Import(t.Context(), b.Open(), edit.ImportRequest{Options: memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Explicit}}, Name: "x.jsonl", Format: in.Format, Input: in})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func counts(r edit.ImportResult) string {
	return fmt.Sprintf("%d added %d known %d held %d refused", r.AddedCount, r.KnownCount, r.HeldCount, r.RefusedCount)
}

func TestImportOfEntriesIsOneCommitAndCountsWhatIsThere(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "{\"text\":\"The server number %d stands in rack %d\",\"tags\":[\"Rack\"],\"created_at\":\"2026-01-02\"}\n", i, i%7)
	}
	lines.WriteString(`{"text":"The  server number 1 stands in rack 1"}` + "\n")
	res := importedTo(t, b, "", lines.String())
	if got := counts(res); got != "300 added 1 known 0 held 0 refused" {
		t.Fatal(got)
	}
	if len(res.Writes) != 1 || res.Writes[0].Commit == nil || res.Writes[0].FileCount != 300 || len(res.Rows) != 301 {
		t.Errorf("writes %+v, %d listed", res.Writes, len(res.Rows))
	}
	if got := counts(importedTo(t, b, "", lines.String())); got != "0 added 301 known 0 held 0 refused" {
		t.Error("again:", got)
	}
	list, err := view.Entries(t.Context(), b.Open(), store.Project)
	if err != nil || len(list) != 300 {
		t.Fatal(len(list), err)
	}
	if e := list[0]; e.Confidence != memfile.Medium || e.By != memfile.ByRelayed || e.Source != "imported from x.jsonl" || e.Created != "2026-01-02T00:00:00.000Z" || !slices.Equal(e.Tags, []string{"rack"}) {
		t.Errorf("got %+v", e)
	}
}

func TestTurnsAreImportedOutsideTheProjectOnly(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	const turn = `{"text":"Caroline:  I went\thiking. ","role":"user","conversation":"conv-1","session":"s1","created_at":"2023-05-08T13:56:00Z","id":"D1:1"}`
	res := importedTo(t, b, "", turn)
	wantOutcomes(t, res, "1 refused  turns")
	res = importedTo(t, b, store.User, turn+"\n"+strings.Replace(turn, "hiking", "swimming", 1))
	wantOutcomes(t, res, "2 refused D1:1 duplicate-id")
	list, err := view.Entries(t.Context(), b.Open(), store.User)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if e := list[0]; e.ID != "D1:1" || e.Text != "Caroline:  I went\thiking." || e.Session != "s1" || e.Conversation != "conv-1" || e.Tier() != entry.Turn {
		t.Errorf("got %+v", e)
	}
	res = importedTo(t, b, store.User, strings.Replace(turn, "hiking", "swimming", 1))
	wantOutcomes(t, res, "1 refused D1:1 duplicate-id")
}

func TestImportOfEntriesHoldsToPolicyAndTombstones(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	importedTo(t, b, "", `{"text":"Deploys run on Fridays"}`)
	if _, err := edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}, Targets: []string{"Deploys run on Fridays"}}); err != nil {
		t.Fatal(err)
	}
	res := importedTo(t, b, "", `{"text":"Deploys run on Fridays"}
{"text":"The admin password is hunter2-Tr0ub4dor"}
{"text":"Deploys run on Mondays"}`)
	wantOutcomes(t, res, "1 refused  forgotten", "2 refused  secret")
	if got := counts(res); got != "1 added 0 known 0 held 2 refused" {
		t.Error(got)
	}
}

func TestImportListsOnlySoManyLines(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	res := importedTo(t, b, "", `{"text":"one is sound"}`+strings.Repeat("\n{}", 1250))
	const maxListed = 1000
	if len(res.Rows) != maxListed+1 || res.UnlistedCount != 1250-maxListed || res.RefusedCount != 1250 || res.AddedCount != 1 {
		t.Errorf("%d listed, %d not; %s", len(res.Rows), res.UnlistedCount, counts(res))
	}
}

func TestImportOfItemsAndEntriesIsOneCommit(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	res := importedTo(t, b, "", `{"key":"build.tool","value":"make"}
{"text":"The parser is generated from grammar.y"}`)
	if len(res.Writes) != 1 || res.Writes[0].ItemCount != 1 || res.Writes[0].FileCount != 1 || res.AddedCount != 2 {
		t.Errorf("got %+v", res)
	}
	found, err := filepath.Glob(filepath.Join(b.Root, "memories/entries/project/facts/*.md"))
	if err != nil || len(found) != 1 {
		t.Error(found, err)
	}
	if _, err := os.Stat(filepath.Join(b.Root, "memories.md")); err != nil {
		t.Error(err)
	}
}

// TestImportThatIsInterrupted: nothing comes in.
func TestImportThatIsInterrupted(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	ctx, interrupt := context.WithCancel(t.Context())
	req := edit.ImportRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}, Name: "in.jsonl", Input: readAs(t, "in.jsonl", `{"text":"one is sound"}
{"text":"two is sound"}`)}
	req.Progress = func(done, _ int) {
		if done == 1 {
			interrupt()
		}
	}
	_, err := edit.Import(ctx, b.Open(), req)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if list, err := view.Entries(t.Context(), b.Open(), ""); err != nil || len(list) != 0 {
		t.Errorf("%d came in, %v", len(list), err)
	}
}
