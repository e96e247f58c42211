package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/tests/storetest"
)

// A commit, the index and a folder have the same skills: a SKILL.md in a skill is a part of it, and only what is wanted
// is read.
func TestSkillsOfCollections(t *testing.T) {
	for name, c := range map[string]struct {
		files         string
		wanted, under []string
		want          string
	}{
		"skills side by side":      {"a/SKILL.md b/SKILL.md b/run.sh c/other.md", nil, nil, "a:SKILL.md b:SKILL.md,run.sh"},
		"a skill in a skill":       {"a/SKILL.md a/more/SKILL.md", nil, nil, "a:SKILL.md,more/SKILL.md"},
		"the collection itself":    {"A/SKILL.md SKILL.md z.md", nil, nil, "top:A/SKILL.md,SKILL.md,z.md"},
		"one is wanted":            {"a/SKILL.md b/SKILL.md", []string{"b"}, nil, "a: b:SKILL.md"},
		"in a folder":              {"skills/a/SKILL.md skills/SKILL.md other/b/SKILL.md", nil, []string{"skills"}, "skills/a:SKILL.md"},
		"a name that begins alike": {"skills2/a/SKILL.md .agents/skills/b/SKILL.md", nil, []string{".agents/skills"}, ".agents/skills/b:SKILL.md"},
	} {
		t.Run(name, func(t *testing.T) {
			b := storetest.Plain(t)
			b.Git("init", "-q")
			for file := range strings.FieldsSeq(c.files) {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(b.Root, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				b.Write(file, "text\n")
			}
			b.Git("add", ".")
			b.Git("commit", "-q", "-m", "all")
			repo := b.Project().Repo
			said := func(found []Found, err error) string {
				if err != nil {
					t.Fatal(err)
				}
				var list []string
				for _, s := range found {
					var files []string
					for _, f := range s.Files {
						files = append(files, f.Path)
					}
					top := s.Path
					if top == "." {
						top = s.Name
					}
					list = append(list, fmt.Sprint(top, ":", strings.Join(files, ",")))
				}
				return strings.Join(list, " ")
			}
			commit, err := object.Resolve(t.Context(), repo, "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			if got := said(InCommit(t.Context(), repo, commit, "top", c.wanted, c.under)); got != c.want {
				t.Errorf("the commit has %q, want %q", got, c.want)
			}
			if c.under == nil {
				dir := filepath.Join(filepath.Dir(b.Root), "top")
				if err := os.Rename(b.Root, dir); err != nil {
					t.Fatal(err)
				}
				if got := said(InFolder(dir, c.wanted)); got != c.want {
					t.Errorf("the folder has %q, want %q", got, c.want)
				}
			}
		})
	}
}
