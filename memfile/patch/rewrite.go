// Package patch changes a memory file: it rewrites the lines that must change, keeps the
// other bytes, and proves that the result is read back as it was meant.
//
// It is pure: bytes in, bytes out.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// ErrNewer says that the file was made by a newer memctl, and is only read.
var ErrNewer = errors.New("the file has a newer version, so this memctl does not write it")

// memoryOrder is the order in which fields are written.
var memoryOrder = []string{"version", "updated", "settings", "items"}

// Rewrite returns the file's bytes changed so that the block says want. Items
// and tombstones are matched by Line and Column (which Document() set; a Line
// of 0 is new); fields that do not differ stay byte for byte, as does every
// line that the change does not name: comments, order, quoting, blank lines,
// flow style, CRLF, BOM, a missing final newline, prose. New items go in key
// order among keys that are in order; new tombstones are appended. A comment
// directly above an entry, and comments below it that are set in deeper than
// its dash, go with it when it is removed. An item whose value changes loses
// its allowance comments; one that lacks an allowance for its value gets it.
// The order of want's items is ignored for items that stand in the file.
//
// The result is parsed again and compared with want: a difference is an
// ErrUnwritable and nothing is returned. Equal documents give equal bytes. A
// file of a newer version gives ErrNewer unless nothing changes.
func Rewrite(f *memfile.File, want memfile.Document) ([]byte, error) {
	next, err := Rewritten(f, want)
	if err != nil {
		return nil, err
	}
	return next.Bytes(), nil
}

// Rewritten is Rewrite that gives the new file as it was parsed again.
func Rewritten(f *memfile.File, want memfile.Document) (*memfile.File, error) {
	e := newEditor(f)
	if want.Version == 0 {
		want.Version = e.doc.Version
	}
	if memfile.Difference(e.doc, want) != "" {
		if err := e.writable(); err != nil {
			return nil, err
		}
	}
	memory := f.Root().Field("saved_memory")
	items, err := e.rewriteItems(memory, want.Items)
	if err != nil {
		return nil, err
	}
	if err := e.rewriteDeletions(memory, want.Deletions); err != nil {
		return nil, err
	}
	e.rewriteHead(memory, want)
	want.Items = items
	if len(e.splices) == 0 {
		return f, nil
	}
	return e.finish(want)
}

// writable is the error of a file of a newer version, or whose block is one map in braces.
func (e *editor) writable() error {
	root := e.f.Root()
	switch {
	case e.doc.Version > 1:
		return ErrNewer
	case root.Style == yamltext.Flow || root.Field("saved_memory").Style == yamltext.Flow:
		return &fault.Error{Code: fault.Damaged, Thing: e.f.Name(), Err: memfile.ErrUnwritable, Hints: []string{"memctl validate"},
			Cause: "its block stands in braces, which memctl reads but does not change; write saved_memory and its fields on lines of their own"}
	}
	return nil
}

// finish applies the changes, and checks that the file says what is wanted, without regard to
// the order of deletions, which may stand in two lists.
func (e *editor) finish(want memfile.Document) (*memfile.File, error) {
	if err := e.writable(); err != nil {
		return nil, err
	}
	out, err := e.apply()
	if err != nil {
		return nil, err
	}
	got, problems := memfile.Parse(e.f.Name(), out)
	if got == nil {
		return nil, memfile.DamageError(problems)
	}
	sorted := func(d memfile.Document) memfile.Document {
		d.Deletions = slices.Clone(d.Deletions)
		slices.SortFunc(d.Deletions, func(a, b memfile.Tombstone) int {
			return strings.Compare(memfile.TombstoneText(a), memfile.TombstoneText(b))
		})
		return d
	}
	now := got.Document()
	if where := memfile.Difference(sorted(now), sorted(want)); where != "" {
		return nil, fmt.Errorf("%w: %s", memfile.ErrUnwritable, where)
	}
	for i, it := range want.Items {
		if len(lacking(now.Items[i], it)) > 0 {
			return nil, fmt.Errorf("%w: allowance", memfile.ErrUnwritable)
		}
	}
	return got, nil
}

// rewriteHead changes version, updated and settings.
func (e *editor) rewriteHead(memory *yamltext.Node, want memfile.Document) {
	before, after := append(memfile.HeadFields(e.doc), e.doc.Unknown[1]...), append(memfile.HeadFields(want), want.Unknown[1]...)
	had, has := append(memfile.SettingFields(e.doc.Settings), e.doc.Unknown[2]...), append(memfile.SettingFields(want.Settings), want.Unknown[2]...)
	node := memory.Field("settings")
	if node != nil && node.Kind == yamltext.Map && node.Style == yamltext.Block {
		e.editFields(node, []string{"enabled", "announce_writes"}, had, has)
	} else if !memfile.SameFields(had, has, memfile.SameWritten) {
		after = append(after, memfile.Field{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: has}})
	}
	e.editFields(memory, memoryOrder, before, after)
	e.editFields(e.f.Root(), []string{"saved_memory", "deletions"}, e.doc.Unknown[0], want.Unknown[0])
}

