package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// lacking are the allowances that an item should have and has not, less those
// for another value than its own, which count for nothing.
func lacking(has, want memfile.Item) []memfile.Allowance {
	var list []memfile.Allowance
	digest := ""
	for _, a := range want.Allow {
		if slices.Contains(has.Allow, a) {
			continue
		}
		if digest == "" {
			digest = memfile.AllowDigest(want.Value)
		}
		if a.Digest == digest {
			list = append(list, a)
		}
	}
	return list
}

// addAllowances writes below each item the allowances that it lacks. want are
// the items in the order of the file.
func addAllowances(f *memfile.File, want memfile.Document) (*memfile.File, error) {
	if !slices.ContainsFunc(want.Items, func(it memfile.Item) bool { return len(it.Allow) > 0 }) {
		return f, nil
	}
	e := newEditor(f)
	list := f.Root().Field("saved_memory").Field("items")
	for i, it := range want.Items {
		for _, a := range lacking(e.doc.Items[i], it) {
			if err := e.allow(list.Entries[i], a); err != nil {
				return nil, err
			}
		}
	}
	if len(e.splices) == 0 {
		return f, nil
	}
	out, err := e.apply()
	if err != nil {
		return nil, err
	}
	got, problems := memfile.Parse(f.Name(), out)
	if got == nil {
		return nil, memfile.DamageError(problems)
	}
	now := got.Document()
	for i, it := range want.Items {
		if len(lacking(now.Items[i], it)) > 0 {
			return nil, fmt.Errorf("%w: allowance", memfile.ErrUnwritable)
		}
	}
	if where := memfile.Difference(now, e.doc); where != "" {
		return nil, fmt.Errorf("%w: %s", memfile.ErrUnwritable, where)
	}
	return got, nil
}

// allow writes one allowance on a line of its own below the entry, set in as
// the entry's fields are.
func (e *editor) allow(entry yamltext.Entry, a memfile.Allowance) error {
	text := strings.TrimRight("# "+memfile.AllowMark+" "+a.Rule+" "+a.Digest+" "+a.Why, " ")
	if !e.src.Dashed(entry) || strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%w: allowance", memfile.ErrUnwritable)
	}
	indent := strings.Repeat(" ", e.src.Column(entry.Start)+2)
	e.insert(e.src.EntryEnd(entry), indent+text+e.eol)
	return nil
}
