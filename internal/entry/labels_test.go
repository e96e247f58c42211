package entry

import (
	"errors"
	"reflect"
	"testing"

	"github.com/memctl/memctl/internal/labels"
)

// Each label either comes back from the file, or the entry is not written.
func TestEntryKeepsOrRefusesEachLabel(t *testing.T) {
	forms := map[string]string{"Seen": "2026-01-02", "Expires": "2026-01-02", "Confidence": "low", "By": "relayed"}
	refused := map[string]bool{"Paths": true}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[labels.Labels]()) {
		e := Entry{ID: "a", Role: RoleFact, Created: "2026-01-02T03:04:05Z", Text: "x"}
		plain, err := Print(e)
		if err != nil {
			t.Fatal(err)
		}
		switch v := reflect.ValueOf(&e.Labels).Elem().FieldByIndex(field.Index).Addr().Interface().(type) {
		case *string:
			if *v = forms[field.Name]; *v == "" {
				*v = "a text"
			}
		case *bool:
			*v = true
		case *int:
			*v = 7
		case *[]string:
			*v = []string{"one", "two"}
		default:
			t.Fatalf("%s has a type that this test does not know", field.Name)
		}
		f, _ := Parse("", plain)
		rewritten, again := f.Rewrite(e)
		src, err := Print(e)
		if refused[field.Name] {
			if !errors.Is(err, ErrUnwritable) || !errors.Is(again, ErrUnwritable) {
				t.Errorf("%s: New gives %v and Rewrite %v, want ErrUnwritable", field.Name, err, again)
			}
			continue
		}
		for _, src := range [][]byte{src, rewritten} {
			if got := ParseOrNil("", src); got == nil || !reflect.DeepEqual(got.Labels, e.Labels) {
				t.Errorf("%s: read back as %+v", field.Name, got)
			}
		}
	}
}
