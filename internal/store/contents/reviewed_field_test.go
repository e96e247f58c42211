package contents

import (
	"reflect"
	"testing"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// TestReviewNoticesEveryField changes one field of an item after the other: what a person
// reviewed or wrote does not vouch for an item that reads otherwise.
func TestReviewNoticesEveryField(t *testing.T) {
	passes := map[string]string{
		"Added": "says when", "Updated": "says when", "Seen": "says when", "Signals": "counts", "Source": "says where from", "By": "says where from",
		"Extra": "no agent gets it", "Allow": "a comment for the policy", "Line": "a place", "Column": "a place",
		"Conflict": "other values, none of which stands", "Tags": "only needs-confirmation counts",
	}
	was := memfile.Item{Key: "a.b", Value: memfile.Str("x"), Labels: labels.Labels{Confidence: memfile.High}}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[memfile.Item]()) {
		if field.Anonymous {
			continue
		}
		name, it := field.Name, was
		f := reflect.ValueOf(&it).Elem().FieldByIndex(field.Index)
		switch v := f.Addr().Interface().(type) {
		case *string:
			*v = "medium"
		case *bool:
			*v = true
		case *int:
			*v = 7
		case *[]string:
			*v = []string{"src/**"}
		case *memfile.Value:
			*v = memfile.Str("y")
		default:
			if passes[name] == "" {
				t.Fatalf("%s has a type that this test does not know", name)
			}
			continue
		}
		changed := writtenDigest(it) != writtenDigest(was)
		if changed == (passes[name] != "") {
			t.Errorf("%s: the digest changes: %v; it says: %q", name, changed, passes[name])
		}
	}
}
