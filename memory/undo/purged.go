package undo

import (
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// leaveHoles leaves out of what is taken back the items and the entries whose value
// was purged, each with its tombstone, so that the rest of their act can come back; an
// act of nothing else stays whole, to be refused. It gives the names of what is left out.
func (u *undoing) leaveHoles() []string {
	var names []string
	hole := func(d memfile.Delta) bool { return d.Before != nil && memory.NotPurged(d.Before.Value) != nil }
	for _, d := range u.deltas {
		if hole(d) {
			names = append(names, d.Key)
		}
	}
	deltas := slices.DeleteFunc(slices.Clone(u.deltas), func(d memfile.Delta) bool {
		return slices.Contains(names, d.Key) || d.TombAfter != nil && purgedTombstone(*d.TombAfter)
	})
	files := slices.DeleteFunc(slices.Clone(u.files), func(c store.FileChange) bool {
		return slices.ContainsFunc([][]byte{c.Before, c.After}, func(src []byte) bool {
			e := entry.In(c.Path, src)
			return e != nil && policy.OnlyGone(memfile.Str(e.Text))
		})
	})
	for _, name := range entryNames(u.files) {
		if !slices.Contains(entryNames(files), name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(deltas)+len(files) == 0 {
		return nil
	}
	u.deltas, u.files = deltas, files
	return names
}

// purgedTombstone reports whether a tombstone is that of a text which was purged.
func purgedTombstone(t memfile.Tombstone) bool {
	return contents.OfPurged(t.Key) || t.Value != nil && policy.OnlyGone(*t.Value)
}
