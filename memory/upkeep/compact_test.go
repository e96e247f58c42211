package upkeep_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/upkeep"
)

// plainFact writes a fact as a person or another program would, under any id.
func plainFact(t *testing.T, b *memorytest.Bench, id, more, text string) {
	t.Helper()
	name := filepath.Join(b.Root, "memories/entries/project/facts", id+".md")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	src := "---\nid: \"" + id + "\"\nrole: memory\nconversation_id: \"project\"\ncreated_at: \"2026-01-01T00:00:00.000Z\"\n" + more + "---\n\n" + text + "\n"
	if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
}

func compacted(t *testing.T, b *memorytest.Bench, kind string, apply bool) upkeep.CompactScope {
	t.Helper()
	res, err := upkeep.Compact(t.Context(), b.Open(), upkeep.CompactRequest{Options: memory.Options{Scope: store.Project, Origin: memory.Origin{Kind: kind}}, Apply: apply})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Scopes) != 1 {
		t.Fatalf("scopes %+v", res.Scopes)
	}
	return res.Scopes[0]
}

func TestCompactKeepsTheBestOfDuplicates(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	const text = "Deploys run from the small red laptop"
	plainFact(t, b, "a1", "confidence: low\nby: automatic\ntags: [ops]\n", text)
	plainFact(t, b, "a2", "confidence: high\ntags: [deploy]\n", text)
	plainFact(t, b, "a3", "confidence: low\nby: automatic\npinned: true\n", text+" only")
	plainFact(t, b, "a4", "confidence: low\nby: automatic\ncategory: decision\n", text)
	s := compacted(t, b, memory.Explicit, true)
	if s.Moved != 1 || s.Changes[0].ID != "a1" || s.Changes[0].Into != "a4" || s.Commit == nil {
		t.Fatalf("got %+v", s)
	}
	list, err := view.Entries(t.Context(), b.Open(), store.Project)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	src, err := os.ReadFile(filepath.Join(b.Root, "memories/entries/deleted/project/facts/a1.md"))
	if err != nil || !strings.Contains(string(src), "replaced_by: \"a4\"") || !strings.Contains(string(src), "deleted_at:") {
		t.Errorf("%s %v", src, err)
	}
}

func TestCompactNeverLetsAnAgentsFactStandForAPersons(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	plainFact(t, b, "a1", "confidence: low\n", "The API uses cursor pagination everywhere")
	plainFact(t, b, "a2", "confidence: high\nby: automatic\npinned: true\n", "The API uses cursor pagination everywhere")
	if s := compacted(t, b, memory.Explicit, false); s.Moved != 0 {
		t.Errorf("got %+v", s.Changes)
	}
}

func TestOnlyAPersonCompacts(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	for _, kind := range []string{memory.Relayed, memory.Automatic} {
		_, err := upkeep.Compact(t.Context(), b.Open(), upkeep.CompactRequest{Options: memory.Options{Origin: memory.Origin{Kind: kind}}, Apply: true})
		if e, ok := err.(*fault.Error); !ok || e.Code != "explicit-only" {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := upkeep.Compact(t.Context(), b.Open(), upkeep.CompactRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}, Only: []string{"everything"}}); err == nil {
		t.Error("a kind that is none was taken")
	}
}

// TestCompactDoesOnlyWhatWasAgreedTo adds a duplicate between the question and the answer.
func TestCompactDoesOnlyWhatWasAgreedTo(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	const text = "Deploys run from the small red laptop"
	plainFact(t, b, "a1", "confidence: low\n", text)
	plainFact(t, b, "a2", "confidence: high\n", text)
	seen := compacted(t, b, memory.Explicit, false)
	req := upkeep.CompactRequest{Options: memory.Options{Scope: store.Project, Origin: memory.Origin{Kind: memory.Explicit}}, Apply: true, Agreed: []upkeep.CompactScope{seen}}
	plainFact(t, b, "a3", "confidence: low\n", text)
	if res, err := upkeep.Compact(t.Context(), b.Open(), req); err == nil {
		t.Errorf("another plan than the one that was agreed to: %+v", res)
	}
	if s := compacted(t, b, memory.Explicit, false); seen.Moved != 1 || s.Moved != 2 {
		t.Errorf("%d were to go, then %d", seen.Moved, s.Moved)
	}
	req.Agreed[0] = compacted(t, b, memory.Explicit, false)
	if res, err := upkeep.Compact(t.Context(), b.Open(), req); err != nil || res.Scopes[0].Moved != 2 || res.Scopes[0].Commit == nil {
		t.Errorf("%+v, %v", res, err)
	}
}
