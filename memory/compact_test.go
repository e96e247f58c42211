package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store"
)

func TestNearDuplicatesSayTheSame(t *testing.T) {
	for _, tt := range []struct {
		name, short, long string
		want              bool
	}{
		{"a word more", "The API uses cursor pagination", "The API uses cursor based pagination", true},
		{"an article more", "use tabs for the indentation of code", "Use tabs for indentation of code.", true},
		{"a negation", "The API uses cursor pagination everywhere", "The API never uses cursor pagination everywhere", false},
		{"a condition", "run the slow tests every time", "run the slow tests every time unless offline", false},
		{"a number", "the server listens on port", "the server listens on port 8080", false},
		{"another word", "we prefer the light theme in editors", "we prefer the dark theme in editors", false},
		{"another order", "billing calls orders over grpc", "orders calls billing over grpc", false},
		{"far more", "use tabs for indentation", "use tabs for indentation of Go and spaces for everything else", false},
		{"a sign", "the lab is kept at 5 degrees", "the lab is kept at -5 degrees", false},
		{"a decimal", "the server costs 1/5 euros an hour", "the server costs 1.5 euros an hour", false},
		{"a comparison", "alert where latency > 5 ms in prod", "alert where latency < 5 ms in prod", false},
		{"a date", "release 1.4 was cut on 2026-05-01 in Oslo", "release 1.4 was cut on 2026-05-02 in Oslo", false},
		{"a version", "the api is at v1 on the gateway", "the api is at v2 on the gateway", false},
		{"the same numbers", "release 1.4 was cut on 2026-05-01 in Oslo", "release 1.4 was cut in full on 2026-05-01 in Oslo.", true},
		{"a weekday", "the team moved billing to Postgres", "the team moved billing to Postgres Monday", false},
		{"a negation in another language", "Nutze Tabs im Makefile des Projekts", "Nutze Tabs nicht im Makefile des Projekts", false},
		{"few words", "use tabs", "use tabs everywhere", false},
	} {
		if got := saysAll(wordingOf(tt.short), wordingOf(tt.long), limiting()); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// plainFact writes a fact as a person or another program would, under any id.
func plainFact(t *testing.T, b *bench, id, more, text string) {
	t.Helper()
	name := filepath.Join(b.root, "memories/entries/project/facts", id+".md")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	src := "---\nid: \"" + id + "\"\nrole: memory\nconversation_id: \"project\"\ncreated_at: \"2026-01-01T00:00:00.000Z\"\n" + more + "---\n\n" + text + "\n"
	if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
}

func compacted(t *testing.T, b *bench, kind string, apply bool) CompactScope {
	t.Helper()
	res, err := Compact(t.Context(), b.open(), CompactRequest{Options: Options{Scope: store.Project, Origin: Origin{Kind: kind}}, Apply: apply})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Scopes) != 1 {
		t.Fatalf("scopes %+v", res.Scopes)
	}
	return res.Scopes[0]
}

func TestCompactKeepsTheBestOfDuplicates(t *testing.T) {
	b := repository(t, memfile.Template)
	const text = "Deploys run from the small red laptop"
	plainFact(t, b, "a1", "confidence: low\nby: automatic\ntags: [ops]\n", text)
	plainFact(t, b, "a2", "confidence: high\ntags: [deploy]\n", text)
	plainFact(t, b, "a3", "confidence: low\nby: automatic\npinned: true\n", text+" only")
	plainFact(t, b, "a4", "confidence: low\nby: automatic\ncategory: decision\n", text)
	s := compacted(t, b, Explicit, true)
	if s.Moved != 1 || s.Changes[0].ID != "a1" || s.Changes[0].Into != "a4" || s.Commit == nil {
		t.Fatalf("got %+v", s)
	}
	list, err := Entries(t.Context(), b.open(), store.Project)
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	src, err := os.ReadFile(filepath.Join(b.root, "memories/entries/deleted/project/facts/a1.md"))
	if err != nil || !strings.Contains(string(src), "replaced_by: \"a4\"") || !strings.Contains(string(src), "deleted_at:") {
		t.Errorf("%s %v", src, err)
	}
}

func TestCompactNeverLetsAnAgentsFactStandForAPersons(t *testing.T) {
	b := repository(t, memfile.Template)
	plainFact(t, b, "a1", "confidence: high\n", "The API uses cursor pagination everywhere")
	plainFact(t, b, "a2", "confidence: medium\nby: automatic\n", "The API uses cursor based pagination everywhere")
	if s := compacted(t, b, Explicit, false); s.Moved != 0 {
		t.Errorf("got %+v", s.Changes)
	}
	plainFact(t, b, "a2", "confidence: high\ntopics: [api]\n", "The API uses cursor based pagination everywhere")
	plainFact(t, b, "a1", "confidence: low\nby: automatic\ntags: [http]\n", "The API uses cursor pagination everywhere")
	if s := compacted(t, b, Explicit, true); s.Moved != 1 || s.Changes[0].Kind != kindNear || s.Dropped != 1 {
		t.Errorf("got %+v", s)
	}
	src, err := os.ReadFile(filepath.Join(b.root, "memories/entries/project/facts/a2.md"))
	if f, _ := entry.Parse("a2.md", src); err != nil || f == nil || strings.Join(f.Entry().Tags, " ") != "http" {
		t.Errorf("%s %v", src, err)
	}
}

func TestOnlyAPersonCompacts(t *testing.T) {
	b := repository(t, memfile.Template)
	for _, kind := range []string{Relayed, Automatic} {
		_, err := Compact(t.Context(), b.open(), CompactRequest{Options: Options{Origin: Origin{Kind: kind}}, Apply: true})
		if e, ok := err.(*Error); !ok || e.Code != ruleExplicitOnly {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := Compact(t.Context(), b.open(), CompactRequest{Options: Options{Origin: Origin{Kind: Explicit}}, Only: []string{"everything"}}); err == nil {
		t.Error("a kind that is none was taken")
	}
}
