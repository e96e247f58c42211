package check

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// archive reads skills from an archive: the first part of each path is the skill's folder.
func archive(t *testing.T, name string) map[string][]File {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	skills := map[string][]File{}
	for part := range strings.SplitSeq("\n"+string(src), "\n-- ") {
		if name, text, ok := strings.Cut(part, " --\n"); ok {
			folder, rest, _ := strings.Cut(name, "/")
			skills[folder] = append(skills[folder], File{Path: path.Clean(rest), Data: []byte(text + "\n")})
		}
	}
	return skills
}

// mostMissed is how many of the hostile skills may pass.
const mostMissed = 2

func TestHostileSkillsAreRefused(t *testing.T) {
	skills := archive(t, "testdata/hostile.txtar")
	if len(skills) != 40 {
		t.Fatalf("%d skills, not 40", len(skills))
	}
	var missed []string
	for folder, files := range skills {
		if !Refused(Skill(folder, files)) {
			missed = append(missed, folder)
		}
	}
	slices.Sort(missed)
	t.Logf("%d of %d refused; missed: %v", len(skills)-len(missed), len(skills), missed)
	if len(missed) > mostMissed {
		t.Errorf("%d hostile skills pass, more than %d: %v", len(missed), mostMissed, missed)
	}
}
