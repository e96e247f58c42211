package committer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// placeCases: where the commit is made.
func placeCases() map[string]commitCase {
	return map[string]commitCase{
		"a plain repository": {},
		"a subfolder": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("deep/down/x", "x")
			r, err := gitops.Find(filepath.Join(b.Root, "deep", "down"))
			if err != nil || r.Root != b.Root {
				b.T.Fatalf("Find = %+v, %v", r, err)
			}
			return nil
		}},
		"a memory file in a subfolder": {
			setup: func(b *gittest.Box) *gittest.Box { b.Write("docs/a b/memories.md", "two\n"); return nil },
			req:   func(r *Request) { r.Paths = []string{"docs/a b/memories.md"} },
		},
		"an unborn branch": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("checkout", "-q", "--orphan", "fresh")
			return nil
		}},
		"no commit at all": {setup: func(b *gittest.Box) *gittest.Box {
			n := b.At(gittest.RealTemp(b.T))
			n.Git("init", "-q")
			n.Write(gittest.Memory, "two\n")
			n.Write("staged.txt", "x\n")
			n.Git("add", "staged.txt")
			return n
		}},
		"a detached HEAD": {setup: func(b *gittest.Box) *gittest.Box { b.Git("checkout", "-q", "--detach"); return nil }},
		"a linked worktree": {setup: func(b *gittest.Box) *gittest.Box {
			dir := filepath.Join(gittest.RealTemp(b.T), "linked")
			b.Git("worktree", "add", "-q", "-b", "side", dir)
			w := b.At(dir)
			w.Write(gittest.Memory, "two\n")
			return w
		}},
		"a linked worktree of a bare repository": {setup: func(b *gittest.Box) *gittest.Box {
			dir := gittest.RealTemp(b.T)
			b.Git("clone", "-q", "--bare", b.Root, filepath.Join(dir, "bare.git"))
			b.At(filepath.Join(dir, "bare.git")).Git("worktree", "add", "-q", filepath.Join(dir, "w"))
			w := b.At(filepath.Join(dir, "w"))
			w.Write(gittest.Memory, "two\n")
			return w
		}},
		"a submodule": {setup: func(b *gittest.Box) *gittest.Box {
			super := gittest.NewBox(b.T)
			super.Git("submodule", "add", "-q", b.Root, "sub")
			s := super.At(filepath.Join(super.Root, "sub"))
			s.Write(gittest.Memory, "two\n")
			return s
		}},
		"a separate git folder": {init: []string{"--separate-git-dir=../elsewhere.git"}},
		"a branch behind two symbolic refs": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("branch", "real")
			b.Git("symbolic-ref", "refs/heads/alias", "refs/heads/real")
			b.Git("symbolic-ref", "HEAD", "refs/heads/alias")
			return nil
		}, check: func(b *gittest.Box, commit string) {
			if got := b.Git("rev-parse", "refs/heads/real"); got != commit {
				b.T.Errorf("real = %s, want %s", got, commit)
			}
		}},
		"packed refs": {setup: func(b *gittest.Box) *gittest.Box { b.Git("pack-refs", "--all"); return nil }},
	}
}

// indexCases: what the person's index holds.
func indexCases() map[string]commitCase {
	return map[string]commitCase{
		"other work staged": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("other.txt", "staged\n")
			b.Write("new.txt", "new\n")
			b.Git("add", "other.txt", "new.txt")
			b.Git("rm", "-q", "more.txt")
			return nil
		}},
		"a half-staged file": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("other.txt", "staged\n")
			b.Git("add", "other.txt")
			b.Write("other.txt", "staged\nand more\n")
			return nil
		}},
		"another file with intent to add": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("new.txt", "new\n")
			b.Git("add", "-N", "new.txt")
			return nil
		}},
		"the file itself with intent to add": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("fresh.md", "two\n")
			b.Git("add", "-N", "fresh.md")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"fresh.md"} }},
		"assume-unchanged and skip-worktree marks": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("update-index", "--assume-unchanged", "other.txt")
			b.Git("update-index", "--skip-worktree", "more.txt")
			b.Write("other.txt", "hidden\n")
			return nil
		}},
		"an older state of the file staged": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(gittest.Memory, "staged\n")
			b.Git("add", gittest.Memory)
			b.Write(gittest.Memory, "two\n")
			return nil
		}},
		"another file unmerged without a merge": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("other.txt", "stashed\n")
			b.Git("stash", "-q")
			b.Write("other.txt", "three\n")
			b.Git("commit", "-q", "-a", "-m", "three")
			_, _ = b.Try("stash", "pop")
			b.Write(gittest.Memory, "two\n")
			return nil
		}},
	}
}

