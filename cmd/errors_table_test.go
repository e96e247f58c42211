package cmd

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

var updateTable = flag.Bool("update", false, "write testdata/errors.txt")

// TestErrorTable holds every error code with its exit status, text and hints in one file, so
// that a change of one shows in its diff. The first part prints errors as the command line
// does. The second part is read from the source: the errors and refusals that the acts make
// themselves, with what is filled in shown as ‹expression›.
func TestErrorTable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system has other words for its errors")
	}
	var b strings.Builder
	b.WriteString("# Errors as the command line prints them.\n")
	for _, err := range sampleErrors() {
		a, _, talk := testApp(nil)
		e := explain(err)
		status := a.report(err)
		fmt.Fprintf(&b, "\n%s, status %d%s\n", e.Code, status, map[bool]string{true: ", retry"}[e.Retry])
		for line := range strings.Lines(talk.String()) {
			b.WriteString("  " + line)
		}
	}
	b.WriteString("\n# Errors and refusals as the source makes them.\n")
	made := madeErrors(t, "../memory", "../memory/*", "../memory/*/*", ".", "../internal/store", "../internal/store/*", "../gitops", "../internal/settings", "../internal/llm", "../internal/fault")
	for _, e := range made {
		b.WriteString("\n" + e + "\n")
	}
	const least = 100
	if len(made) < least {
		t.Errorf("only %d errors were found in the source, want at least %d", len(made), least)
	}
	name := filepath.Join("testdata", "errors.txt")
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
		t.Errorf("%s is not what the errors are now; `go test ./cmd -run TestErrorTable -update` rewrites it: read the diff\n%s", name, firstChange(got, string(want)))
	}
}

// firstChange is the first line that differs.
func firstChange(got, want string) string {
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wanted) || line != wanted[i] {
			return fmt.Sprintf("line %d is now: %s", i+1, line)
		}
	}
	return "the end is missing"
}

// madeErrors lists the errors that the folders' source makes, sorted, each once.
func madeErrors(t *testing.T, dirs ...string) []string {
	t.Helper()
	files, consts := sources(t, dirs...)
	var list []string
	for _, f := range files {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if e := madeError(n, consts); e != "" {
				list = append(list, e)
			}
			return true
		})
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(a, b) })
	return slices.Compact(list)
}

// source is a Go file with the folder that it is in.
type source struct {
	*ast.File
	folder string
}

// sources parses the folders' Go files, without tests, and gives the text of each constant.
func sources(t *testing.T, dirs ...string) (files []source, consts map[string]string) {
	t.Helper()
	consts = map[string]string{}
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, source{f, filepath.ToSlash(filepath.Dir(name))})
			ast.Inspect(f, func(n ast.Node) bool {
				if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
					for i, id := range v.Names {
						if lit, ok := v.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
							text, _ := strconv.Unquote(lit.Value)
							consts[f.Name.Name+"."+id.Name] = text
							if f.Name.Name != "fault" {
								consts[id.Name] = text
							}
						}
					}
				}
				_, inside := n.(*ast.FuncDecl) // whose constants are its own
				return !inside
			})
		}
	}
	return files, consts
}

// madeError is the entry of an error that the node makes; "" where it makes none with a
// code of its own.
func madeError(n ast.Node, consts map[string]string) string {
	switch n := n.(type) {
	case *ast.CompositeLit:
		name := ""
		switch typ := n.Type.(type) {
		case *ast.Ident:
			name = typ.Name
		case *ast.SelectorExpr:
			name = typ.Sel.Name
		}
		fields := map[string]ast.Expr{}
		for _, el := range n.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					fields[id.Name] = kv.Value
				}
			}
		}
		if name == "Error" && fields["Cause"] != nil && fields["Thing"] != nil {
			return faultEntry(fields["Code"], fields["Thing"], fields["Cause"], consts)
		}
		if name != "Error" || fields["Code"] == nil || fields["Cause"] == nil || fields["Status"] == nil {
			return ""
		}
		return tableEntry(fields["Code"], exprText(fields["Status"], consts), fields["Cause"], elements(fields["Hints"]), consts)
	case *ast.CallExpr:
		if exprText(n.Fun, nil) == "‹fault.New›" {
			return faultEntry(n.Args[0], n.Args[1], n.Args[2], consts)
		}
		status := map[string]string{"‹memory.Refuse›": "1", "‹Refuse›": "1", "‹refusal›": "1", "‹broken›": "2"}[exprText(n.Fun, nil)]
		if status == "" || len(n.Args) < 2 {
			return ""
		}
		return tableEntry(n.Args[0], status, n.Args[1], n.Args[2:], consts)
	}
	return ""
}

// elements are those of a list, or what stands in the place of one.
func elements(list ast.Expr) []ast.Expr {
	switch lit, ok := list.(*ast.CompositeLit); {
	case ok:
		return lit.Elts
	case list != nil:
		return []ast.Expr{list}
	}
	return nil
}

func tableEntry(code ast.Expr, status string, message ast.Expr, hints []ast.Expr, consts map[string]string) string {
	status = strings.NewReplacer("‹statusRefused›", "1", "‹statusFault›", "2").Replace(status)
	text := exprText(message, consts)
	if exprText(code, consts) == "‹code›" || strings.HasPrefix(text, "‹") && strings.HasSuffix(text, ".Error()›") {
		return "" // a function that is handed all of it, or an error of the first part
	}
	entry := exprText(code, consts) + ", status " + status + "\n  " + text
	for _, h := range hints {
		if hint := exprText(h, consts); hint != "" { // "" stands for none
			entry += "\n  hint: " + hint
		}
	}
	return entry
}

// faultEntry is the entry of an error of package fault.
func faultEntry(code, thing, cause ast.Expr, consts map[string]string) string {
	name := exprText(code, consts)
	known, ok := consts[strings.Trim(name, "‹›")]
	if !ok {
		return ""
	}
	status := "none: part of another error"
	if a, ok := adviceFor(known, ""); ok {
		status = strconv.Itoa(a.status)
	}
	return known + ", status " + status + "\n  " + fault.WithThing(`"`+exprText(thing, consts)+`"`, exprText(cause, consts))
}

// exprText is a text as the source makes it.
func exprText(e ast.Expr, consts map[string]string) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
		return e.Value
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return exprText(e.X, consts) + exprText(e.Y, consts)
		}
	case *ast.Ident:
		if text, ok := consts[e.Name]; ok {
			return text
		}
		return "‹" + e.Name + "›"
	case *ast.SelectorExpr:
		name := strings.Trim(exprText(e.X, consts), "‹›") + "." + e.Sel.Name
		if text, ok := consts[name]; ok && !strings.HasPrefix(name, "fault.") {
			return text
		}
		return "‹" + name + "›"
	case *ast.CallExpr:
		if name := exprText(e.Fun, consts); name == "‹fmt.Sprintf›" {
			return exprText(e.Args[0], consts)
		} else {
			var args []string
			for _, arg := range e.Args {
				args = append(args, strings.Trim(exprText(arg, consts), "‹›"))
			}
			return "‹" + strings.Trim(name, "‹›") + "(" + strings.Join(args, ", ") + ")›"
		}
	}
	return "‹…›"
}
