package project

import (
	"go/ast"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/setup"
)

// documents reports whether a page names a word as code.
func documents(page, word string) bool {
	return strings.Contains(page, "`"+word+"`") || strings.Contains(page, "`"+word+" ")
}

// allPages are all pages as one text.
func allPages(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range pages(t) {
		b.WriteString(readPage(t, name))
	}
	return b.String()
}

// isName is the form of a rule's name.
var isName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// ruleNames lists the rules that the code can print: constants called rule…
// (not in cmd, whose constants of that name are severities),
// the rules of what memfile reports, and fields Rule of composite literals.
func ruleNames(t *testing.T) []string {
	t.Helper()
	var names []string
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if name, err := strconv.Unquote(lit.Value); err == nil && isName.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if f.dir != "cmd" && strings.HasPrefix(strings.ToLower(id.Name), "rule") && i < len(n.Values) {
						add(n.Values[i])
					}
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Rule" {
					add(n.Value)
				}
			case *ast.CompositeLit: // of what is wrong with a field: the rule is the first part
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Wrong" && f.dir == "memfile" && len(n.Elts) > 0 {
					add(n.Elts[0])
				}
			case *ast.CallExpr:
				if f.dir == "memfile" {
					add(reportedRule(n))
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reportedRule is the rule's name in a call of memfile's reports: the first
// argument of damage, the second of itemProblem, the third of warn and fail.
func reportedRule(call *ast.CallExpr) ast.Expr {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	at := map[string]int{"damage": 0, "itemProblem": 1, "warn": 2, "fail": 2}
	i, ok := at[sel.Sel.Name]
	if !ok || i >= len(call.Args) {
		return nil
	}
	return call.Args[i]
}

func TestDocsNameEveryRule(t *testing.T) {
	text := allPages(t)
	names := ruleNames(t)
	if len(names) < 30 {
		t.Fatalf("only %d rules found in the code: %v", len(names), names)
	}
	for _, name := range names {
		if !documents(text, name) {
			t.Errorf("the rule %q is on no page of docs (docs/format.md, docs/policy.md and docs/acts.md have the tables)", name)
		}
	}
}

// TestDocsNameNoRuleThatIsGone looks at the tables of rules, whose first
// column is a rule.
func TestDocsNameNoRuleThatIsGone(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (error|warning|damage|refuse|hold|note|refused)")
	names := ruleNames(t)
	seen := 0
	for _, page := range pages(t) {
		for _, m := range row.FindAllStringSubmatch(readPage(t, page), -1) {
			seen++
			if !slices.Contains(names, m[1]) {
				t.Errorf("%s: the code has no rule %q", page, m[1])
			}
		}
	}
	if seen < 20 {
		t.Fatalf("only %d rows of rules were found", seen)
	}
}

func TestDocsNameEveryCommand(t *testing.T) {
	out, err := exec.Command(filepath.Join(programs, "memctl"), "help", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	acts := allPages(t)
	rows := regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`).FindAllStringSubmatch(string(out), -1)
	if len(rows) < 20 {
		t.Fatalf("only %d commands found in memctl help", len(rows))
	}
	for _, row := range rows {
		if !documents(acts, row[1]) && !documents(acts, "memctl "+row[1]) {
			t.Errorf("the command %q is on no page of docs (docs/acts.md has the table)", row[1])
		}
	}
}

func TestDocsNameEverySetting(t *testing.T) {
	page := allPages(t)
	rows := setup.Rows()
	if len(rows) == 0 {
		t.Fatal("there are no settings")
	}
	for _, row := range rows {
		if !documents(page, row.Name) {
			t.Errorf("the setting %q is on no page of docs (docs/settings.md has the table)", row.Name)
		}
		upper := regexp.MustCompile(`[A-Z]`).ReplaceAllString(row.Name, "_$0")
		if want := strings.ToUpper(strings.ReplaceAll(upper, ".", "_")); row.Env != "" && row.Env != want {
			t.Errorf("the variable of %s is %s, and docs/settings.md says %s", row.Name, row.Env, want)
		}
	}
}

// TestDocsNameEveryReason looks for why a commit can be missing.
func TestDocsNameEveryReason(t *testing.T) {
	page := readPage(t, "docs/git.md") + readPage(t, "docs/sync.md")
	seen := 0
	for _, f := range sources(t) {
		if f.test || !strings.HasPrefix(f.dir, "gitops") && !strings.HasPrefix(f.dir, "store") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, id := range spec.Names {
				if !strings.HasPrefix(id.Name, "Why") || i >= len(spec.Values) {
					continue
				}
				lit, ok := spec.Values[i].(*ast.BasicLit)
				if !ok {
					continue
				}
				seen++
				if why, err := strconv.Unquote(lit.Value); err != nil || !documents(page, why) {
					t.Errorf("the reason %s is neither in docs/git.md nor in docs/sync.md", lit.Value)
				}
			}
			return true
		})
	}
	if seen < 10 {
		t.Fatalf("only %d reasons were found", seen)
	}
}

func TestDocsShowTheTemplate(t *testing.T) {
	if !strings.Contains(readPage(t, "docs/format.md"), "\n"+strings.Replace(memfile.Template, memfile.NeverUpdated, "2026-11-21", 1)) {
		t.Error("docs/format.md does not show what init writes")
	}
}

func TestDocsHaveTheExitStatuses(t *testing.T) {
	page := readPage(t, "docs/acts.md")
	for _, s := range cmd.Statuses() {
		if row := "| " + strconv.Itoa(s.Number) + " | " + s.Meaning + " |"; !strings.Contains(page, row) {
			t.Errorf("docs/acts.md has no row %q", row)
		}
	}
}

// TestDocsNameEveryFolder keeps the plan of the house complete.
func TestDocsNameEveryFolder(t *testing.T) {
	page := readPage(t, "docs/house.md")
	seen := map[string]bool{}
	for _, f := range sources(t) {
		top, _, _ := strings.Cut(f.dir, "/")
		if f.dir == "." || seen[top] {
			continue
		}
		seen[top] = true
		if !documents(page, top) && !strings.Contains(page, "`"+top+"/") {
			t.Errorf("the folder %q is not in docs/house.md", top)
		}
	}
	if len(seen) < 7 {
		t.Fatalf("only %d folders found", len(seen))
	}
}

