package project

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlacesExist looks for each path that AGENTS.md and docs/house.md name, and in it for the functions, types and constants
// that they name: those in brackets after a path, and those with "in" before a path. A path that is not in the project's folder is beside the path before it.
func TestPlacesExist(t *testing.T) {
	const least = 100
	paths, names := 0, 0
	for _, page := range []string{"AGENTS.md", "docs/house.md"} {
		rows := strings.ReplaceAll(readPage(t, page), "\n|", "\n\n|")
		for part := range strings.SplitSeq(rows, "\n\n") {
			missing, p, i := places(strings.Join(strings.Fields(part), " "), findPlace)
			for _, what := range missing {
				t.Errorf("%s: there is no %s; in: %.100s", page, what, part)
			}
			paths, names = paths+p, names+i
		}
	}
	if paths < least || names < least/4 {
		t.Errorf("only %d paths and %d names in them were checked", paths, names)
	}
}

// TestMakefileFolders looks for each folder that the Makefile and the scripts of internal/scripts hand to go.
func TestMakefileFolders(t *testing.T) {
	scripts, err := filepath.Glob("internal/scripts/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range append(scripts, "Makefile") {
		for word := range strings.FieldsSeq(readPage(t, file)) {
			name := strings.TrimSuffix(word, "/...")
			if !strings.HasPrefix(name, "./") || strings.Contains(name, "$") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("%s names %s: %v", file, name, err)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d folders were checked", checked)
	}
}

func TestPlacesNamed(t *testing.T) {
	files := map[string]string{"a": "", "a/b.go": "func found(x int) {}\nconst WhyNot = 1", "a/c.go": "type other struct{}", "x": ""}
	find := func(name string) (string, bool) { text, ok := files[name]; return text, ok }
	for line, want := range map[string]string{
		"see `a/b.go` (`found`) and `c.go` (`other`)":            "",
		"a file that is gone: `a/gone.go`":                       "a/gone.go",
		"a file without a folder: `a/b.go` and `d.go`":           "a/d.go",
		"a function that is gone: `a/b.go` (`found`, `lost`)":    "lost in a/b.go",
		"the wrong file: `a/b.go` (`other`)":                     "other in a/b.go",
		"before its path: `lost` in `a/b.go`":                    "lost in a/b.go",
		"the first letters: `a/b.go` (the `Why…` constants)":     "",
		"none begins so: `a/b.go` (the `Rule…` constants)":       "Rule… in a/b.go",
		"commands are none: `go test ./a`, `x = y`, `a` (`b c`)": "",
	} {
		missing, _, _ := places(line, find)
		if got := strings.Join(missing, "; "); got != want {
			t.Errorf("%s: missing %q, want %q", line, got, want)
		}
	}
}

// findPlace is the text of a file of the project, or those of a folder's files.
func findPlace(name string) (text string, ok bool) {
	name = filepath.FromSlash(name)
	info, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	files := []string{name}
	if info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(name, "*.go"))
	}
	var b strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return "", false
		}
		b.Write(src)
	}
	return b.String(), true
}

// places returns what a paragraph names and find does not know, and how many paths and names it checked.
func places(line string, find func(string) (string, bool)) (missing []string, paths, names int) {
	code := regexp.MustCompile("`[^`]+`")
	isPath := regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$|^\w+\.go$`)
	isName := regexp.MustCompile(`^(?:[A-Za-z]\w*\.)?([A-Za-z]\w*…?)$`)
	last, before := "", "" // the path before, and the name right before a path
	for _, at := range code.FindAllStringIndex(line, -1) {
		word, rest := line[at[0]+1:at[1]-1], line[at[1]:]
		within := func(name string) {
			m := isName.FindStringSubmatch(name)
			if m == nil || last == "" {
				return
			}
			names++
			end := `\b`
			if strings.HasSuffix(m[1], "…") {
				end = ""
			}
			if text, _ := find(last); !regexp.MustCompile(`\b` + strings.TrimSuffix(m[1], "…") + end).MatchString(text) {
				missing = append(missing, name+" in "+last)
			}
		}
		if !isPath.MatchString(word) {
			before = ""
			if strings.HasPrefix(rest, " in `") {
				before = word
			}
			continue
		}
		name := word
		if _, ok := find(name); !ok && last != "" {
			name = path.Join(folderOf(last), word)
		}
		paths++
		if _, ok := find(name); !ok {
			missing, last, before = append(missing, name), "", ""
			continue
		}
		last = name
		if before != "" {
			within(before)
		}
		before = ""
		if inner, ok := strings.CutPrefix(rest, " ("); ok {
			inner, _, _ = strings.Cut(inner, ")")
			for _, in := range code.FindAllStringIndex(inner, -1) {
				if in, after := inner[in[0]+1:in[1]-1], inner[in[1]:]; !isPath.MatchString(in) && !strings.HasPrefix(after, " in `") {
					within(in)
				}
			}
		}
	}
	return missing, paths, names
}

func folderOf(name string) string {
	if strings.Contains(path.Base(name), ".") {
		return path.Dir(name)
	}
	return name
}
