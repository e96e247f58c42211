package memfile

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/labels"
)

// TestSchemaNamesWhatIsWritten holds the schema's fields to those that a
// written document has, both ways.
func TestSchemaNamesWhatIsWritten(t *testing.T) {
	rival := Rival{Value: Str("other"), Added: "2026-11-20", Labels: labels.Labels{Source: "inferred", Confidence: Low, By: ByAutomatic, Signals: 2, Seen: "2026-11-21"}}
	value := Str("old")
	src, err := New(Document{
		Version: 1,
		Updated: "2026-11-21",
		Items: []Item{{
			Key: "writing.tone", Value: Str("concise"), Added: "2026-11-01", Labels: labels.Labels{Source: "explicit user preference", Confidence: Low, Tags: []string{TagNeedsConfirmation}, Seen: "2026-11-21", Signals: 2, Expires: "2027-01-31", Pinned: true, Locked: true, Paths: []string{"cmd/**"}, Commands: []string{"git push*"}, When: []string{"deploy key"}, Ask: true, By: ByRelayed}, Updated: "2026-11-21", Conflict: []Rival{rival},
		}},
		Deletions: []Tombstone{{Key: "old.habit", Value: &value, Removed: "2026-11-20", Reason: "no longer", Hashes: []string{"2:a:b"}, Conflict: []Rival{rival}}},
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

// TestSchemaTakesKeysOfTheForm holds the pattern to the form of keys, as far as a pattern can
// tell: it knows no capitals but those of ASCII.
func TestSchemaTakesKeysOfTheForm(t *testing.T) {
	var schema struct {
		Defs struct {
			Key struct{ Pattern string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(schema.Defs.Key.Pattern)
	for _, key := range []string{
		"writing.tone", "a1.b-c_d.9", "größe.max", "提交.用英文", "हिंदी.नियम",
		"tone", "Writing.tone", "1.a", "a..b", "a.b-", "a.-b", "a b.c", "a/b.c", "日本", "",
	} {
		if got := pattern.MatchString(key); got != KeyForm(key) {
			t.Errorf("%q: the schema says %v, and KeyForm %v", key, got, KeyForm(key))
		}
	}
}
