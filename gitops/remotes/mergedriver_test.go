package remotes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
)

// TestInstallMergeDriver keeps what stands in info/attributes, and does nothing the second time.
func TestInstallMergeDriver(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join(dir, ".git", "info", "attributes")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("*.png binary\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := gitops.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := MergeDriver(ctx, r); there || err != nil {
		t.Fatalf("before: %v, %v", there, err)
	}
	for i, want := range []bool{true, false} {
		if changed, err := InstallMergeDriver(ctx, r); changed != want || err != nil {
			t.Fatalf("time %d: %v, %v", i+1, changed, err)
		}
	}
	src, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(src), "*.png binary\n") || strings.Count(string(src), "memories.md merge=memctl") != 1 {
		t.Errorf("attributes: %v\n%s", err, src)
	}
	out, err := exec.Command("git", "-C", dir, "check-attr", "merge", "memories.md", "memories/notes/2026/x.md", "src/memories.go").Output()
	want := "memories.md: merge: memctl\nmemories/notes/2026/x.md: merge: memctl\nsrc/memories.go: merge: unspecified\n"
	if err != nil || string(out) != want {
		t.Errorf("check-attr: %v\n%s", err, out)
	}
}

// TestTheDriverFindsItsProgram has git call the driver without memctl on the path: the
// program that set it is called by its own path, whatever that holds.
func TestTheDriverFindsItsProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(real, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	for _, folder := range []string{"plain", "a b", "it's", `"q" $HOME %O`, `back\slash`} {
		t.Run(folder, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, folder, "memctl")
			if err := os.MkdirAll(filepath.Dir(program), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, []byte("#!/bin/sh\necho by $1 >\"$3\"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			repo := filepath.Join(dir, "repo")
			git := func(args ...string) {
				t.Helper()
				if out, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %v: %s", args, err, out)
				}
			}
			commit := func(text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(repo, "memories.md"), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				git("add", ".")
				git("commit", "-q", "-m", text)
			}
			if out, err := exec.Command("git", "init", "-q", "-b", "main", repo).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			r, err := gitops.Open(repo)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := InstallMergeDriver(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			line := driverWith(program)
			if err := r.SetConfig(context.Background(), driverCommand, line); err != nil {
				t.Fatal(err)
			}
			if there, err := MergeDriver(context.Background(), r); !there || err != nil || !isDriver(line) {
				t.Errorf("not known as ours: %v, %v: %s", there, err, line)
			}
			commit("base")
			git("branch", "other")
			commit("ours")
			git("switch", "-q", "other")
			commit("theirs")
			git("merge", "-q", "--no-edit", "main")
			if src, err := os.ReadFile(filepath.Join(repo, "memories.md")); err != nil || string(src) != "by merge-driver\n" {
				t.Errorf("merged to %q, %v", src, err)
			}
		})
	}
}

func TestAnOlderDriverIsKnown(t *testing.T) {
	for line, want := range map[string]bool{
		driverLine:                        true,
		driverWith("/usr/bin/memctl"):     true,
		"":                                false,
		"memctl merge-driver %O %A %B %P": false,
		driverWith("/usr/bin/memctl") + "; false": false,
	} {
		if isDriver(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
