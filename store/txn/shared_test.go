package txn

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/memctl/memctl/tests/storetest"
)

func TestAGroupMayUseWhatASharedRepositoryHolds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are Unix's")
	}
	for value, want := range map[string]fs.FileMode{"group": 0o060, "0660": 0o060, "all": 0o064, "umask": 0} {
		t.Run(value, func(t *testing.T) {
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			b.Git("config", "core.sharedRepository", value)
			must(b, add("c.d", false))
			must(b, add("e.f", false))
			aside := filepath.Join(b.Root, ".git", "memctl", "original-1.md")
			if err := os.WriteFile(aside, []byte("a secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			must(b, add("g.h", false))
			if info, err := os.Lstat(aside); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v: %v: what held a secret is its owner's alone", info.Mode(), err)
			}
			if err := os.Remove(aside); err != nil {
				t.Fatal(err)
			}
			count := 0
			for _, top := range []string{"memctl", "refs/memctl"} {
				err := filepath.WalkDir(filepath.Join(b.Root, ".git", top), func(name string, d fs.DirEntry, err error) error {
					if err != nil {
						return err
					}
					count++
					info, err := d.Info()
					if err != nil {
						return err
					}
					mode := info.Mode()
					if top == "memctl" && mode.Perm()&0o066 != want && !d.IsDir() || mode.Perm()&want != want {
						t.Errorf("%s: %v, wanted %v for others", name, mode, want)
					}
					if d.IsDir() && want != 0 && (mode&fs.ModeSetgid == 0 || mode.Perm()&0o010 == 0) {
						t.Errorf("%s: %v: the group cannot work in it", name, mode)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if count < 5 {
				t.Errorf("only %d files and folders looked at", count)
			}
		})
	}
}
