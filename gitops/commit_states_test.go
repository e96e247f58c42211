package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// placeCases: where the commit is made.
func placeCases() map[string]commitCase {
	return map[string]commitCase{
		"a plain repository": {},
		"a subfolder": {setup: func(b *box) *box {
			b.write("deep/down/x", "x")
			r, err := Find(filepath.Join(b.root, "deep", "down"))
			if err != nil || r.Root != b.root {
				b.t.Fatalf("Find = %+v, %v", r, err)
			}
			return nil
		}},
		"a memory file in a subfolder": {
			setup: func(b *box) *box { b.write("docs/a b/memories.md", "two\n"); return nil },
			req:   func(r *CommitRequest) { r.Paths = []string{"docs/a b/memories.md"} },
		},
		"an unborn branch": {setup: func(b *box) *box {
			b.git("checkout", "-q", "--orphan", "fresh")
			return nil
		}},
		"no commit at all": {setup: func(b *box) *box {
			n := b.at(realTemp(b.t))
			n.git("init", "-q")
			n.write(memory, "two\n")
			n.write("staged.txt", "x\n")
			n.git("add", "staged.txt")
			return n
		}},
		"a detached HEAD": {setup: func(b *box) *box { b.git("checkout", "-q", "--detach"); return nil }},
		"a linked worktree": {setup: func(b *box) *box {
			dir := filepath.Join(realTemp(b.t), "linked")
			b.git("worktree", "add", "-q", "-b", "side", dir)
			w := b.at(dir)
			w.write(memory, "two\n")
			return w
		}},
		"a linked worktree of a bare repository": {setup: func(b *box) *box {
			dir := realTemp(b.t)
			b.git("clone", "-q", "--bare", b.root, filepath.Join(dir, "bare.git"))
			b.at(filepath.Join(dir, "bare.git")).git("worktree", "add", "-q", filepath.Join(dir, "w"))
			w := b.at(filepath.Join(dir, "w"))
			w.write(memory, "two\n")
			return w
		}},
		"a submodule": {setup: func(b *box) *box {
			super := newBox(b.t)
			super.git("submodule", "add", "-q", b.root, "sub")
			s := super.at(filepath.Join(super.root, "sub"))
			s.write(memory, "two\n")
			return s
		}},
		"a separate git folder": {init: []string{"--separate-git-dir=../elsewhere.git"}},
		"a branch behind two symbolic refs": {setup: func(b *box) *box {
			b.git("branch", "real")
			b.git("symbolic-ref", "refs/heads/alias", "refs/heads/real")
			b.git("symbolic-ref", "HEAD", "refs/heads/alias")
			return nil
		}, check: func(b *box, commit string) {
			if got := b.git("rev-parse", "refs/heads/real"); got != commit {
				b.t.Errorf("real = %s, want %s", got, commit)
			}
		}},
		"packed refs": {setup: func(b *box) *box { b.git("pack-refs", "--all"); return nil }},
	}
}

// indexCases: what the person's index holds.
func indexCases() map[string]commitCase {
	return map[string]commitCase{
		"other work staged": {setup: func(b *box) *box {
			b.write("other.txt", "staged\n")
			b.write("new.txt", "new\n")
			b.git("add", "other.txt", "new.txt")
			b.git("rm", "-q", "more.txt")
			return nil
		}},
		"a half-staged file": {setup: func(b *box) *box {
			b.write("other.txt", "staged\n")
			b.git("add", "other.txt")
			b.write("other.txt", "staged\nand more\n")
			return nil
		}},
		"another file with intent to add": {setup: func(b *box) *box {
			b.write("new.txt", "new\n")
			b.git("add", "-N", "new.txt")
			return nil
		}},
		"the file itself with intent to add": {setup: func(b *box) *box {
			b.write("fresh.md", "two\n")
			b.git("add", "-N", "fresh.md")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }},
		"assume-unchanged and skip-worktree marks": {setup: func(b *box) *box {
			b.git("update-index", "--assume-unchanged", "other.txt")
			b.git("update-index", "--skip-worktree", "more.txt")
			b.write("other.txt", "hidden\n")
			return nil
		}},
		"an older state of the file staged": {setup: func(b *box) *box {
			b.write(memory, "staged\n")
			b.git("add", memory)
			b.write(memory, "two\n")
			return nil
		}},
		"another file unmerged without a merge": {setup: func(b *box) *box {
			b.write("other.txt", "stashed\n")
			b.git("stash", "-q")
			b.write("other.txt", "three\n")
			b.git("commit", "-q", "-a", "-m", "three")
			_, _ = b.try("stash", "pop")
			b.write(memory, "two\n")
			return nil
		}},
	}
}

