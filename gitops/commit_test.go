package gitops

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const memory = "memories.md"

// commitCase prepares a repository and says what Commit must do in it.
type commitCase struct {
	init  []string                    // arguments for git init
	setup func(b *box) *box           // the state; where the commit is made, nil: in b
	req   func(r *CommitRequest)      // changes to the request
	want  string                      // the content that the commit must have, default: two
	why   string                      // blocked instead, for this reason
	check func(b *box, commit string) // more to look at
}

// TestCommitLeavesTheRestAlone commits memory in every state that a person's
// repository can be in, and compares all else before and after.
func TestCommitLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for name, c := range commitCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t, c.init...)
			b.write(memory, "two\n")
			if c.setup != nil {
				if other := c.setup(b); other != nil {
					b = other
				}
			}
			c.run(b)
		})
	}
}

func (c commitCase) run(b *box) {
	t := b.t
	t.Helper()
	req := CommitRequest{Paths: []string{memory}, Subject: "memory: add writing.tone"}
	if c.req != nil {
		c.req(&req)
	}
	rest, head := b.rest(req.Paths...), b.head()
	index := b.git("ls-files", "-s", "-v")
	commit, err := b.find().Commit(background, req)
	if c.why != "" {
		wantBlocked(t, err, c.why)
		if b.head() != head || b.git("ls-files", "-s", "-v") != index {
			t.Fatalf("a blocked commit changed HEAD or the index:\n%s", b.git("ls-files", "-s", "-v"))
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := b.head(); got != commit {
		t.Fatalf("Commit = %q, HEAD = %q", commit, got)
	}
	if got := b.git("log", "-1", "--format=%P"); got != head {
		t.Errorf("parent = %q, want %q", got, head)
	}
	if got := b.git("show", "--format=", "--root", "--name-only", "-m", commit); got != strings.Join(req.Paths, "\n") {
		t.Errorf("files in the commit: %q", got)
	}
	if c.want == "" {
		c.want = "two"
	}
	if got := b.git("cat-file", "blob", commit+":"+req.Paths[0]); got != c.want {
		t.Errorf("content in the commit = %q, want %q", got, c.want)
	}
	if got := b.rest(req.Paths...); got != rest {
		t.Errorf("the rest changed:\n%s\nwas\n%s", got, rest)
	}
	if got := b.git("reflog", "-1", "--format=%H", "HEAD"); got != commit {
		t.Errorf("reflog = %q", got)
	}
	if out, err := b.try("fsck", "--strict"); err != nil {
		t.Errorf("fsck: %s", out)
	}
	if c.check != nil {
		c.check(b, commit)
	}
}

func commitCases() map[string]commitCase {
	cases := map[string]commitCase{}
	for _, part := range []map[string]commitCase{placeCases(), indexCases(), formatCases(), settingCases(), blockedCases()} {
		for name, c := range part {
			cases[name] = c
		}
	}
	return cases
}

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
			b.write("a.md", "not this\n")
			b.git("add", "a.md")
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

// settingCases: settings that could change the message, run hooks or prompt.
func settingCases() map[string]commitCase {
	allHooks := []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "reference-transaction", "post-index-change"}
	noHook := func(b *box, _ string) {
		if data, err := os.ReadFile(filepath.Join(b.root, ".git/hooks-ran")); err == nil {
			b.t.Errorf("hooks ran: %s", data)
		}
	}
	return map[string]commitCase{
		"hooks are there and not run": {setup: func(b *box) *box {
			for _, h := range allHooks {
				b.hook(".git/hooks", h, "exit 1\n")
			}
			return nil
		}, check: noHook},
		"hooks in core.hooksPath are not run": {setup: func(b *box) *box {
			for _, h := range allHooks {
				b.hook(".git/own", h, "exit 1\n")
			}
			b.git("config", "core.hooksPath", ".git/own")
			return nil
		}, check: noHook},
		"hooks run where they are wanted": {setup: func(b *box) *box {
			b.hook(".git/hooks", "pre-commit", "")
			b.hook(".git/hooks", "post-commit", "")
			return nil
		}, req: func(r *CommitRequest) { r.Hooks = true }, check: func(b *box, _ string) {
			data, _ := os.ReadFile(filepath.Join(b.root, ".git/hooks-ran"))
			if string(data) != "pre-commit\npost-commit\n" {
				b.t.Errorf("hooks ran: %q", data)
			}
		}},
		"settings that change messages": {setup: func(b *box) *box {
			b.write(".git/template", "from the template\n")
			for _, kv := range [][2]string{
				{"commit.template", ".git/template"}, {"commit.verbose", "true"}, {"commit.cleanup", "strip"},
				{"core.commentChar", "m"}, {"i18n.commitEncoding", "ISO-8859-1"}, {"core.abbrev", "4"},
				{"color.ui", "always"}, {"core.editor", "false"}, {"core.pager", "false"}, {"commit.status", "true"},
			} {
				b.git("config", kv[0], kv[1])
			}
			return nil
		}, req: func(r *CommitRequest) {
			r.Body = "# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\n   "
			r.Trailers = []Trailer{{"Memory-Act", "add"}, {"Memory-Key", "writing\n\ttone"}}
		}, check: func(b *box, commit string) {
			want := "memory: add writing.tone\n\n# a heading\n\n# ------------------------ >8 ------------------------\nmore: grüße\n   \n\n" +
				"Memory-Act: add\nMemory-Key: writing tone"
			raw := b.git("cat-file", "commit", commit)
			if _, got, _ := strings.Cut(raw, "\n\n"); got != want {
				b.t.Errorf("message = %q\nwant      %q", got, want)
			}
			if strings.Contains(raw, "\nencoding") {
				b.t.Errorf("encoding header: %s", raw)
			}
			if got := b.git("log", "-1", "--format=%(trailers:key=Memory-Key,valueonly)"); strings.TrimSpace(got) != "writing tone" {
				b.t.Errorf("trailer = %q", got)
			}
		}},
		"signing works": {setup: func(b *box) *box {
			if _, err := exec.LookPath("ssh-keygen"); err != nil {
				b.t.Skip("no ssh-keygen")
			}
			key := filepath.Join(b.root, ".git", "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
				b.t.Fatalf("%s", out)
			}
			signWith(b, key)
			return nil
		}, check: func(b *box, commit string) {
			if !strings.Contains(b.git("cat-file", "commit", commit), "BEGIN SSH SIGNATURE") {
				b.t.Error("not signed")
			}
		}},
	}
}

func signWith(b *box, key string) {
	b.git("config", "gpg.format", "ssh")
	b.git("config", "user.signingKey", key)
	b.git("config", "commit.gpgSign", "true")
}

// blockedCases: states in which nothing may be committed, each with its reason.
func blockedCases() map[string]commitCase {
	conflict := func(b *box) {
		b.git("checkout", "-q", ".")
		b.git("checkout", "-q", "-b", "side")
		b.write("other.txt", "side\n")
		b.git("commit", "-q", "-a", "-m", "side")
		b.git("checkout", "-q", "main")
		b.write("other.txt", "main\n")
		b.git("commit", "-q", "-a", "-m", "main")
		b.write("other.txt", "main again\n")
		b.git("commit", "-q", "-a", "-m", "main again")
	}
	during := func(args ...string) func(b *box) *box {
		return func(b *box) *box {
			conflict(b)
			if out, err := b.try(args...); err == nil {
				b.t.Fatalf("no conflict: %s", out)
			}
			b.write(memory, "two\n")
			return nil
		}
	}
	return map[string]commitCase{
		"during a merge":       {setup: during("merge", "side"), why: WhyMerge},
		"during a rebase":      {setup: during("rebase", "side"), why: WhyRebase},
		"during an old rebase": {setup: during("rebase", "--apply", "side"), why: WhyRebase},
		"during a cherry-pick": {setup: during("cherry-pick", "side"), why: WhyCherryPick},
		"during a revert":      {setup: during("revert", "--no-edit", "HEAD~1"), why: WhyRevert},
		"during a bisect": {setup: func(b *box) *box {
			b.git("bisect", "start")
			return nil
		}, why: WhyBisect},
		"during am": {setup: func(b *box) *box {
			conflict(b)
			b.git("format-patch", "-q", "-1", "-o", ".git/patches", "side")
			if out, err := b.try("am", ".git/patches/0001-side.patch"); err == nil {
				b.t.Fatalf("no conflict: %s", out)
			}
			return nil
		}, why: WhyAm},
		"no identity": {setup: func(b *box) *box {
			b.git("config", "user.useConfigOnly", "true")
			b.git("config", "user.email", "")
			b.git("config", "user.name", "")
			return nil
		}, why: WhyNoIdentity},
		"no identity, and the file is new": {setup: func(b *box) *box {
			b.git("config", "user.name", "")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhyNoIdentity},
		"a signing key that is not there": {setup: func(b *box) *box {
			signWith(b, filepath.Join(b.root, "nowhere"))
			return nil
		}, why: WhySigning},
		"a signing program that fails, and the file is new": {setup: func(b *box) *box {
			b.git("config", "commit.gpgSign", "true")
			b.git("config", "gpg.program", "false")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhySigning},
		"a signing program that is not there": {setup: func(b *box) *box {
			b.git("config", "commit.gpgSign", "true")
			b.git("config", "gpg.program", "/nowhere/gpg")
			return nil
		}, why: WhySigning},
		"a key with a passphrase": {setup: func(b *box) *box {
			if _, err := exec.LookPath("ssh-keygen"); err != nil {
				b.t.Skip("no ssh-keygen")
			}
			key := filepath.Join(b.root, ".git", "key")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key).CombinedOutput(); err != nil {
				b.t.Fatalf("%s", out)
			}
			signWith(b, key)
			return nil
		}, why: WhySigning},
		"a hook that is wanted says no": {setup: func(b *box) *box {
			b.hook(".git/hooks", "pre-commit", "echo not now >&2\nexit 1\n")
			return nil
		}, req: func(r *CommitRequest) { r.Hooks = true }, why: WhyHook},
		"the file marked skip-worktree": {setup: func(b *box) *box {
			b.git("update-index", "--skip-worktree", memory)
			return nil
		}, why: WhyHidden},
		"the file marked assume-unchanged": {setup: func(b *box) *box {
			b.git("update-index", "--assume-unchanged", memory)
			return nil
		}, why: WhyHidden},
		"the file unmerged without a merge": {setup: func(b *box) *box {
			b.git("commit", "-q", "-a", "-m", "two")
			b.write(memory, "stashed\n")
			b.git("stash", "-q")
			b.write(memory, "three\n")
			b.git("commit", "-q", "-a", "-m", "three")
			_, _ = b.try("stash", "pop")
			return nil
		}, why: WhyUnmerged},
		"a stale index.lock": {setup: func(b *box) *box {
			b.write(".git/index.lock", "")
			return nil
		}, why: WhyLocked},
		"a stale lock on the branch, and the file is new": {setup: func(b *box) *box {
			b.write(".git/refs/heads/main.lock", "")
			b.write("fresh.md", "two\n")
			return nil
		}, req: func(r *CommitRequest) { r.Paths = []string{"fresh.md"} }, why: WhyLocked},
	}
}

// TestCommitOfADeletedFile: deleted on disk alone, or by git rm too.
func TestCommitOfADeletedFile(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(b *box){
		"deleted on disk":   func(b *box) { b.remove(memory) },
		"removed by git rm": func(b *box) { b.git("rm", "-q", memory) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.write("staged.txt", "x\n")
			b.git("add", "staged.txt")
			remove(b)
			commit, err := b.find().Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
			if err != nil || commit == "" {
				t.Fatalf("Commit = %q, %v", commit, err)
			}
			if got := b.git("show", "--format=", "--name-status", commit); got != "D\t"+memory {
				t.Errorf("commit holds %q", got)
			}
			if got := b.git("status", "--porcelain"); got != "A  staged.txt" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// TestNothingToCommit: no commit, no error, and an index as it was.
func TestNothingToCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *box)
		paths []string
	}{
		"no path":                    {func(*box) {}, nil},
		"an unchanged file":          {func(*box) {}, []string{memory}},
		"a path that nobody knows":   {func(*box) {}, []string{"nowhere.md", "no/where.md"}},
		"other work waits":           {func(b *box) { b.write("other.txt", "x"); b.git("add", ".") }, []string{memory}},
		"touched, with equal bytes":  {func(b *box) { b.write(memory, "one\n") }, []string{memory}},
		"only the index differs":     {func(b *box) { b.write(memory, "x"); b.git("add", "."); b.write(memory, "one\n") }, []string{memory}},
		"untracked in the index":     {func(b *box) { b.git("rm", "-q", "--cached", memory) }, []string{memory}},
		"an unborn branch, no files": {func(b *box) { b.git("checkout", "-q", "--orphan", "x"); b.git("rm", "-rqf", ".") }, []string{memory}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			c.setup(b)
			head, index := b.head(), b.git("ls-files", "-s", "-v")
			commit, err := b.find().Commit(background, CommitRequest{Paths: c.paths, Subject: "s"})
			if commit != "" || err != nil {
				t.Errorf("Commit = %q, %v", commit, err)
			}
			if b.head() != head || b.git("ls-files", "-s", "-v") != index {
				t.Errorf("HEAD or index changed:\n%s\nwas\n%s", b.git("ls-files", "-s", "-v"), index)
			}
		})
	}
}

// TestCommitRefusesWhatIsNoFile: never a folder, which would take along what
// the person did not stage.
func TestCommitRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write("dir/a", "a\n")
	b.write("gone/a", "a\n")
	b.git("add", ".")
	b.git("commit", "-q", "-m", "dir")
	b.write("dir/a", "changed\n")
	if err := os.RemoveAll(filepath.Join(b.root, "gone")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(memory, filepath.Join(b.root, "link.md")); err != nil {
		t.Fatal(err)
	}
	head := b.head()
	for _, p := range []string{"dir", "gone", "dir/", "link.md", "", ".", "../x", "/etc/passwd", "a/../b", ".git/config", "a/.GIT/x", "a\x00b"} {
		if commit, err := b.find().Commit(background, CommitRequest{Paths: []string{memory, p}, Subject: "s"}); err == nil {
			t.Errorf("%q: Commit = %q, no error", p, commit)
		}
	}
	if b.head() != head {
		t.Error("something was committed")
	}
}

// TestCommitMessages that git would have to mangle are refused first.
func TestCommitMessages(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]CommitRequest{
		"no subject":             {},
		"a subject of spaces":    {Subject: " \n "},
		"a NUL in the body":      {Subject: "s", Body: "a\x00b"},
		"a body that is no text": {Subject: "s", Body: "a\xff"},
		"a trailer's name":       {Subject: "s", Trailers: []Trailer{{"Memory Act", "add"}}},
		"a trailer without name": {Subject: "s", Trailers: []Trailer{{"", "add"}}},
	} {
		if m, err := req.message(); err == nil {
			t.Errorf("%s: %q", name, m)
		}
	}
	m, err := CommitRequest{Subject: "a\nb\x1b[31m\u2028c"}.message()
	if err != nil || m != "a b [31m c\n" {
		t.Errorf("subject: %q, %v", m, err)
	}
}

