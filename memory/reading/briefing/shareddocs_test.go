package briefing_test

import (
	"context"
	"slices"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// TestWhatExpiresIsSharedWithItsDay: the server leaves it out from then on. What one agent of a team concluded by itself is not shared.
func TestWhatExpiresIsSharedWithItsDay(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	rememberAll(t, dir, "the staging host is blue")
	ss := storesAt(t, dir, nil)
	options := memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}
	if _, err := edit.Add(ctx, ss, edit.Request{Options: options, Text: "the freeze ends on Friday", Role: "memory", Labels: labels.Labels{Expires: "2026-11-27"}}); err != nil {
		t.Fatal(err)
	}
	ss = storesAt(t, dir, map[string]string{"MEMCTL_CONTEXT_AGENT": "worker1"})
	if _, err := edit.Add(ctx, ss, edit.Request{Options: memory.Options{Origin: memory.Origin{Kind: memory.Automatic}}, Text: "the parser fixtures are golden files", Role: "memory"}); err != nil {
		t.Fatal(err)
	}
	ss = storesAt(t, dir, nil)
	stores, err := memory.StoresOf(ctx, ss, "")
	if err != nil || len(stores) != 1 {
		t.Fatal(stores, err)
	}
	lib, err := briefing.Library(ctx, ss, stores[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	docs, err := briefing.SharedDocs(ctx, stores[0], lib)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for d, err := range docs {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, d.Text+" until "+d.Expires)
	}
	slices.Sort(texts)
	if want := []string{"the freeze ends on Friday until 2026-11-27", "the staging host is blue until "}; !slices.Equal(texts, want) {
		t.Errorf("%q of %d docs, want %q", texts, lib.Len(), want)
	}
}
