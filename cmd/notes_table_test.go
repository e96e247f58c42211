package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNotesTable holds every note's code with its sentence in one file, so that a change of one shows in its diff.
// Other tests check codes. What the source fills in is shown as ‹expression›, and below the sentence what a variable
// can have. One function may make variants of a note under one code; otherwise a code has one sentence and one package.
func TestNotesTable(t *testing.T) {
	made := madeNotes(t, "../memory", "../memory/*", "../memory/*/*", ".", "../recover", "../internal/store", "../internal/store/*")
	const least = 60
	if len(made) < least {
		t.Errorf("only %d notes were found in the source, want at least %d", len(made), least)
	}
	var b strings.Builder
	b.WriteString("# The notes, as the source makes them, each with its code and its package.\n")
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, code := range slices.Sorted(maps.Keys(made)) {
		texts, makers, folders := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, n := range made[code] {
			texts[n.text], makers[n.folder+"."+n.maker], folders[n.folder] = true, true, true
		}
		if len(folders) > 1 || len(texts) > 1 && len(makers) > 1 || !kebab.MatchString(code) {
			t.Errorf("%q is not one note: packages %v, functions %v, texts %q", code, slices.Sorted(maps.Keys(folders)), slices.Sorted(maps.Keys(makers)), slices.Sorted(maps.Keys(texts)))
		}
		fmt.Fprintf(&b, "\n%s (%s)\n", code, strings.Join(slices.Sorted(maps.Keys(folders)), ", "))
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			b.WriteString("  " + text + "\n")
		}
	}
	name := filepath.Join("testdata", "notes.txt")
	if *updateTable {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Errorf("%s is not what the notes are now; `go test ./cmd -run TestNotesTable -update` rewrites it: read the diff\n%s", name, firstChange(got, string(want)))
	}
}

// madeNote is a note as the source makes it.
type madeNote struct{ text, folder, maker string }

// madeNotes are the notes that the folders' source makes, by their codes.
func madeNotes(t *testing.T, dirs ...string) map[string][]madeNote {
	t.Helper()
	files, consts := sources(t, dirs...)
	made := map[string][]madeNote{}
	for _, f := range files {
		folder := cmp.Or(strings.TrimLeft(f.folder, "./"), "cmd")
		for _, d := range f.Decls {
			for code, text := range tableOfNotes(d, consts) {
				made[code] = append(made[code], madeNote{text, folder, "noteTable"})
			}
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if code, text := noteOf(n); code != nil {
					if c := exprText(code, consts); !strings.Contains(c, "‹") { // else another place made it
						made[c] = append(made[c], madeNote{messageText(text, consts) + fillings(text, fn, consts), folder, fn.Name.Name})
					}
				}
				return true
			})
		}
	}
	return made
}

// tableOfNotes are the rows of a table of notes, each a code and a text.
func tableOfNotes(d ast.Decl, consts map[string]string) map[string]string {
	rows := map[string]string{}
	if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
		if spec := gen.Specs[0].(*ast.ValueSpec); spec.Names[0].Name == "noteTable" {
			for _, row := range spec.Values[0].(*ast.CompositeLit).Elts {
				pair := row.(*ast.CompositeLit).Elts
				rows[exprText(pair[0], consts)] = exprText(pair[1], consts)
			}
		}
	}
	return rows
}

// noteOf is the code and the text of the note that the node makes, if it makes one.
func noteOf(n ast.Node) (code, text ast.Expr) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return nil, nil
	}
	switch name := exprText(call.Fun, nil); name {
	case "‹fault.NewNote›", "‹s.note›", "‹a.note›":
		return call.Args[0], call.Args[1]
	case "‹addNote›":
		return call.Args[len(call.Args)-2], call.Args[len(call.Args)-1]
	}
	return nil, nil
}

// messageText is exprText, without the name that named puts before a message.
func messageText(e ast.Expr, consts map[string]string) string {
	if call, ok := e.(*ast.CallExpr); ok && exprText(call.Fun, nil) == "‹named›" {
		return messageText(call.Args[1], consts)
	}
	return exprText(e, consts)
}

// fillings are the texts that the function gives to variables of a note, a line for each.
func fillings(text ast.Expr, in *ast.FuncDecl, consts map[string]string) (lines string) {
	used := map[string]bool{}
	ast.Inspect(text, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	ast.Inspect(in, func(n ast.Node) bool {
		set, ok := n.(*ast.AssignStmt)
		if !ok || len(set.Lhs) != len(set.Rhs) {
			return true
		}
		for i, left := range set.Lhs {
			id, ok := left.(*ast.Ident)
			if filled := exprText(set.Rhs[i], consts); ok && used[id.Name] && filled != "" && hasLiteral(set.Rhs[i]) {
				lines += "\n    ‹" + id.Name + "› " + strings.TrimPrefix(set.Tok.String(), ":") + " " + filled
			}
		}
		return true
	})
	return lines
}

// hasLiteral reports whether a text of the source itself is part of the expression.
func hasLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return hasLiteral(e.X) || hasLiteral(e.Y)
	case *ast.CallExpr:
		return exprText(e.Fun, nil) == "‹fmt.Sprintf›"
	}
	return false
}