// matched finds for each entry of the file the wanted one, nil for one that goes; fresh are the
// wanted ones that are new.
func matched[T any](old, want []T, what string, place func(T) [2]int) (list []*T, fresh []T, err error) {
	list = make([]*T, len(old))
	index := make(map[[2]int]int, len(old))
	for i, x := range old {
		index[place(x)] = i
	}
	for i, x := range want {
		at := place(x)
		if at[0] == 0 {
			fresh = append(fresh, x)
			continue
		}
		j, ok := index[at]
		if !ok || list[j] != nil {
			return nil, nil, fmt.Errorf("%w: line %d does not have exactly one %s", memfile.ErrUnwritable, at[0], what)
		}
		list[j] = &want[i]
	}
	return list, fresh, nil
}

// rewriteItems returns want's items in the order in which they will stand.
func (e *editor) rewriteItems(memory *yamltext.Node, want []memfile.Item) ([]memfile.Item, error) {
	old := e.doc.Items
	kept, fresh, err := matched(old, want, "item", func(it memfile.Item) [2]int { return [2]int{it.Line, it.Column} })
	if err != nil {
		return nil, err
	}
	slots := make([]slot, len(old))
	for i, it := range kept {
		slots[i].was = memfile.ItemFields(old[i])
		if it == nil {
			continue
		}
		slots[i].now, slots[i].allow = memfile.ItemFields(*it), lacking(old[i], *it)
		if old[i].Source == memfile.SourceByHand { // the file has fewer labels than reading gave it
			entry, same := memory.Field("items").Entries[i].Value, labels.Same(old[i].Labels, it.Labels, 0)
			slots[i].was = slices.DeleteFunc(slots[i].was, func(f memfile.Field) bool {
				if entry.Field(f.Name) != nil {
					return false
				}
				if j := fieldAt(slots[i].now, f.Name); same && j >= 0 {
					slots[i].now = slices.Delete(slots[i].now, j, j+1)
				}
				return true
			})
		}
		slots[i].drop = len(old[i].Allow) > 0 && !memfile.SameWritten(old[i].Value, it.Value)
	}
	slices.SortStableFunc(fresh, func(a, b memfile.Item) int { return strings.Compare(a.Key, b.Key) })
	add := make([]addition, len(fresh))
	for i, it := range fresh {
		add[i] = placeItem(kept, it.Key)
		add[i].fields, add[i].allow = memfile.ItemFields(it), lacking(memfile.Item{}, it)
	}
	e.editList(memory, memoryOrder, "items", slots, add)
	return arrange(kept, fresh, add), nil
}

// placeItem finds a new item's place: behind the item with the greatest key
// that is not above its own, else before the item with the smallest key. In a
// list that is in order this keeps the order; in any other it stands beside a
// neighbour.
func placeItem(kept []*memfile.Item, key string) addition {
	a := addition{behind: -1, before: -1}
	for i, it := range kept {
		if it != nil && it.Key <= key && (a.behind < 0 || it.Key >= kept[a.behind].Key) {
			a.behind = i
		}
	}
	if a.behind >= 0 {
		return a
	}
	for i, it := range kept {
		if it != nil && (a.before < 0 || it.Key < kept[a.before].Key) {
			a.before = i
		}
	}
	return a
}

// arrange gives entries in the order in which editList makes them stand.
func arrange[T any](kept []*T, fresh []T, add []addition) (list []T) {
	for i, it := range kept {
		for j, a := range add {
			if a.before == i {
				list = append(list, fresh[j])
			}
		}
		if it != nil {
			list = append(list, *it)
		}
		for j, a := range add {
			if a.behind == i {
				list = append(list, fresh[j])
			}
		}
	}
	for j, a := range add {
		if a.before < 0 && a.behind < 0 {
			list = append(list, fresh[j])
		}
	}
	return list
}

// rewriteDeletions changes both lists of deletions, the one inside saved_memory
// too; what is new goes to the right one.
func (e *editor) rewriteDeletions(memory *yamltext.Node, want []memfile.Tombstone) error {
	old := e.doc.Deletions
	kept, fresh, err := matched(old, want, "deletion", func(t memfile.Tombstone) [2]int { return [2]int{t.Line, t.Column} })
	if err != nil {
		return err
	}
	slots := make([]slot, len(old))
	for i, t := range kept {
		slots[i].was = memfile.TombstoneFields(old[i])
		if t != nil {
			slots[i].now = memfile.TombstoneFields(*t)
		}
	}
	var add []addition
	for _, t := range fresh {
		add = append(add, addition{behind: -1, before: -1, fields: memfile.TombstoneFields(t)})
	}
	e.editDeletions(slots, add)
	return nil
}

func (e *editor) editDeletions(slots []slot, add []addition) {
	inMemory := append(slices.Clone(memoryOrder), "deletions")
	for _, list := range []struct { // in the order in which they were read
		parent *yamltext.Node
		order  []string
		add    []addition
	}{{e.f.Root(), nil, add}, {e.f.Root().Field("saved_memory"), inMemory, nil}} {
		n := 0
		if node := list.parent.Field("deletions"); node != nil {
			n = len(node.Entries)
		}
		e.editList(list.parent, list.order, "deletions", slots[:n], list.add)
		slots = slots[n:]
	}
}