// TestDocsNameEveryField looks for the fields of the objects that acts answer
// with: in an example, or named in the text.
func TestDocsNameEveryField(t *testing.T) {
	page := readPage(t, "docs/acts.md") + readPage(t, "docs/entries.md") + readPage(t, "docs/exchange.md")
	answers := []string{"memory/api.go", "memory/reading/view/show.go", "memory/reading/view/record.go", "memory/reading/view/profile.go", "memory/reading/view/waiting.go", "internal/session/profile.go",
		"memory/setup/init.go", "memory/setup/settings.go", "memory/upkeep/integrity/validate.go", "memory/upkeep/integrity/recover.go"}
	tag := regexp.MustCompile(`json:"([a-z_]+)`)
	seen := 0
	for _, f := range sources(t) {
		i := slices.Index(answers, f.name)
		if i < 0 {
			continue
		}
		answers = slices.Delete(answers, i, i+1)
		ast.Inspect(f.ast, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			if m := tag.FindStringSubmatch(field.Tag.Value); m != nil {
				seen++
				if !documents(page, m[1]) && !strings.Contains(page, `"`+m[1]+`":`) {
					t.Errorf("%s: the field %q is not in acts.md, entries.md or exchange.md", f.name, m[1])
				}
			}
			return true
		})
	}
	if seen < 50 || len(answers) > 0 {
		t.Fatalf("only %d fields found, and no file %v", seen, answers)
	}
}
