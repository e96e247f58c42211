package memctl_test

import (
	"go/ast"
	"strings"
	"testing"
)

// TestOnlyTheCommandLineGivesErrorsHints holds that a package below cmd states the facts of an
// error, and that cmd makes hints of them: an error of package fault is made without Hints, and
// nobody but cmd sets them later.
func TestOnlyTheCommandLineGivesErrorsHints(t *testing.T) {
	inCmd := 0
	for _, f := range sources(t) {
		if f.test || isOutside(f.dir) {
			continue
		}
		found := hintsOfErrors(f.ast)
		if f.dir == "cmd" {
			inCmd += len(found)
			continue
		}
		for _, n := range found {
			t.Errorf("%s: sets the hints of an error: give it a Why, Names or a Way, and its hints a row in cmd/explain_answer.go", f.fset.Position(n.Pos()))
		}
	}
	if inCmd == 0 {
		t.Error("cmd sets no hints either: the test does not see them")
	}
}

// hintsOfErrors are the places that set the field Hints of a fault.Error: in the literal, or of a
// variable that the same function set to one.
func hintsOfErrors(file *ast.File) (found []ast.Node) {
	for _, decl := range file.Decls {
		errors := map[string]bool{}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if !isFaultError(n) {
					return true
				}
				for _, el := range n.Elts {
					if kv, ok := el.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == "Hints" {
						found = append(found, kv)
					}
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if field, ok := to.(*ast.SelectorExpr); ok && field.Sel.Name == "Hints" && errors[nameOf(field.X)] {
						found = append(found, n)
					}
					if i < len(n.Rhs) && isFaultError(n.Rhs[i]) {
						errors[nameOf(to)] = true
					}
				}
			}
			return true
		})
	}
	return found
}

// isFaultError reports whether the expression is an error of package fault: a literal, or what
// one of its functions returns.
func isFaultError(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return isFaultError(e.X)
	case *ast.CompositeLit:
		return nameOf(e.Type) == "fault.Error"
	case *ast.CallExpr:
		name := nameOf(e.Fun)
		return strings.HasPrefix(name, "fault.") && name != "fault.Is" && name != "fault.Why"
	}
	return false
}

// nameOf is the name that an identifier or a selector stands for; "" of anything else.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}
