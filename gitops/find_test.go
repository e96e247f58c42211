package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
)

// TestFindAgreesWithGit asks git about the same folders.
func TestFindAgreesWithGit(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(b *box) string{
		"the root":    func(b *box) string { return b.root },
		"a subfolder": func(b *box) string { b.write("a/b/c", ""); return filepath.Join(b.root, "a", "b") },
		"through a symbolic link": func(b *box) string {
			b.write("a/b/c", "")
			link := filepath.Join(realTemp(b.t), "link")
			symlink(b.t, filepath.Join(b.root, "a"), link)
			return filepath.Join(link, "b")
		},
		"a linked worktree": func(b *box) string {
			dir := filepath.Join(realTemp(b.t), "w")
			b.git("worktree", "add", "-q", dir)
			return dir
		},
		"a worktree inside the worktree": func(b *box) string {
			b.git("worktree", "add", "-q", ".trees/w")
			return filepath.Join(b.root, ".trees", "w")
		},
		"a submodule": func(b *box) string {
			b.git("submodule", "add", "-q", newBox(b.t).root, "sub")
			return filepath.Join(b.root, "sub")
		},
		"a symlinked .git": func(b *box) string {
			moved := filepath.Join(realTemp(b.t), "git")
			if err := os.Rename(filepath.Join(b.root, ".git"), moved); err != nil {
				b.t.Fatal(err)
			}
			symlink(b.t, moved, filepath.Join(b.root, ".git"))
			return b.root
		},
		"an empty .git folder further down": func(b *box) string {
			b.write("a/.git/nothing", "")
			return filepath.Join(b.root, "a")
		},
		"core.worktree": func(b *box) string {
			b.write("tree/x", "")
			b.git("config", "core.worktree", "../tree")
			return filepath.Join(b.root, "tree")
		},
		"core.worktree in a file that does not say its version": func(b *box) string {
			b.write("tree/x", "")
			b.write(".git/config", "[core]\n\tworktree = ../tree\n")
			return b.root
		},
		"core.worktree, quoted, with a comment": func(b *box) string {
			b.write("tr ee;/x", "")
			b.write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false # no\n\tworktree = \"../tr ee;\" ; yes\n")
			return filepath.Join(b.root, "tr ee;")
		},
		"a repository in a repository": func(b *box) string {
			b.write("in/x", "")
			b.at(filepath.Join(b.root, "in")).git("init", "-q")
			return filepath.Join(b.root, "in")
		},
		"a bare repository's worktree with settings of its own": func(b *box) string {
			dir := realTemp(b.t)
			b.git("clone", "-q", "--bare", b.root, filepath.Join(dir, "bare.git"))
			bare := b.at(filepath.Join(dir, "bare.git"))
			bare.git("config", "extensions.worktreeConfig", "true")
			bare.git("config", "--unset", "core.bare")
			bare.git("config", "--worktree", "core.bare", "true")
			bare.git("worktree", "add", "-q", filepath.Join(dir, "w"))
			b.at(filepath.Join(dir, "w")).git("config", "--worktree", "a.b", "c")
			return filepath.Join(dir, "w")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			dir := setup(b)
			r, err := Find(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join([]string{r.Root, r.GitDir, r.CommonDir}, "\n")
			want := b.at(dir).git("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
			if got != want {
				t.Errorf("Find:\n%s\ngit:\n%s", got, want)
			}
		})
	}
}

func symlink(t *testing.T, old, new string) {
	t.Helper()
	if err := os.Symlink(old, new); err != nil {
		t.Skip(err)
	}
}

// TestFindFindsNothing where git finds nothing, or nothing to work in.
func TestFindFindsNothing(t *testing.T) {
	t.Parallel()
	var unusable *UnusableError
	for name, c := range map[string]struct {
		setup func(b *box) string
		is    func(error) bool
	}{
		"no repository": {
			func(b *box) string { return realTemp(b.t) },
			func(err error) bool { return errors.Is(err, ErrNotARepository) },
		},
		"a bare repository": {func(b *box) string {
			dir := filepath.Join(realTemp(b.t), "x.git")
			b.git("clone", "-q", "--bare", b.root, dir)
			return dir
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"a folder of a bare repository": {func(b *box) string {
			dir := filepath.Join(realTemp(b.t), "x.git")
			b.git("clone", "-q", "--bare", b.root, dir)
			return filepath.Join(dir, "refs")
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"a shared core.bare where worktrees have settings of their own": {func(b *box) string {
			dir := filepath.Join(realTemp(b.t), "w")
			b.git("worktree", "add", "-q", dir)
			b.git("config", "extensions.worktreeConfig", "true")
			b.git("config", "core.bare", "true")
			if out, err := b.at(dir).try("rev-parse", "--show-toplevel"); err == nil {
				b.t.Errorf("git finds %s", out)
			}
			return dir
		}, func(err error) bool { return errors.As(err, &unusable) }},
		"core.bare": {func(b *box) string {
			b.git("config", "core.bare", "true")
			return b.root
		}, func(err error) bool { return errors.As(err, &unusable) }},
		"core.bare where nothing was ever checked out": {func(b *box) string {
			dir := filepath.Join(realTemp(b.t), "of")
			b.git("clone", "-q", "--bare", b.root, filepath.Join(dir, ".git"))
			return dir
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"core.worktree that leads nowhere": {func(b *box) string {
			b.git("config", "core.worktree", "/nowhere")
			return b.root
		}, func(err error) bool { return errors.As(err, &unusable) }},
		"inside the .git folder": {
			func(b *box) string { return filepath.Join(b.root, ".git", "refs") },
			func(err error) bool { return fault.Is(err, fault.BareRepository) },
		},
		"a .git file that leads nowhere": {func(b *box) string {
			b.write("a/.git", "gitdir: /nowhere\n")
			return filepath.Join(b.root, "a")
		}, func(err error) bool { return errors.As(err, &unusable) }},
		"a .git file of another form": {func(b *box) string {
			b.write("a/.git", "hello\n")
			return filepath.Join(b.root, "a")
		}, func(err error) bool { return errors.As(err, &unusable) }},
		"a folder that does not exist": {
			func(b *box) string { return filepath.Join(b.root, "nowhere") },
			func(err error) bool { return errors.Is(err, os.ErrNotExist) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			if r, err := Find(c.setup(b)); err == nil || !c.is(err) {
				t.Errorf("Find = %+v, %v", r, err)
			}
		})
	}
}

// TestFindHeedsTheEnvironment, and Open does not.
func TestFindHeedsTheEnvironment(t *testing.T) {
	b, other := newBox(t), newBox(t)
	b.write("a/b/x", "")
	sub := filepath.Join(b.root, "a", "b")
	for name, c := range map[string]struct {
		env        map[string]string
		dir        string
		root, git  string
		err        error
		sameAsGit  bool
		openIsBox  bool
		currentDir string
	}{
		"GIT_DIR alone": {
			env: map[string]string{"GIT_DIR": filepath.Join(other.root, ".git")},
			dir: sub, root: sub, git: filepath.Join(other.root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"GIT_DIR and GIT_WORK_TREE": {
			env: map[string]string{"GIT_DIR": filepath.Join(other.root, ".git"), "GIT_WORK_TREE": other.root},
			dir: sub, root: other.root, git: filepath.Join(other.root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"a relative GIT_DIR, as in hooks": {
			env: map[string]string{"GIT_DIR": ".git"}, currentDir: b.root,
			dir: b.root, root: b.root, git: filepath.Join(b.root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"a relative GIT_DIR, seen from another folder": {
			env: map[string]string{"GIT_DIR": "../../.git"}, currentDir: sub,
			dir: b.root, root: b.root, git: filepath.Join(b.root, ".git"), openIsBox: true,
		},
		"GIT_WORK_TREE alone": {
			env: map[string]string{"GIT_WORK_TREE": sub},
			dir: sub, root: sub, git: filepath.Join(b.root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"GIT_DIR that leads nowhere": {
			env: map[string]string{"GIT_DIR": "/nowhere"}, dir: sub, err: ErrNotARepository, openIsBox: true,
		},
		"a ceiling between": {
			env: map[string]string{"GIT_CEILING_DIRECTORIES": filepath.Join(b.root, "a")}, dir: sub, err: ErrNotARepository,
		},
		"a ceiling at the folder itself is none": {
			env: map[string]string{"GIT_CEILING_DIRECTORIES": "/nowhere:" + sub},
			dir: sub, root: b.root, git: filepath.Join(b.root, ".git"), sameAsGit: true, openIsBox: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			if c.currentDir != "" {
				t.Chdir(c.currentDir)
			}
			r, err := Find(c.dir)
			if !errors.Is(err, c.err) || err == nil && (r.Root != c.root || r.GitDir != c.git) {
				t.Fatalf("Find = %+v, %v", r, err)
			}
			if c.sameAsGit {
				at := b.at(c.dir)
				if got := at.git("rev-parse", "--show-toplevel"); got != c.root {
					t.Errorf("git's root is %q", got)
				}
			}
			if err == nil {
				out, err := r.git(background, call{args: []string{"rev-parse", "--show-toplevel"}})
				if got := strings.TrimSpace(string(out)); got != c.root || err != nil {
					t.Errorf("our git's root is %q, %v", got, err)
				}
			}
			if c.openIsBox {
				o, err := Open(c.dir)
				if err != nil || o.Root != b.root {
					t.Fatalf("Open = %+v, %v", o, err)
				}
				out, err := o.git(background, call{args: []string{"rev-parse", "--show-toplevel"}})
				if got := strings.TrimSpace(string(out)); got != b.root || err != nil {
					t.Errorf("Open's git is at %q, %v", got, err)
				}
			}
		})
	}
}

// TestDubiousOwnership: git's own word, with its hint.
func TestDubiousOwnership(t *testing.T) {
	b := newBox(t)
	b.write(memory, "two\n")
	r := b.find()
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := r.Commit(background, CommitRequest{Paths: []string{memory}, Subject: "s"})
	wantBlocked(t, err, WhyOwnership)
	var blocked *BlockedError
	if errors.As(err, &blocked); !strings.Contains(blocked.Detail, "safe.directory") {
		t.Errorf("no hint in %q", blocked.Detail)
	}
	wantBlocked(t, r.History(background, "HEAD", memory, 0, func(Version) bool { return true }), WhyOwnership)
}

// FuzzParseConfig: no input hurts, and a value survives quoting.
func FuzzParseConfig(f *testing.F) {
	f.Add("[core]\n\tbare = true\n[extensions]\nworktreeConfig\n")
	f.Add("[core] worktree = \"a\\\"b\\\\\" ; c\n")
	f.Add("[a \"b\"]\nc = d \\\n e\n[")
	f.Fuzz(func(t *testing.T, text string) {
		got := map[string]string{}
		parseConfig(text, got)
		if strings.ContainsAny(text, "\n\"\\\x00[]") || strings.TrimSpace(text) != text {
			return
		}
		got = map[string]string{}
		parseConfig("[core]\n\tworktree = \""+text+"\"\n", got)
		if got["core.worktree"] != text {
			t.Errorf("%q read as %q", text, got["core.worktree"])
		}
	})
}
