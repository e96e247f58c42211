package gitops

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALockThatGitCouldNotRemoveIsTakenAway(t *testing.T) {
	dir := t.TempDir()
	made := []string{"HEAD.lock", "index.lock", "memories.md"}
	for _, name := range made {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dropUnremoved(dir, "hint: x\nwarning: unable to unlink '"+filepath.Join(dir, "HEAD.lock")+"': Input/output error\n"+
		"warning: unable to unlink 'memories.md': Input/output error\nerror: Unable to create 'index.lock': File exists.\n")
	for i, name := range made {
		if _, err := os.Stat(filepath.Join(dir, name)); os.IsNotExist(err) != (i == 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
