package labels

import (
	"reflect"
	"strings"
	"testing"
)

func TestFieldsListEachLabel(t *testing.T) {
	var l Labels
	kind := reflect.TypeFor[Labels]()
	if got := len(l.Fields()); got != kind.NumField() {
		t.Errorf("%d fields, want %d", got, kind.NumField())
	}
	for i, f := range l.Fields() {
		field := kind.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if f.Name != name || f.At != reflect.ValueOf(&l).Elem().Field(i).Addr().Interface() {
			t.Errorf("%s: listed under the name %q, or with another place", field.Name, f.Name)
		}
	}
}

func TestCloneSharesNoList(t *testing.T) {
	var l Labels
	lists := 0
	for _, f := range l.Fields() {
		if at, ok := f.At.(*[]string); ok {
			*at = []string{"before"}
			lists++
		}
	}
	clone := l.Clone()
	for _, f := range l.Fields() {
		if at, ok := f.At.(*[]string); ok {
			(*at)[0] = "after"
		}
	}
	for _, f := range clone.Fields() {
		if at, ok := f.At.(*[]string); ok && (len(*at) != 1 || (*at)[0] != "before") {
			t.Errorf("%s is shared", f.Name)
		}
	}
	if lists == 0 {
		t.Error("there is no list to check")
	}
}
