// Package patch changes a memory file: it prints what changes anew, keeps all other bytes, and
// proves that the result is read back as it was meant.
//
// It is pure: bytes in, bytes out.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// ErrNewer says that the file was made by a newer memctl, and is only read.
var ErrNewer = errors.New("the file has a newer version, so this memctl does not write it")

// memoryOrder is the order in which fields are written.
var memoryOrder = []string{"version", "updated", "settings", "items", "deletions"}

// Rewrite returns the file's bytes changed so that the block says want. Items and tombstones are
// matched by Line and Column (which Document() set; a Line of 0 is new). One that differs is
// printed anew: its fields in memctl's order, with its comments and with the lines of fields that
// say the same. Every line that the change does not name stays byte for byte: comments, order, quoting, blank lines, flow style, CRLF, BOM, a missing final newline, prose.
// New items go in key order among keys that are in order; new tombstones are appended. A comment
// directly above an entry, and comments below it that are set in deeper than its dash, go with it
// when it is removed. An item whose value changes loses its allowance comments; one that lacks an
// allowance for its value gets it. The order of want's items is ignored for items that are in the file.
//
// The result is parsed again and compared with want: a difference is an ErrUnwritable and nothing
// is returned. Equal documents give equal bytes. A file of a newer version gives ErrNewer unless
// nothing changes.
func Rewrite(f *memfile.File, want memfile.Document) ([]byte, error) {
	next, err := Rewritten(f, want)
	if err != nil {
		return nil, err
	}
	return next.Bytes(), nil
}

// Rewritten is Rewrite that gives the new file as it was parsed again.
func Rewritten(f *memfile.File, want memfile.Document) (*memfile.File, error) {
	return newEditor(f).fileFor(want)
}

func (e *editor) fileFor(want memfile.Document) (*memfile.File, error) {
	if want.Version == 0 {
		want.Version = e.doc.Version
	}
	if err := e.writable(); err != nil {
		if memfile.FirstDifference(e.doc, want) == "" {
			return e.f, nil
		}
		return nil, err
	}
	memory := e.f.Root().Field("saved_memory")
	items, order, err := itemCells(e.doc.Items, want.Items)
	if err != nil {
		return nil, err
	}
	tombs, err := tombstoneCells(e.doc.Deletions, want.Deletions)
	if err != nil {
		return nil, err
	}
	want.Items = order
	e.list(memory, memoryOrder, "items", items)
	n := 0 // deletions of the file are in up to two lists, and new ones go to the first
	if inMemory := memory.Field("deletions"); inMemory != nil {
		n = len(inMemory.Entries)
	}
	old := len(e.doc.Deletions)
	e.list(e.f.Root(), nil, "deletions", slices.Concat(tombs[:old-n], tombs[old:]))
	e.list(memory, memoryOrder, "deletions", tombs[old-n:old])
	e.head(memory, want)
	if len(e.splices) == 0 {
		return e.f, nil
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

// head changes version, updated, settings and unknown fields.
func (e *editor) head(memory *yamltext.Node, want memfile.Document) {
	before, after := append(memfile.HeadFields(e.doc), e.doc.Unknown[1]...), append(memfile.HeadFields(want), want.Unknown[1]...)
	had, has := append(memfile.SettingFields(e.doc.Settings), e.doc.Unknown[2]...), append(memfile.SettingFields(want.Settings), want.Unknown[2]...)
	node := memory.Field("settings")
	if node != nil && node.Kind == yamltext.Map && node.Style == yamltext.Block {
		e.fields(node, []string{"enabled", "announce_writes"}, had, has)
	} else if !memfile.SameFields(had, has, memfile.SameWritten) {
		after = append(after, memfile.Field{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: has}})
	}
	e.fields(memory, memoryOrder, before, after)
	e.fields(e.f.Root(), []string{"saved_memory", "deletions"}, e.doc.Unknown[0], want.Unknown[0])
}

// finish applies the changes, and checks that the file says what is wanted, without regard to
// the order of deletions, which may be in two lists.
func (e *editor) finish(want memfile.Document) (*memfile.File, error) {
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
	if where := memfile.FirstDifference(sorted(now), sorted(want)); where != "" {
		return nil, fmt.Errorf("%w: %s", memfile.ErrUnwritable, where)
	}
	for i, it := range want.Items {
		if len(lacking(now.Items[i], it)) > 0 {
			return nil, fmt.Errorf("%w: allowance", memfile.ErrUnwritable)
		}
	}
	return got, nil
}

// lacking are the allowances that an item should have and has not, less those
// for another value than its own, which count for nothing.
func lacking(has, want memfile.Item) []memfile.Allowance {
	if len(want.Allow) == 0 {
		return nil
	}
	digest := memfile.AllowDigest(want.Value)
	return slices.DeleteFunc(slices.Clone(want.Allow), func(a memfile.Allowance) bool {
		return a.Digest != digest || slices.Contains(has.Allow, a)
	})
}
