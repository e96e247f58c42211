package txn

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

// slowSwitch makes a branch whose checkout takes its time, in the midst of which the
// memory file is still the old one: begin starts it, end lets it go on and waits.
func slowSwitch(b *storetest.Box) (begin, end func()) {
	b.T.Helper()
	aside := b.T.TempDir()
	begun, goOn := filepath.Join(aside, "begun"), filepath.Join(aside, "go")
	script := "#!/bin/sh\ncat\ntouch '" + begun + "'\nfor i in $(seq 3000); do test -e '" + goOn + "' && exit 0; sleep 0.02; done\n"
	smudge := filepath.Join(aside, "smudge")
	if err := os.WriteFile(smudge, []byte(script), 0o755); err != nil {
		b.T.Fatal(err)
	}
	b.Git("switch", "-q", "-c", "side")
	b.Write(memfile.FileName, storetest.WithItem("side.only", "of the side"))
	b.Write(".gitattributes", "big.bin filter=slow\n")
	b.Write("big.bin", "of the side\n")
	b.Git("add", ".")
	b.Git("commit", "-q", "-m", "side")
	b.Git("switch", "-q", "main")
	b.Git("config", "filter.slow.smudge", smudge)
	cmd := exec.Command("git", "switch", "-q", "side")
	cmd.Dir = b.Root
	begin = func() {
		if err := cmd.Start(); err != nil {
			b.T.Fatal(err)
		}
		for range 1000 {
			if _, err := os.Stat(begun); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		b.T.Fatal("the switch does not come to its filter")
	}
	return begin, func() {
		if err := os.WriteFile(goOn, nil, 0o600); err != nil {
			b.T.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.T.Errorf("the person's switch: %v", err)
		}
	}
}

// TestBesideASlowCheckout: what is written while a git changes the files would be
// written over, so nothing is, and the act does not say so either.
func TestBesideASlowCheckout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script")
	}
	for _, name := range []string{"which has begun", "which begins before the file is written"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := storetest.Git(t, storetest.WithItem("a.b", "one"))
			begin, end := slowSwitch(b)
			w := add("c.d", false)
			if strings.HasSuffix(name, "begun") {
				begin()
			} else {
				change := w.Change
				w.Change = func(doc *Draft) error {
					begin()
					return change(doc)
				}
			}
			out, err := Update(t.Context(), b.Project(), w)
			if fault.Why(err, fault.Deferred) != gitops.WhyAtWork {
				t.Errorf("%+v, %v", out, err)
			}
			if text := b.Read(memfile.FileName); text != storetest.WithItem("a.b", "one") {
				t.Errorf("the memory file was touched:\n%s", text)
			}
			end()
			if text := b.Read(memfile.FileName); text != storetest.WithItem("side.only", "of the side") {
				t.Errorf("the switch does not bring its own memory file:\n%s", text)
			}
			if dirty := b.Git("status", "--porcelain"); dirty != "" {
				t.Errorf("the worktree is not clean: %s", dirty)
			}
			must(b, add("e.f", false))
			if got := b.Subjects()[0]; got != "memory: add e.f" {
				t.Errorf("the next act commits %q", got)
			}
		})
	}
}

// TestBesideARebaseThatBegins: one that begins after the act has looked is met at the
// commit: the file is as it was, and the act may be tried again.
func TestBesideARebaseThatBegins(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script")
	}
	t.Parallel()
	b := storetest.Git(t, storetest.WithItem("a.b", "one"))
	for _, name := range []string{"x", "y"} {
		b.Write(name, "x\n")
		b.Git("add", name)
		b.Git("commit", "-q", "-m", name)
	}
	aside := t.TempDir()
	begun, goOn := filepath.Join(aside, "begun"), filepath.Join(aside, "go")
	waits := "touch " + begun + "; for i in $(seq 3000); do test -e " + goOn + " && exit 0; sleep 0.02; done"
	cmd := exec.Command("git", "rebase", "-q", "-x", waits, "HEAD~1")
	cmd.Dir = b.Root
	w := add("c.d", false)
	change := w.Change
	w.Change = func(doc *Draft) error {
		if cmd.Process == nil {
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 1000 {
				if _, err := os.Stat(begun); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
		return change(doc)
	}
	out, err := Update(t.Context(), b.Project(), w)
	if fault.Why(err, fault.Deferred) != gitops.WhyAtWork {
		t.Errorf("%+v, %v", out, err)
	}
	if text := b.Read(memfile.FileName); text != storetest.WithItem("a.b", "one") {
		t.Errorf("the memory file was touched:\n%s", text)
	}
	if err := errors.Join(os.WriteFile(goOn, nil, 0o600), cmd.Wait()); err != nil {
		t.Errorf("the person's rebase: %v", err)
	}
	must(b, add("e.f", false))
	if dirty := b.Git("status", "--porcelain"); dirty != "" {
		t.Errorf("the worktree is not clean: %s", dirty)
	}
}
