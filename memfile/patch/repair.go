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
	want := e.doc.Clone()
	wrong := func(n *yamltext.Node) bool {
		return slices.ContainsFunc(problems, func(p memfile.Problem) bool {
			return p.Repairable() && n.Line <= p.Line && p.Line <= n.EndLine
		})
	}
	mend := func(m *yamltext.Node, order []string, as []memfile.Field) {
		var before, after []memfile.Field
		for _, x := range m.Entries {
			if !wrong(x.Value) || m == f.Root().Field("saved_memory") && (x.Key.Text == "items" || x.Key.Text == "deletions") {
				continue
			}
			before = append(before, memfile.Field{Name: x.Key.Text, Value: memfile.ValueOf(x.Value)})
			if i := slices.IndexFunc(as, func(a memfile.Field) bool { return a.Name == x.Key.Text }); i >= 0 {
				after = append(after, as[i])
			}
		}
		e.editFields(m, order, before, after)
	}
	memory := f.Root().Field("saved_memory")
	head, switches := memfile.HeadFields(want), memfile.SettingFields(want.Settings)
	if n := memory.Field("settings"); n != nil && n.Kind == yamltext.Map {
		mend(n, nil, switches)
		head = append(head, memfile.Field{Name: "settings", Value: memfile.ValueOf(n)})
	} else {
		head = append(head, memfile.Field{Name: "settings", Value: memfile.Value{Kind: memfile.Map, Map: switches}})
	}
	mend(memory, memoryOrder, head)
	for i := range want.Items {
		want.Items[i] = want.Items[i].Tidied()
		mend(memory.Field("items").Entries[i].Value, nil, memfile.ItemFields(want.Items[i]))
	}
	at := 0
	for _, parent := range []*yamltext.Node{f.Root(), memory} {
		if list := parent.Field("deletions"); list != nil {
			for _, x := range list.Entries {
				want.Deletions[at] = want.Deletions[at].Tidied()
				mend(x.Value, nil, memfile.TombstoneFields(want.Deletions[at]))
				at++
			}
		}
	}
	out, err := e.apply()
	if err != nil {
		return nil, err
	}
	return e.check(out, want)
}
