package project

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// exporting are the folders whose exported names another folder must use.
var exporting = []string{"gitops", "memfile", "memory", "policy", "recall", "store"}

// TestExportedNamesAreUsedElsewhere finds names that are exported for nobody. A type may
// stand in what the package hands out without being named elsewhere; of constants that
// are declared together one use is enough.
func TestExportedNamesAreUsedElsewhere(t *testing.T) {
	files := sources(t)
	used := map[string]bool{} // folder.Name
	for _, f := range files {
		addUses(used, f)
	}
	seen := 0
	for _, f := range files {
		if f.test || isOutside(f.dir) || !containsFolder(exporting, f.dir) {
			continue
		}
		for _, decl := range f.ast.Decls {
			for _, name := range unusedExports(decl, func(name string) bool { return used[f.dir+"."+name] }) {
				t.Errorf("%s: no other folder uses %s; do not export it", f.fset.Position(decl.Pos()), name)
			}
			seen++
		}
	}
	if seen == 0 {
		t.Fatal("no declaration was seen")
	}
}

// addUses notes the names of our folders that the file uses from outside, and the types
// that stand in what its own package exports.
func addUses(used map[string]bool, f sourceFile) {
	folders := map[string]string{} // by the name in the file
	for _, spec := range f.ast.Imports {
		to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
		if !ours || to == f.dir {
			continue
		}
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		folders[name] = to
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := sel.X.(*ast.Ident); ok && folders[pkg.Name] != "" {
				used[folders[pkg.Name]+"."+sel.Sel.Name] = true
			}
		}
		return true
	})
	if f.test {
		return
	}
	var named func(n ast.Node) bool
	named = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // its type, and not its name
			ast.Inspect(n.Type, named)
			return false
		case *ast.Ident:
			used[f.dir+"."+n.Name] = true
		}
		return true
	}
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				ast.Inspect(d.Type, named)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() {
					ast.Inspect(spec.Type, named)
				}
			}
		}
	}
}

// unusedExports lists the exported names that a declaration makes and nobody uses.
func unusedExports(decl ast.Decl, used func(name string) bool) []string {
	var names []string
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	group := false
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		group = d.Tok == token.CONST
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id)
				}
			}
		}
	}
	if group && slices.ContainsFunc(names, used) {
		return nil
	}
	return slices.DeleteFunc(names, used)
}
