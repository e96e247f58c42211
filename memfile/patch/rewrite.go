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
	whole := slices.EqualFunc(e.doc.Items, items, func(has, want memfile.Item) bool { return len(lacking(has, want)) == 0 })
	if len(e.splices) == 0 && whole {
		return f, nil
	}
	if e.doc.Version > 1 {
		return nil, ErrNewer
	}
	out, err := e.apply()
	if err != nil {
		return nil, err
	}
	next, err := e.check(out, want)
	if err != nil {
		return nil, err
	}
	return addAllowances(next, want)
}

// check is checked, without regard to the order of deletions, which may stand
// in two lists.
func (e *editor) check(out []byte, want memfile.Document) (*memfile.File, error) {
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
	return got, nil
}

// rewriteHead changes version, updated and settings.
func (e *editor) rewriteHead(memory *yamltext.Node, want memfile.Document) {
	before, after := memfile.HeadFields(e.doc), memfile.HeadFields(want)
	had, has := memfile.SettingFields(e.doc.Settings), memfile.SettingFields(want.Settings)
	node := memory.Field("settings")
	if node != nil && node.Kind == yamltext.Map && len(node.Entries) > 0 {
		e.editFields(node, []string{"enabled", "announce_writes"}, had, has)
	} else if e.doc.Settings != want.Settings {
		after = append(after, memfile.Field{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: has}})
	}
	e.editFields(memory, memoryOrder, before, after)
}

// rewriteItems returns want's items in the order in which they will stand.
func (e *editor) rewriteItems(memory *yamltext.Node, want []memfile.Item) ([]memfile.Item, error) {
	old := e.doc.Items
	matched := make([]*memfile.Item, len(old))
	index := placeIndex(len(old), func(i int) (int, int) { return old[i].Line, old[i].Column })
	var fresh []memfile.Item
	for i := range want {
		it := &want[i]
		if it.Line == 0 {
			fresh = append(fresh, *it)
			continue
		}
		j, ok := index[[2]int{it.Line, it.Column}]
		if !ok || matched[j] != nil {
			return nil, fmt.Errorf("%w: line %d does not have exactly one item", memfile.ErrUnwritable, it.Line)
		}
		matched[j] = it
	}
	keep := make([]bool, len(old))
	for i, it := range matched {
		if keep[i] = it != nil; keep[i] {
			e.rewriteItem(memory.Field("items").Entries[i], old[i], *it)
		}
	}
	slices.SortStableFunc(fresh, func(a, b memfile.Item) int { return strings.Compare(a.Key, b.Key) })
	add := make([]addition, len(fresh))
	for i, it := range fresh {
		add[i] = placeItem(matched, it.Key)
		add[i].fields = memfile.ItemFields(it)
	}
	e.editList(memory, memoryOrder, "items", keep, add)
	return arrange(matched, fresh, add), nil
}

func placeIndex(n int, place func(i int) (line, col int)) map[[2]int]int {
	index := make(map[[2]int]int, n)
	for i := range n {
		line, col := place(i)
		index[[2]int{line, col}] = i
	}
	return index
}

func (e *editor) rewriteItem(entry yamltext.Entry, old, now memfile.Item) {
	was := memfile.ItemFields(old)
	if old.Source == memfile.SourceByHand && !labels.Same(old.Labels, now.Labels, 0) { // the file has fewer than reading gave it
		was = slices.DeleteFunc(was, func(f memfile.Field) bool { return entry.Value.Field(f.Name) == nil })
	}
	e.editFields(entry.Value, nil, was, memfile.ItemFields(now))
	if memfile.SameWritten(old.Value, now.Value) || len(old.Allow) == 0 {
		return
	}
	for _, s := range e.f.AllowSpots(entry) {
		start := e.src.LineStart(s.Start)
		if text := strings.TrimRight(e.src.Text[start:s.Start], " \t"); text != "" {
			e.replace(start+len(text), s.End, "")
		} else {
			e.replace(start, e.src.LineNext(s.End), "")
		}
	}
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

// arrange gives the items in the order in which editList makes them stand.
func arrange(kept []*memfile.Item, fresh []memfile.Item, add []addition) []memfile.Item {
	var list []memfile.Item
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
	matched := make([]*memfile.Tombstone, len(old))
	index := placeIndex(len(old), func(i int) (int, int) { return old[i].Line, old[i].Column })
	var add []addition
	for i := range want {
		t := &want[i]
		if t.Line == 0 {
			add = append(add, addition{behind: -1, before: -1, fields: memfile.TombstoneFields(*t)})
			continue
		}
		j, ok := index[[2]int{t.Line, t.Column}]
		if !ok || matched[j] != nil {
			return fmt.Errorf("%w: line %d does not have exactly one deletion", memfile.ErrUnwritable, t.Line)
		}
		matched[j] = t
	}
	at := 0
	edit := func(parent *yamltext.Node, order []string, add []addition) {
		list := parent.Field("deletions")
		var keep []bool
		if list != nil && list.Kind == yamltext.List {
			for _, entry := range list.Entries {
				t := matched[at]
				keep = append(keep, t != nil)
				if t != nil {
					e.editFields(entry.Value, nil, memfile.TombstoneFields(old[at]), memfile.TombstoneFields(*t))
				}
				at++
			}
		}
		e.editList(parent, order, "deletions", keep, add)
	}
	// The lists are visited in the order in which they were read.
	edit(e.f.Root(), nil, add)
	edit(memory, append(slices.Clone(memoryOrder), "deletions"), nil)
	return nil
}
