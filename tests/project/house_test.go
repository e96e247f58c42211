package project

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/memctl/memctl"

// floors numbers the folders of the house. An import goes to a higher number
// only; a folder that is not named has the floor of the folder it stands in.
var floors = map[string]int{
	"cmd/memctl":          1,
	"cmd/memctl-full":     1,
	"cmd":                 2,
	"internal/door":       3,
	"memory":              4,
	"internal/session":    5,
	"internal/recall":     6,
	"internal/skills":     6,
	"internal/store":      7,
	"internal/capture":    8,
	"recover":             8,
	"policy":              9,
	"memfile":             10,
	"internal/entry":      10,
	"internal/transcript": 10,
	"internal/settings":   11,
	"gitops":              12,
	"internal/llm":        12,
	"internal/managed":    13,
	"internal":            14,
	"internal/fault":      15,
	"internal/shell":      15,
}

// within orders the folders of one floor that belong together: each may import those
// after it.
var within = [][]string{
	{"memory/acts/extraction", "memory/guidance/skill", "memory/guidance/character", "memory/upkeep/integrity", "memory/sharing", "memory/setup", "memory/acts/review", "memory/acts/notice", "memory/acts/undo", "memory/acts/edit", "memory/upkeep", "memory/reading/briefing", "memory/reading/view", "memory"},
	{"internal/door/mcp", "internal/door/proxy", "internal/door/page", "internal/door"},
	{"internal/session/contextfile", "internal/session"},
	{"policy", "policy/instructions", "policy/personal", "policy/secret", "policy/chars"},
	{"internal/entry", "memfile/merge", "memfile/patch", "memfile"},
	{"internal/capture/extract", "internal/capture"},
	{"internal/recall/cache", "internal/recall/history", "internal/recall/postgres/pgclient", "internal/recall/postgres", "internal/recall", "internal/recall/index", "internal/recall/meaning"},
	{"internal/skills", "internal/skills/format"},
	{"internal/store/exchange", "internal/store/purge", "internal/store/txn", "internal/store/localstate", "internal/store/ledger", "internal/store/contents", "internal/store/pulled", "internal/store", "internal/store/statedir"},
	{"gitops/rewrite", "gitops/remotes", "gitops/committer", "gitops/worktree", "gitops/object", "gitops", "gitops/indexfile"},
}

// outside are the folders that stand beside the house: its tests and tools may
// import anything of it, and nothing but tests imports them.
var outside = []string{"testscripts", "tests"}

// owners names, for each library, the folders that may import it.
var owners = map[string][]string{
	"github.com/chromedp/cdproto":                {"tests/e2e"}, // of tests alone
	"github.com/chromedp/chromedp":               {"tests/e2e"}, // of tests alone
	"github.com/creack/pty":                      {"tests/e2e"}, // of tests alone
	"github.com/go-git/go-billy/v5":              {"gitops/object"},
	"github.com/go-git/go-git/v5":                {"gitops/object"},
	"github.com/goccy/go-yaml":                   {"internal/yamltext", "tests/project"}, // of tests alone
	"github.com/gofrs/flock":                     {"internal/safefile"},
	"github.com/jackc/pgx/v5":                    {"internal/recall/postgres/pgclient"},
	"github.com/kljensen/snowball":               {"internal/recall/index"},
	"github.com/modelcontextprotocol/go-sdk":     {"internal/door/mcp"},
	"github.com/sergi/go-diff":                   {"cmd", "internal/door/page", "memory/reading/view"},
	"github.com/rogpeppe/go-internal/diff":       {"internal/store"},
	"github.com/rogpeppe/go-internal/testscript": {"testscripts"},
	"github.com/spf13/cobra":                     {"cmd"},
	"github.com/spf13/pflag":                     {"cmd"},
	"github.com/yuin/goldmark":                   {"internal/mdtext"},
	"golang.org/x/sys":                           {"internal/safefile", "internal/llm"}, // one system call each, in files of one system
	"golang.org/x/term":                          {"internal/term"},
	"golang.org/x/text":                          {"internal/entry", "internal/term", "internal/llm", "memfile", "policy", "internal/recall"}, // Unicode's tables, no type of theirs
	"golang.org/x/tools":                         {"tests/project"},                                                                           // of tests alone
}

// pure are the folders that touch no disk, no clock and no network.
var pure = []string{"recover", "policy", "memfile", "internal/entry", "internal/spelling", "internal/transcript", "gitops/indexfile", "internal/skills/format"}

// sourceFile is one Go file of the project.
type sourceFile struct {
	name string // from the root, with slashes
	dir  string
	test bool
	ast  *ast.File
	fset *token.FileSet
}

// sources parses every Go file. It fails where there are suspiciously few: a
// check over no files passes always.
func sources(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		parsed, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		files = append(files, sourceFile{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), parsed, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("only %d Go files found: is this the project's root?", len(files))
	}
	return files
}

// external reports whether the file is a test from outside the package, which may put
// the packages of its floor together.
func (f sourceFile) external() bool { return strings.HasSuffix(f.ast.Name.Name, "_test") }

func (f sourceFile) imports() []string {
	var list []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			list = append(list, p)
		}
	}
	return list
}