// pathCases: the file itself, and what it is called.
func pathCases() map[string]commitCase {
	return map[string]commitCase{
		"an untracked file": {
			setup: func(b *gittest.Box) *gittest.Box { b.Write("fresh.md", "two\n"); return nil },
			req:   func(r *Request) { r.Paths = []string{"fresh.md"} },
		},
		"an ignored file": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(".gitignore", "*.md\n")
			b.Write("fresh.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"fresh.md"} }},
		"a name full of glob characters and an option": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("[a]*?.md", "two\n")
			b.Write("axx.md", "not this\n")
			b.Git("add", "axx.md")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"[a]*?.md"} }},
		"a name like an option": {
			setup: func(b *gittest.Box) *gittest.Box { b.Write("--all", "two\n"); return nil },
			req:   func(r *Request) { r.Paths = []string{"--all"} },
		},
		"several files, one of them unknown": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("a.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"a.md", gittest.Memory} }},
		"untracked by a staged removal": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("rm", "-q", "--cached", gittest.Memory)
			return nil
		}},
		"an executable file": {setup: func(b *gittest.Box) *gittest.Box {
			if err := os.Chmod(filepath.Join(b.Root, gittest.Memory), 0o755); err != nil {
				b.T.Fatal(err)
			}
			return nil
		}, check: func(b *gittest.Box, commit string) {
			if got := b.Git("ls-tree", commit, gittest.Memory); !strings.HasPrefix(got, "100755") {
				b.T.Errorf("mode: %s", got)
			}
		}},
		"executable in the index, where modes on disk do not count": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write(gittest.Memory, "one\n")
			b.Git("update-index", "--chmod=+x", gittest.Memory)
			b.Git("commit", "-q", "-m", "executable")
			b.Git("config", "core.fileMode", "false")
			b.Write(gittest.Memory, "two\n")
			return nil
		}, check: func(b *gittest.Box, commit string) {
			if got := b.Git("ls-tree", commit, gittest.Memory); !strings.HasPrefix(got, "100755") {
				b.T.Errorf("mode: %s", got)
			}
		}},
	}
}

// formatCases: forms of repositories that a writer of our own would get wrong.
func formatCases() map[string]commitCase {
	cases := map[string]commitCase{
		"SHA-256":        {init: []string{"--object-format=sha256"}},
		"worktreeConfig": {setup: func(b *gittest.Box) *gittest.Box { b.Git("config", "extensions.worktreeConfig", "true"); return nil }},
		"a sparse checkout": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("in/a", "a\n")
			b.Write("out/a", "a\n")
			b.Git("add", "in", "out")
			b.Git("commit", "-q", "-m", "folders")
			b.Git("sparse-checkout", "set", "in")
			return nil
		}},
		"a new file outside a sparse checkout": {setup: func(b *gittest.Box) *gittest.Box {
			b.Write("in/a", "a\n")
			b.Write("out/a", "a\n")
			b.Git("add", "in", "out")
			b.Git("commit", "-q", "-m", "folders")
			b.Git("sparse-checkout", "set", "in")
			b.Write("out/fresh.md", "two\n")
			return nil
		}, req: func(r *Request) { r.Paths = []string{"out/fresh.md"} }},
		"a split index": {setup: func(b *gittest.Box) *gittest.Box { b.Git("update-index", "--split-index"); return nil }},
		"an index of version 4 with untracked cache": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("update-index", "--index-version", "4", "--force-untracked-cache")
			return nil
		}},
		"objects borrowed from another repository": {setup: func(b *gittest.Box) *gittest.Box {
			dir := filepath.Join(gittest.RealTemp(b.T), "clone")
			b.Git("clone", "-q", "--shared", b.Root, dir)
			c := b.At(dir)
			c.Write(gittest.Memory, "two\n")
			return c
		}},
		"a shallow clone": {setup: func(b *gittest.Box) *gittest.Box {
			dir := filepath.Join(gittest.RealTemp(b.T), "clone")
			b.Git("clone", "-q", "--depth=1", "file://"+b.Root, dir)
			c := b.At(dir)
			c.Write(gittest.Memory, "two\n")
			return c
		}},
		"autocrlf and safecrlf": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "core.autocrlf", "true")
			b.Git("config", "core.safecrlf", "true")
			b.Write(gittest.Memory, "two\r\nlines\n")
			return nil
		}, want: "two\nlines"},
		"a clean filter": {setup: func(b *gittest.Box) *gittest.Box {
			b.Git("config", "filter.up.clean", "tr a-z A-Z")
			b.Git("config", "filter.up.smudge", "cat")
			b.Write(".git/info/attributes", "memories.md filter=up\n")
			return nil
		}, want: "TWO"},
	}
	return cases
}

// TestDubiousOwnership: git's own word, with its hint.
func TestDubiousOwnership(t *testing.T) {
	b := gittest.NewBox(t)
	b.Write(gittest.Memory, "two\n")
	r := findRepo(b)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := commitNow(background, r, Request{Paths: []string{gittest.Memory}, Subject: "s"})
	wantBlocked(t, err, gitops.WhyOwnership)
	if blocked := fault.Find(err, fault.Blocked); blocked == nil || !strings.Contains(blocked.Detail, "safe.directory") {
		t.Errorf("no hint in %v", err)
	}
	wantBlocked(t, object.History(background, r, "HEAD", gittest.Memory, 0, func(object.Version) bool { return true }), gitops.WhyOwnership)
}