// TestInsideAHook: a commit inside a commit makes the person's fail.
func TestInsideAHook(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	t.Setenv("GIT_INDEX_FILE", filepath.Join(b.root, ".git", "index"))
	r := b.find()
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyIndexFile)
	if why := r.Blocked(background, nil); why != WhyIndexFile {
		t.Errorf("Blocked = %q", why)
	}
	// A store of our own is not what git speaks of there.
	t.Setenv("GIT_DIR", filepath.Join(b.root, ".git"))
	own, err := Init(background, filepath.Join(realTemp(t), "user"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own.Root, memory), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if commit, err := own.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"}); err != nil || commit == "" {
		t.Errorf("own store: Commit = %q, %v", commit, err)
	}
	if got := b.git("log", "--format=%s"); got != "go on\nbegin" {
		t.Errorf("the person's repository gained %q", got)
	}
}

// TestGitMissing: no PATH with a git in it.
func TestGitMissing(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	r := b.find()
	t.Setenv("PATH", t.TempDir())
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyGitMissing)
	if why := r.Blocked(background, nil); why != WhyGitMissing {
		t.Errorf("Blocked = %q", why)
	}
	if v := GitVersion(background); v != "" {
		t.Errorf("GitVersion = %q", v)
	}
}

// TestReadOnlyGitFolder: as in an agent's sandbox. Reading works.
func TestReadOnlyGitFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := newBox(t)
	b.write(memory, "two\n")
	r := b.find()
	git := filepath.Join(b.root, ".git")
	if err := os.Chmod(git, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(git, 0o755) })
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyNotWritable)
	wantBlocked(t, r.SetConfig(background, "memctl.x", "y"), WhyNotWritable)
	if why := r.Blocked(background, nil); why != WhyNotWritable {
		t.Errorf("Blocked = %q", why)
	}
	if data, ok, err := r.FileAt(background, "HEAD", memory); err != nil || !ok || string(data) != "one\n" {
		t.Errorf("FileAt = %q, %v, %v", data, ok, err)
	}
}

// TestErrorsSpeak: the text names the command or the reason.
func TestErrorsSpeak(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	_, err := b.find().git(background, call{args: []string{"rev-parse", "--verify", "nope"}})
	var e *Error
	if !errors.As(err, &e) || e.Status != 128 || e.Error() != "git rev-parse: fatal: Needed a single revision" {
		t.Errorf("error = %v (%+v)", err, e)
	}
}
