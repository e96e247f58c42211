package patch

import (
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// Unknown are the block's fields that memctl does not know: beside saved_memory,
// in it, and in its settings.
type Unknown [3][]memfile.Field

func unknownPlaces(f *memfile.File) [3]*yamltext.Node {
	memory := f.Root().Field("saved_memory")
	return [3]*yamltext.Node{f.Root(), memory, memory.Field("settings")}
}

func knownNames(place int) []string {
	return [3][]string{{"saved_memory", "deletions"}, append(slices.Clone(memoryOrder), "deletions"), {"enabled", "announce_writes"}}[place]
}

// UnknownIn are the file's unknown fields.
func UnknownIn(f *memfile.File) Unknown {
	var x Unknown
	for i, n := range unknownPlaces(f) {
		if n == nil || n.Kind != yamltext.Map {
			continue
		}
		for _, e := range n.Entries {
			if !slices.Contains(knownNames(i), e.Key.Text) {
				x[i] = append(x[i], memfile.Field{Name: e.Key.Text, Value: memfile.ValueOf(e.Value)})
			}
		}
	}
	return x
}

// Differ reports whether the others are other fields.
func (x Unknown) Differ(y Unknown) bool {
	for i := range x {
		if !memfile.SameFields(x[i], y[i], memfile.SameRead) {
			return true
		}
	}
	return false
}

// SetUnknown changes the file's bytes so that it has these unknown fields.
func SetUnknown(f *memfile.File, want Unknown) ([]byte, error) {
	has := UnknownIn(f)
	if !has.Differ(want) {
		return f.Bytes(), nil
	}
	e := newEditor(f)
	for i, n := range unknownPlaces(f) {
		if memfile.SameFields(has[i], want[i], memfile.SameWritten) {
			continue
		}
		if n == nil || n.Kind != yamltext.Map || len(n.Entries) == 0 {
			settings := slices.Concat(memfile.SettingFields(e.doc.Settings), want[i])
			e.editFields(f.Root().Field("saved_memory"), memoryOrder, nil, []memfile.Field{{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: settings}}})
			continue
		}
		if len(has[i]) == len(n.Entries) && len(want[i]) == 0 {
			return nil, fmt.Errorf("%w: a map would be left empty", memfile.ErrUnwritable)
		}
		e.editFields(n, knownNames(i), has[i], want[i])
	}
	return e.apply()
}