// floorOf is the floor of a folder: its own, or that of the folder around it.
func floorOf(dir string) (floor int, ok bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if n, ok := floors[dir]; ok {
			return n, true
		}
	}
	return 0, false
}

func isOutside(dir string) bool {
	for _, o := range outside {
		if dir == o || strings.HasPrefix(dir, o+"/") {
			return true
		}
	}
	return false
}

func TestImportsGoDownTheHouse(t *testing.T) {
	seen := 0
	for _, f := range sources(t) {
		from, ok := floorOf(f.dir)
		if !ok {
			if !isOutside(f.dir) {
				t.Errorf("%s: this folder has no floor; give it one in house_test.go", f.name)
			}
			continue
		}
		for _, imported := range f.imports() {
			to, ours := strings.CutPrefix(imported, module+"/")
			if !ours || to == f.dir {
				continue
			}
			seen++
			if isOutside(to) {
				if !f.test && !isOutside(f.dir) {
					t.Errorf("%s: imports %s, which stands outside the house", f.name, to)
				}
				continue
			}
			floor, _ := floorOf(to)
			if ordered, down := inOrder(f.dir, to); ordered && !down && !f.external() {
				t.Errorf("%s: imports %s, which stands before it in its floor", f.name, to)
			} else if isParent := strings.HasPrefix(f.dir, to+"/"); !ordered && floor <= from && !isParent {
				t.Errorf("%s (floor %d): imports %s (floor %d); imports go to a higher number only", f.name, from, to, floor)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no import of the project's own was seen")
	}
}

// inOrder reports whether both folders are in one row of within, and the second after the
// first.
func inOrder(from, to string) (ordered, down bool) {
	for _, row := range within {
		if i, j := slices.Index(row, from), slices.Index(row, to); i >= 0 && j >= 0 {
			return true, i < j
		}
	}
	return false, false
}

func TestEachLibraryHasItsOwner(t *testing.T) {
	used := map[string]bool{}
	for _, f := range sources(t) {
		for _, imported := range f.imports() {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imported, module) {
				continue
			}
			library := owned(imported)
			used[library] = true
			if library == "" {
				t.Errorf("%s: imports %s, which has no owner in house_test.go", f.name, imported)
				continue
			}
			// A test may set up a library that a lower floor owns.
			if !f.test && !containsFolder(owners[library], f.dir) {
				t.Errorf("%s: imports %s, which belongs to %s", f.name, imported, strings.Join(owners[library], " and "))
			}
		}
	}
	if !used["github.com/spf13/cobra"] {
		t.Fatal("the use of cobra was not seen")
	}
}

// owned is the library of the table that an import belongs to.
func owned(imported string) string {
	for library := range owners {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library
		}
	}
	return ""
}

func contains(list []string, word string) bool {
	for _, s := range list {
		if s == word {
			return true
		}
	}
	return false
}

// containsFolder reports whether the folder, or one around it, is in the list.
func containsFolder(list []string, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if contains(list, dir) {
			return true
		}
	}
	return false
}

func TestPurePackagesTouchNothing(t *testing.T) {
	banned := map[string]bool{"os": true, "os/exec": true, "os/user": true, "syscall": true, "net": true, "net/http": true, "io/ioutil": true, "math/rand": true, "math/rand/v2": true}
	seen := 0
	for _, f := range sources(t) {
		if f.test || isOutside(f.dir) || !containsFolder(pure, f.dir) {
			continue
		}
		seen++
		for _, imported := range f.imports() {
			if banned[imported] {
				t.Errorf("%s: a pure package imports %s", f.name, imported)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && (sel.Sel.Name == "Now" || sel.Sel.Name == "Since" || sel.Sel.Name == "Until") {
				t.Errorf("%s: a pure package asks the clock", f.fset.Position(sel.Pos()))
			}
			return true
		})
	}
	if seen == 0 {
		t.Fatal("no file of a pure package was seen")
	}
}

// TestStartDoesNothing keeps what runs before main out of the project: every
// hook pays for it.
func TestStartDoesNothing(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s: init() runs at every start", f.fset.Position(d.Pos()))
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					checkStartVar(t, f, d)
				}
			}
		}
	}
}

// checkStartVar finds regular expressions that are compiled at the start.
func checkStartVar(t *testing.T, f sourceFile, d *ast.GenDecl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // runs when it is called
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "regexp" && strings.HasPrefix(n.Sel.Name, "MustCompile") {
				t.Errorf("%s: a regular expression is compiled at every start; use sync.OnceValue", f.fset.Position(n.Pos()))
			}
		}
		return true
	})
}

// TestOnlyMainExits keeps the decision to end, and printing, at the door.
func TestOnlyMainExits(t *testing.T) {
	for _, f := range sources(t) {
		if f.test || isOutside(f.dir) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch name := pkg.Name + "." + sel.Sel.Name; name {
			case "os.Exit", "log.Fatal", "log.Fatalf":
				if f.dir != "cmd/memctl" && f.dir != "cmd/memctl-full" {
					t.Errorf("%s: %s outside main", f.fset.Position(sel.Pos()), name)
				}
			case "fmt.Print", "fmt.Println", "fmt.Printf":
				t.Errorf("%s: %s writes past the streams", f.fset.Position(sel.Pos()), name)
			}
			return true
		})
	}
}
