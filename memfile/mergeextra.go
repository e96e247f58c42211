package memfile

import (
	"fmt"
	"slices"

	"github.com/memctl/memctl/internal/yamltext"
)

// extras are the block's fields that memctl does not know: beside saved_memory,
// in it, and in its settings.
type extras [3][]Field

func (f *File) extraNodes() [3]*yamltext.Node {
	memory := f.root.Field("saved_memory")
	return [3]*yamltext.Node{f.root, memory, memory.Field("settings")}
}

func knownNames(place int) []string {
	return [3][]string{{"saved_memory", "deletions"}, append(slices.Clone(memoryOrder), "deletions"), {"enabled", "announce_writes"}}[place]
}

func (f *File) extras() extras {
	var x extras
	for i, n := range f.extraNodes() {
		if n == nil || n.Kind != yamltext.Map {
			continue
		}
		for _, e := range n.Entries {
			if !slices.Contains(knownNames(i), e.Key.Text) {
				x[i] = append(x[i], Field{e.Key.Text, valueOf(e.Value)})
			}
		}
	}
	return x
}

func (x extras) differ(y extras) bool {
	for i := range x {
		if !sameFields(x[i], y[i], sameRead) {
			return true
		}
	}
	return false
}

func (m *merging) mergeExtras(d *docMerge) extras {
	var base, out extras
	if m.base != nil {
		base = m.base.extras()
	}
	ours, theirs := m.ours.extras(), m.theirs.extras()
	for i := range out {
		out[i] = d.mergeFields(base[i], ours[i], theirs[i], false)
	}
	return out
}

// setExtras changes the file's bytes so that it has these unknown fields.
func (f *File) setExtras(want extras) ([]byte, error) {
	has := f.extras()
	if !has.differ(want) {
		return f.Bytes(), nil
	}
	e := newEditor(f)
	for i, n := range f.extraNodes() {
		if sameFields(has[i], want[i], sameWritten) {
			continue
		}
		if n == nil || n.Kind != yamltext.Map || len(n.Entries) == 0 {
			settings := slices.Concat(settingFields(f.doc.Settings), want[i])
			e.editFields(f.root.Field("saved_memory"), memoryOrder, nil, []Field{{"settings", Value{Kind: Map, Map: settings}}})
			continue
		}
		if len(has[i]) == len(n.Entries) && len(want[i]) == 0 {
			return nil, fmt.Errorf("%w: a map would be left empty", ErrUnwritable)
		}
		e.editFields(n, knownNames(i), has[i], want[i])
	}
	return e.apply()
}
