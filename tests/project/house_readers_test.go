package project

import (
	"go/ast"
	"slices"
	"testing"
)

// TestActsThatReadKnowTheirReader finds functions of memory/reading/view that hand out records, tombstones, changes or what waits, and
// take no contents.Reader: a door would have to hide what its reader may not have.
func TestActsThatReadKnowTheirReader(t *testing.T) {
	holds := map[string]bool{"Record": true, "TombstoneView": true, "Change": true, "Waiting": true}
	whole := []string{
		"EntryRecord",        // for acts, and for view itself
		"Find",               // for agents alone
		"WaitingBesideFacts", // for acts, and for a count
	}
	names := func(n ast.Node, is func(name string) bool) (found bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && is(id.Name)
			return true
		})
		return found
	}
	var functions []*ast.FuncDecl
	types := map[string]*ast.StructType{}
	for _, f := range sources(t) {
		if f.dir != "memory/reading/view" || f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.IsExported() && n.Type.Results != nil {
					functions = append(functions, n)
				}
				return false
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					types[n.Name.Name] = s
				}
			}
			return true
		})
	}
	for range types { // a result may hold a type that holds records
		for name, s := range types {
			for _, field := range s.Fields.List {
				holds[name] = holds[name] || names(field.Type, func(name string) bool { return holds[name] })
			}
		}
	}
	seen := 0
	for _, f := range functions {
		if !names(f.Type.Results, func(name string) bool { return holds[name] }) {
			continue
		}
		seen++
		if !names(f.Type.Params, func(name string) bool { return name == "Reader" }) != slices.Contains(whole, f.Name.Name) {
			t.Errorf("view.%s hands out memory; a contents.Reader among its arguments says to whom", f.Name.Name)
		}
	}
	if seen < len(whole)+8 {
		t.Errorf("only %d functions hand out memory", seen)
	}
}
