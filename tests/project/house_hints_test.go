package project

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHintsNameCommands checks that each hint of an error, a refusal or a finding that begins with
// memctl goes on with a command of memctl: a misspelled one would fail only when somebody pastes it.
func TestHintsNameCommands(t *testing.T) {
	src, err := os.ReadFile("cmd/commands.go")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"-C", "help"}
	for _, row := range regexp.MustCompile(`\{"([a-z-]+)", group`).FindAllStringSubmatch(string(src), -1) {
		names = append(names, row[1])
	}
	checked := 0
	for _, f := range sources(t) {
		if f.test || isOutside(f.dir) {
			continue
		}
		for _, hint := range hintsIn(f.ast) {
			words := strings.Fields(strings.Trim(hint.Value, "`\""))
			if checked++; len(words) > 1 && !slices.Contains(names, words[1]) {
				t.Errorf("%s: the hint %s names no command of memctl", f.fset.Position(hint.Pos()), hint.Value)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d hints were found", checked)
	}
}

// hintsIn are the commands of memctl that are the value of a Hint, of Hints or of a Way, or stand in
// the arguments of a refusal or a finding.
func hintsIn(file *ast.File) (found []*ast.BasicLit) {
	fields := []string{"Hint", "Hints", "Way"}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if slices.Contains(fields, nameOf(n.Key)) {
				found = append(found, commandsIn(n.Value)...)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok && slices.Contains(fields, field.Sel.Name) {
					found = append(found, commandsIn(n.Rhs[min(i, len(n.Rhs)-1)])...)
				}
			}
		case *ast.CallExpr:
			names := strings.Split(nameOf(n.Fun), ".")
			if slices.Contains([]string{"Refuse", "add", "warn", "fail", "refusal", "broken", "usage"}, names[len(names)-1]) {
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
func commandsIn(in ast.Node) (found []*ast.BasicLit) {
	ast.Inspect(in, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(strings.Trim(lit.Value, "`\""), "memctl ") {
			found = append(found, lit)
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
