package patch

import (
	"slices"

	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// Repair writes fields of a wrong type as memctl reads them ("tags: a" as a list), and takes
// out those that it cannot read. problems are what memfile.Parse said of the file. Errors: those
// of Rewrite.
func Repair(f *memfile.File, problems []memfile.Problem) (*memfile.File, error) {
	e := newEditor(f)
	if err := e.writable(); err != nil {
		return nil, err
	}
	want := e.doc.Clone()
	// mended are a map's fields, and the same as they should be.
	mended := func(m *yamltext.Node, as []memfile.Field) (s slot) {
		for _, x := range m.Entries {
			field := memfile.Field{Name: x.Key.Text, Value: memfile.ValueOf(x.Value)}
			s.was = append(s.was, field)
			if slices.ContainsFunc(problems, func(p memfile.Problem) bool {
				return p.Repairable() && x.Value.Line <= p.Line && p.Line <= x.Value.EndLine
			}) {
				i := fieldAt(as, field.Name)
				if i < 0 {
					continue
				}
				field = as[i]
			}
			s.now = append(s.now, field)
		}
		return s
	}
	memory := f.Root().Field("saved_memory")
	switches := memfile.SettingFields(want.Settings)
	settings := memfile.Value{Kind: memfile.Map, Map: switches}
	if n := memory.Field("settings"); n != nil && n.Kind == yamltext.Map {
		s := mended(n, switches)
		settings.Map = s.now
		if n.Style == yamltext.Block {
			e.editFields(n, nil, s.was, s.now)
			settings = memfile.ValueOf(n)
		}
	}
	head := mended(memory, append(memfile.HeadFields(want), memfile.Field{Name: "settings", Value: settings}))
	for _, list := range []*[]memfile.Field{&head.was, &head.now} {
		*list = slices.DeleteFunc(*list, func(f memfile.Field) bool { return f.Name == "items" || f.Name == "deletions" })
	}
	e.editFields(memory, memoryOrder, head.was, head.now)
	var items, deletions []slot
	for i := range want.Items {
		want.Items[i] = want.Items[i].Tidied()
		items = append(items, mended(memory.Field("items").Entries[i].Value, memfile.ItemFields(want.Items[i])))
	}
	e.editList(memory, memoryOrder, "items", items, nil)
	for _, parent := range []*yamltext.Node{f.Root(), memory} {
		if list := parent.Field("deletions"); list != nil {
			for _, x := range list.Entries {
				t := &want.Deletions[len(deletions)]
				*t = t.Tidied()
				deletions = append(deletions, mended(x.Value, memfile.TombstoneFields(*t)))
			}
		}
	}
	e.editDeletions(deletions, nil)
	return e.finish(want)
}
