package project

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestOnlyTheCommandLineGivesHints checks that a package below cmd states the facts of an error, a
// refusal or a finding, and that cmd makes hints of them: nobody but cmd sets a field Hints, and no
// other package has a command of memctl as a Hint, as a Way out or among the facts of a refusal.
func TestOnlyTheCommandLineGivesHints(t *testing.T) {
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
			t.Errorf("%s: makes a hint: give the error, refusal or finding a Why and Names, and its hints a row in cmd/explain_answer.go", f.fset.Position(n.Pos()))
		}
	}
	if inCmd == 0 {
		t.Error("cmd sets no hints either: the test does not see them")
	}
}

// hintsOfErrors are the places that set a field Hints, and the commands of memctl that are the
// value of a Hint or a Way, or stand in the arguments of a refusal or a finding.
func hintsOfErrors(file *ast.File) (found []ast.Node) {
	set := func(field string, value ast.Node) {
		switch field {
		case "Hints":
			found = append(found, value)
		case "Hint", "Way":
			found = append(found, commandsIn(value)...)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			set(nameOf(n.Key), n.Value)
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok {
					set(field.Sel.Name, n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.CallExpr:
			names := strings.Split(nameOf(n.Fun), ".")
			if slices.Contains([]string{"Refuse", "add", "warn", "fail"}, names[len(names)-1]) { // a refusal, or a finding
				for _, arg := range n.Args {
					found = append(found, commandsIn(arg)...)
				}
			}
		}
		return true
	})
	return found
}

// commandsIn are the texts in it that begin with a command of memctl.
func commandsIn(in ast.Node) (found []ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(strings.Trim(lit.Value, "`\""), "memctl ") {
			found = append(found, n)
		}
		return true
	})
	return found
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