// pathCases: the file itself, and what it is called.
func pathCases() map[string]commitCase {
	return map[string]commitCase{
		"an untracked file": {
			setup: func(b *box) *box { b.write("fresh.md", "two\n"); return nil },
			req:   func(r *CommitRequest) { r.Paths = []string{"fresh.md"} },
		},
		"an ignored file": {setup: func(b *box) *box {
			b.write(".gitignore", "*.md\n")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }},
		"a name full of glob characters and an option": {setup: func(b *box) *box {
			b.write("[a]*?.md", "two\n")
			b.write("axx.md", "not this\n")
			b.git("add", "axx.md")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"[a]*?.md"} }},
		"a name like an option": {
			setup: func(b *box) *box { b.write("--all", "two\n"); return nil },
			req:   func(r *CommitRequest) { r.Paths = []string{"--all"} },
		},
		"several files, one of them unknown": {setup: func(b *box) *box {
			b.write("a.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"a.md", memory} }},
		"untracked by a staged removal": {setup: func(b *box) *box {
			b.git("rm", "-q", "--cached", memory)
			return nil
		}},
		"an executable file": {setup: func(b *box) *box {
			if err := os.Chmod(filepath.Join(b.root, memory), 0o755); err != nil {
				b.t.Fatal(err)
			}
			return nil
		}, check: func(b *box, commit string) {
			if got := b.git("ls-tree", commit, memory); !strings.HasPrefix(got, "100755") {
				b.t.Errorf("mode: %s", got)
			}
		}},
		"executable in the index, where modes on disk do not count": {setup: func(b *box) *box {
			b.write(memory, "one\n")
			b.git("update-index", "--chmod=+x", memory)
			b.git("commit", "-q", "-m", "executable")
			b.git("config", "core.fileMode", "false")
			b.write(memory, "two\n")
			return nil
		}, check: func(b *box, commit string) {
			if got := b.git("ls-tree", commit, memory); !strings.HasPrefix(got, "100755") {
				b.t.Errorf("mode: %s", got)
			}
		}},
	}
}

// formatCases: forms of repositories that a writer of our own would get wrong.
func formatCases() map[string]commitCase {
	cases := map[string]commitCase{
		"SHA-256":        {init: []string{"--object-format=sha256"}},
		"worktreeConfig": {setup: func(b *box) *box { b.git("config", "extensions.worktreeConfig", "true"); return nil }},
		"a sparse checkout": {setup: func(b *box) *box {
			b.write("in/a", "a\n")
			b.write("out/a", "a\n")
			b.git("add", "in", "out")
			b.git("commit", "-q", "-m", "folders")
			b.git("sparse-checkout", "set", "in")
			return nil
		}},
		"a new file outside a sparse checkout": {setup: func(b *box) *box {
			b.write("in/a", "a\n")
			b.write("out/a", "a\n")
			b.git("add", "in", "out")
			b.git("commit", "-q", "-m", "folders")
			b.git("sparse-checkout", "set", "in")
			b.write("out/fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"out/fresh.md"} }},
		"a split index": {setup: func(b *box) *box { b.git("update-index", "--split-index"); return nil }},
		"an index of version 4 with untracked cache": {setup: func(b *box) *box {
			b.git("update-index", "--index-version", "4", "--force-untracked-cache")
			return nil
		}},
		"objects borrowed from another repository": {setup: func(b *box) *box {
			dir := filepath.Join(realTemp(b.t), "clone")
			b.git("clone", "-q", "--shared", b.root, dir)
			c := b.at(dir)
			c.write(memory, "two\n")
			return c
		}},
		"a shallow clone": {setup: func(b *box) *box {
			dir := filepath.Join(realTemp(b.t), "clone")
			b.git("clone", "-q", "--depth=1", "file://"+b.root, dir)
			c := b.at(dir)
			c.write(memory, "two\n")
			return c
		}},
		"autocrlf and safecrlf": {setup: func(b *box) *box {
			b.git("config", "core.autocrlf", "true")
			b.git("config", "core.safecrlf", "true")
			b.write(memory, "two\r\nlines\n")
			return nil
		}, want: "two\nlines"},
		"a clean filter": {setup: func(b *box) *box {
			b.git("config", "filter.up.clean", "tr a-z A-Z")
			b.git("config", "filter.up.smudge", "cat")
			b.write(".git/info/attributes", "memories.md filter=up\n")
			return nil
		}, want: "TWO"},
	}
	return cases
}

// TestDubiousOwnership: git's own word, with its hint.
func TestDubiousOwnership(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	r := findRepo(b)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyOwnership)
	var blocked *BlockedError
	if errors.As(err, &blocked); !strings.Contains(blocked.Detail, "safe.directory") {
		t.Errorf("no hint in %q", blocked.Detail)
	}
	wantBlocked(t, r.History(background, "HEAD", memory, 0, func(Version) bool { return true }), WhyOwnership)
}
