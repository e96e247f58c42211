package project

import (
	"go/ast"
	"os"
	"strconv"
	"strings"
	"testing"
)

// mostFiles is how many files without tests a package has at most: more is several topics.
const mostFiles = 25

// large are the packages that may have more: cmd has a file for each command.
var large = []string{"cmd"}

func TestPackagesHaveFewFiles(t *testing.T) {
	files := map[string]int{}
	for _, f := range sources(t) {
		if !f.test && !isOutside(f.dir) {
			files[f.dir]++
		}
	}
	for dir, n := range files {
		if n > mostFiles != contains(large, dir) {
			t.Errorf("%s: %d files without tests; %d are the most, except in %s", dir, n, mostFiles, strings.Join(large, ", "))
		}
	}
}

// mostFilesOfAType is in how many files a type has methods at most: what more files do with
// it are functions with the type as an argument.
const mostFilesOfAType = 15

func TestTypesHaveMethodsInFewFiles(t *testing.T) {
	files := map[string]map[string]bool{} // by folder and type
	for _, f := range sources(t) {
		if f.test || isOutside(f.dir) || contains(large, f.dir) {
			continue
		}
		for _, decl := range f.ast.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Recv == nil {
				continue
			}
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if name, ok := of.(*ast.Ident); ok {
				key := f.dir + "." + name.Name
				if files[key] == nil {
					files[key] = map[string]bool{}
				}
				files[key][f.name] = true
			}
		}
	}
	if len(files) == 0 {
		t.Fatal("no method was seen")
	}
	for name, in := range files {
		if len(in) > mostFilesOfAType {
			t.Errorf("%s: methods in %d files; %d are the most", name, len(in), mostFilesOfAType)
		}
	}
}

// TestTableOfTheHouse compares the table in docs/house.md with the folders.
func TestTableOfTheHouse(t *testing.T) {
	text, err := os.ReadFile("docs/house.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		floor, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			continue
		}
		for i, name := range strings.Split(cells[2], "`") {
			if i%2 == 0 || strings.HasSuffix(name, "…") {
				continue
			}
			if n, _ := floorOf(name); n != floor {
				t.Errorf("docs/house.md: %s is on floor %d, and the tests say %d", name, floor, n)
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("docs/house.md: %v", err)
			}
		}
		for i, name := range strings.Split(cells[2]+cells[3], "`") {
			if i%2 == 1 {
				named[name], named["internal/"+name] = true, true
			}
		}
	}
	for _, f := range sources(t) {
		if !isOutside(f.dir) && !named[f.dir] {
			t.Errorf("docs/house.md: %s has no row in the table", f.dir)
			named[f.dir] = true
		}
	}
}
