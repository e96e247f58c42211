package committer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/tests/gittest"
)

const commitsPerChild = 8

// commitAsChild makes commits of a file of its own, without any lock of ours:
// git's have to do.
func commitAsChild(dir string) int {
	name := "child-" + os.Getenv("GITOPS_TEST_NAME") + ".md"
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	r, err := gitops.Find(dir)
	for i := 0; err == nil && i < commitsPerChild; i++ {
		err = os.WriteFile(filepath.Join(dir, name), []byte(strconv.Itoa(i)+"\n"), 0o600)
		var hash string
		if err == nil {
			hash, err = commitNow(ctx, r, Request{Paths: []string{name}, Subject: name + " " + strconv.Itoa(i)})
		}
		if err == nil && hash == "" {
			err = fmt.Errorf("commit %d: nothing to commit", i)
		}
		if err == nil {
			fmt.Println(hash)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestParallelCommits: three processes and a person's git on one branch. Every
// commit must be on it, and every id that was told must be of that commit.
func TestParallelCommits(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	var answers []*strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "GITOPS_TEST_COMMITTER="+b.Root, "GITOPS_TEST_NAME="+name)
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, answers = append(children, cmd), append(answers, out)
	}
	mine := 0
	for i := range commitsPerChild {
		b.Write("other.txt", strconv.Itoa(i))
		// A person's git does not wait for locks; the person tries again.
		for range 200 {
			if _, err := b.Try("commit", "-q", "-m", "mine", "--", "other.txt"); err == nil {
				mine++
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("child %d: %v\n%s", i, err, answers[i])
		}
	}
	subjects := b.Git("log", "--format=%H %s")
	swapped := 0 // two gits share the file of the message, and one may take the other's
	for i, name := range []string{"a", "b", "c"} {
		hashes := strings.Fields(answers[i].String())
		for n, hash := range hashes {
			switch {
			case !strings.Contains(subjects, hash):
				t.Errorf("child %s: commit %d (%s) is not on the branch", name, n, hash)
			case !strings.Contains(subjects, fmt.Sprintf("%s child-%s.md %d", hash, name, n)):
				swapped++
			}
		}
		if len(hashes) != commitsPerChild {
			t.Errorf("child %s: %d commits", name, len(hashes))
		}
	}
	if swapped > commitsPerChild {
		t.Errorf("%d commits have another's subject", swapped)
	}
	if got, want := strings.Count(subjects, "\n")+1, 2+3*commitsPerChild+mine; got != want {
		t.Errorf("%d commits on the branch, want %d", got, want)
	}
	if out, err := b.Try("fsck", "--strict"); err != nil {
		t.Errorf("fsck: %s", out)
	}
	// The index is another matter: git reads it before it locks it, so that two
	// of them can lose an entry of the other's.
	for _, name := range []string{"a", "b", "c"} {
		if got := b.Git("cat-file", "blob", "HEAD:child-"+name+".md"); got != strconv.Itoa(commitsPerChild-1) {
			t.Errorf("child %s: %q at the end", name, got)
		}
	}
}

// TestTimeIsBounded: a git that hangs ends with the caller's time, and takes
// its lock files along.
func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Write(gittest.Memory, "two\n")
	b.Git("config", "commit.gpgSign", "true")
	b.Write(".git/slow", "#!/bin/sh\nsleep 30\necho >\"$0.ended\"\n")
	if err := os.Chmod(filepath.Join(b.Root, ".git/slow"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.Git("config", "gpg.program", filepath.Join(b.Root, ".git/slow"))
	ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	_, err := commitNow(ctx, findRepo(b), Request{Paths: []string{gittest.Memory}, Subject: "s", Settings: settings(b, false)})
	wantBlocked(t, err, gitops.WhyTimeout)
	if _, err := os.Stat(filepath.Join(b.Root, ".git", "slow.ended")); err == nil {
		t.Error("the program that hangs ended first")
	}
	if _, err := os.Stat(filepath.Join(b.Root, ".git", "index.lock")); err == nil {
		t.Error("index.lock left behind")
	}
}
