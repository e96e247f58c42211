package memfile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSchemaNamesWhatIsWritten holds the schema's fields to those that a
// written document has, both ways.
func TestSchemaNamesWhatIsWritten(t *testing.T) {
	rival := Rival{Value: Str("other"), Added: "2026-11-20", Source: "inferred", Confidence: Low, By: ByAutomatic, Signals: 2, Seen: "2026-11-21"}
	value := Str("old")
	src, err := New(Document{
		Version: 1,
		Updated: "2026-11-21",
		Items: []Item{{
			Key: "writing.tone", Value: Str("concise"), Added: "2026-11-01", Source: "explicit user preference", Confidence: Low,
			Tags: []string{TagNeedsConfirmation}, Updated: "2026-11-21", Seen: "2026-11-21", Signals: 2, Expires: "2027-01-31",
			Pinned: true, Locked: true, Paths: []string{"cmd/**"}, Commands: []string{"git push*"}, Ask: true, By: ByRelayed, Conflict: []Rival{rival},
		}},
		Deletions: []Tombstone{{Key: "old.habit", Value: &value, Removed: "2026-11-20", Reason: "no longer", Conflict: []Rival{rival}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := schemaFields(t), writtenFields(string(src)); !slices.Equal(got, want) {
		t.Errorf("the schema has\n%q\nand the document\n%q\nof\n%s", got, want, src)
	}
}

// schemaFields lists the names of all properties in the schema, sorted.
func schemaFields(t *testing.T) []string {
	t.Helper()
	var schema any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, part := range v {
				visit(part)
			}
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for name := range properties {
					names[name] = true
				}
			}
			for _, part := range v {
				visit(part)
			}
		}
	}
	visit(schema)
	return slices.Sorted(maps.Keys(names))
}

// writtenFields lists the names that stand before a colon, sorted.
func writtenFields(src string) []string {
	names := map[string]bool{}
	for line := range strings.Lines(src) {
		name, _, found := strings.Cut(strings.TrimLeft(line, " -"), ":")
		if found && !strings.Contains(name, " ") {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func TestSchemaIsACopy(t *testing.T) {
	Schema()[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("changing what Schema returned changed the schema")
	}
}
