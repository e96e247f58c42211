package worktree

import (
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

// TestConverts asks of attributes what git asks, where a line may be about the file, and
// nothing where none can be.
func TestConverts(t *testing.T) {
	t.Parallel()
	const name = "docs/memories.md"
	for what, c := range map[string]struct {
		line      string
		asked     bool // git is
		converts  bool
		encodings string
	}{
		"none":                         {"", false, false, ""},
		"of other files":               {"*.png filter=lfs diff=lfs -text", false, false, ""},
		"of a file alike":              {"notes.md filter=crypt", false, false, ""},
		"a merge driver":               {"memories.md merge=memctl", false, false, ""},
		"a remark":                     {"# *.md filter=crypt", false, false, ""},
		"a filter":                     {"*.md filter=crypt", true, true, ""},
		"a filter of all":              {"* filter=crypt", true, true, ""},
		"a filter of a folder":         {"docs/** filter=crypt", true, true, ""},
		"a filter from the top":        {"/docs/memories.md filter=crypt", true, true, ""},
		"a filter taken away":          {"*.md filter=crypt\nmemories.md !filter", true, false, ""},
		"a filter never set":           {"*.md -filter", false, false, ""},
		"a class of letters":           {"docs/memories.m[abcd] filter=crypt", true, true, ""},
		"a quoted name":                {`"docs/memories.md" filter=crypt`, true, true, ""},
		"a name for attributes":        {"[attr]hidden filter=crypt\n*.md hidden", true, true, ""},
		"a name for others":            {"[attr]hidden filter=crypt\n*.txt hidden", true, false, ""},
		"ident":                        {"*.md ident", true, true, ""},
		"an encoding":                  {"*.md working-tree-encoding=UTF-16", true, true, "UTF-16"},
		"an encoding that is no other": {"*.md working-tree-encoding=utf8", true, false, ""},
	} {
		b := gittest.NewBox(t)
		b.Write(".gitattributes", c.line+"\n")
		r := findRepo(b)
		if got := Converts(background, r, name); got != c.converts {
			t.Errorf("%s: Converts = %v, want %v", what, got, c.converts)
		}
		if got := WorktreeEncoding(background, r, name); got != c.encodings {
			t.Errorf("%s: WorktreeEncoding = %q, want %q", what, got, c.encodings)
		}
		if _, asked := gitops.Attached[attributeFiles](r).known[name]; asked != c.asked {
			t.Errorf("%s: git asked: %v, want %v", what, asked, c.asked)
		}
	}
}

// TestConvertsPlaces finds the attributes wherever git does.
func TestConvertsPlaces(t *testing.T) {
	t.Parallel()
	const line = "*.md filter=crypt\n"
	for what, place := range map[string]func(*gittest.Box, *gitops.Repo){
		"the file's folder": func(b *gittest.Box, _ *gitops.Repo) { b.Write("docs/.gitattributes", line) },
		"the git folder":    func(b *gittest.Box, _ *gitops.Repo) { b.Write(".git/info/attributes", line) },
		"a file of settings": func(b *gittest.Box, r *gitops.Repo) {
			b.Write("mine", line)
			b.Git("config", "core.attributesFile", b.Root+"/mine")
			SetAttributesFile(r, b.Root+"/mine")
		},
		"one named from the top": func(b *gittest.Box, r *gitops.Repo) {
			b.Write("docs/mine", line)
			b.Git("config", "core.attributesFile", "docs/mine")
			SetAttributesFile(r, "docs/mine")
		},
		"behind a byte order mark": func(b *gittest.Box, _ *gitops.Repo) {
			b.Write(".gitattributes", "\ufeffdocs/memories.md filter=crypt\n")
		},
	} {
		b := gittest.NewBox(t)
		r := findRepo(b)
		place(b, r)
		if !Converts(background, r, "docs/memories.md") {
			t.Errorf("%s: not found", what)
		}
	}
}
