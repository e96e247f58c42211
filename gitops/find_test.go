package gitops

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// TestFindAgreesWithGit asks git about the same folders.
func TestFindAgreesWithGit(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(b *gittest.Box) string{
		"the root":    func(b *gittest.Box) string { return b.Root },
		"a subfolder": func(b *gittest.Box) string { b.Write("a/b/c", ""); return filepath.Join(b.Root, "a", "b") },
		"through a symbolic link": func(b *gittest.Box) string {
			b.Write("a/b/c", "")
			link := filepath.Join(gittest.RealTemp(b.T), "link")
			gittest.Symlink(b.T, filepath.Join(b.Root, "a"), link)
			return filepath.Join(link, "b")
		},
		"a linked worktree": func(b *gittest.Box) string {
			dir := filepath.Join(gittest.RealTemp(b.T), "w")
			b.Git("worktree", "add", "-q", dir)
			return dir
		},
		"a worktree inside the worktree": func(b *gittest.Box) string {
			b.Git("worktree", "add", "-q", ".trees/w")
			return filepath.Join(b.Root, ".trees", "w")
		},
		"a submodule": func(b *gittest.Box) string {
			b.Git("submodule", "add", "-q", gittest.NewBox(b.T).Root, "sub")
			return filepath.Join(b.Root, "sub")
		},
		"a symlinked .git": func(b *gittest.Box) string {
			moved := filepath.Join(gittest.RealTemp(b.T), "git")
			if err := os.Rename(filepath.Join(b.Root, ".git"), moved); err != nil {
				b.T.Fatal(err)
			}
			gittest.Symlink(b.T, moved, filepath.Join(b.Root, ".git"))
			return b.Root
		},
		"an empty .git folder further down": func(b *gittest.Box) string {
			b.Write("a/.git/nothing", "")
			return filepath.Join(b.Root, "a")
		},
		"core.worktree": func(b *gittest.Box) string {
			b.Write("tree/x", "")
			b.Git("config", "core.worktree", "../tree")
			return filepath.Join(b.Root, "tree")
		},
		"core.worktree in a file that does not say its version": func(b *gittest.Box) string {
			b.Write("tree/x", "")
			b.Write(".git/config", "[core]\n\tworktree = ../tree\n")
			return b.Root
		},
		"core.worktree, quoted, with a comment": func(b *gittest.Box) string {
			b.Write("tr ee;/x", "")
			b.Write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false # no\n\tworktree = \"../tr ee;\" ; yes\n")
			return filepath.Join(b.Root, "tr ee;")
		},
		"a repository in a repository": func(b *gittest.Box) string {
			b.Write("in/x", "")
			b.At(filepath.Join(b.Root, "in")).Git("init", "-q")
			return filepath.Join(b.Root, "in")
		},
		"a bare repository's worktree with settings of its own": func(b *gittest.Box) string {
			dir := gittest.RealTemp(b.T)
			b.Git("clone", "-q", "--bare", b.Root, filepath.Join(dir, "bare.git"))
			bare := b.At(filepath.Join(dir, "bare.git"))
			bare.Git("config", "extensions.worktreeConfig", "true")
			bare.Git("config", "--unset", "core.bare")
			bare.Git("config", "--worktree", "core.bare", "true")
			bare.Git("worktree", "add", "-q", filepath.Join(dir, "w"))
			b.At(filepath.Join(dir, "w")).Git("config", "--worktree", "a.b", "c")
			return filepath.Join(dir, "w")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			dir := setup(b)
			r, err := Find(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join([]string{r.Root, r.GitDir, r.CommonDir}, "\n")
			want := b.At(dir).Git("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
			if got != want {
				t.Errorf("Find:\n%s\ngit:\n%s", got, want)
			}
		})
	}
}

// TestFindFindsNothing where git finds nothing, or nothing to work in.
func TestFindFindsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box) string
		is    func(error) bool
	}{
		"no repository": {
			func(b *gittest.Box) string { return gittest.RealTemp(b.T) },
			func(err error) bool { return errors.Is(err, ErrNotARepository) },
		},
		"a bare repository": {func(b *gittest.Box) string {
			dir := filepath.Join(gittest.RealTemp(b.T), "x.git")
			b.Git("clone", "-q", "--bare", b.Root, dir)
			return dir
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"a folder of a bare repository": {func(b *gittest.Box) string {
			dir := filepath.Join(gittest.RealTemp(b.T), "x.git")
			b.Git("clone", "-q", "--bare", b.Root, dir)
			return filepath.Join(dir, "refs")
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"a shared core.bare where worktrees have settings of their own": {func(b *gittest.Box) string {
			dir := filepath.Join(gittest.RealTemp(b.T), "w")
			b.Git("worktree", "add", "-q", dir)
			b.Git("config", "extensions.worktreeConfig", "true")
			b.Git("config", "core.bare", "true")
			b.At(dir).Write("memories.md", "")
			if out, err := b.At(dir).Try("rev-parse", "--show-toplevel"); err == nil {
				b.T.Errorf("git finds %s", out)
			}
			return dir
		}, func(err error) bool { return fault.Is(err, fault.RepositoryUnusable) }},
		"core.bare": {func(b *gittest.Box) string {
			b.Git("config", "core.bare", "true")
			b.Write("memories.md", "")
			return b.Root
		}, func(err error) bool { return fault.Is(err, fault.RepositoryUnusable) }},
		"core.bare where nothing was ever checked out": {func(b *gittest.Box) string {
			dir := filepath.Join(gittest.RealTemp(b.T), "of")
			b.Git("clone", "-q", "--bare", b.Root, filepath.Join(dir, ".git"))
			return dir
		}, func(err error) bool { return fault.Is(err, fault.BareRepository) }},
		"core.worktree that leads nowhere": {func(b *gittest.Box) string {
			b.Git("config", "core.worktree", "/nowhere")
			return b.Root
		}, func(err error) bool { return fault.Is(err, fault.RepositoryUnusable) }},
		"inside the .git folder": {
			func(b *gittest.Box) string { return filepath.Join(b.Root, ".git", "refs") },
			func(err error) bool { return fault.Is(err, fault.BareRepository) },
		},
		"a .git file that leads nowhere": {func(b *gittest.Box) string {
			b.Write("a/.git", "gitdir: /nowhere\n")
			return filepath.Join(b.Root, "a")
		}, func(err error) bool { return fault.Is(err, fault.RepositoryUnusable) }},
		"a .git file of another form": {func(b *gittest.Box) string {
			b.Write("a/.git", "hello\n")
			return filepath.Join(b.Root, "a")
		}, func(err error) bool { return fault.Is(err, fault.RepositoryUnusable) }},
		"a folder that does not exist": {
			func(b *gittest.Box) string { return filepath.Join(b.Root, "nowhere") },
			func(err error) bool { return errors.Is(err, os.ErrNotExist) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			if r, err := Find(c.setup(b)); err == nil || !c.is(err) {
				t.Errorf("Find = %+v, %v", r, err)
			}
		})
	}
}

// TestFindHeedsTheEnvironment, and Open does not.
func TestFindHeedsTheEnvironment(t *testing.T) {
	b, other := gittest.NewBox(t), gittest.NewBox(t)
	b.Write("a/b/x", "")
	sub := filepath.Join(b.Root, "a", "b")
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
			env: map[string]string{"GIT_DIR": filepath.Join(other.Root, ".git")},
			dir: sub, root: sub, git: filepath.Join(other.Root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"GIT_DIR and GIT_WORK_TREE": {
			env: map[string]string{"GIT_DIR": filepath.Join(other.Root, ".git"), "GIT_WORK_TREE": other.Root},
			dir: sub, root: other.Root, git: filepath.Join(other.Root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"a relative GIT_DIR, as in hooks": {
			env: map[string]string{"GIT_DIR": ".git"}, currentDir: b.Root,
			dir: b.Root, root: b.Root, git: filepath.Join(b.Root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"a relative GIT_DIR, seen from another folder": {
			env: map[string]string{"GIT_DIR": "../../.git"}, currentDir: sub,
			dir: b.Root, root: b.Root, git: filepath.Join(b.Root, ".git"), openIsBox: true,
		},
		"GIT_WORK_TREE alone": {
			env: map[string]string{"GIT_WORK_TREE": sub},
			dir: sub, root: sub, git: filepath.Join(b.Root, ".git"), sameAsGit: true, openIsBox: true,
		},
		"GIT_DIR that leads nowhere": {
			env: map[string]string{"GIT_DIR": "/nowhere"}, dir: sub, err: ErrNotARepository, openIsBox: true,
		},
		"a ceiling between": {
			env: map[string]string{"GIT_CEILING_DIRECTORIES": filepath.Join(b.Root, "a")}, dir: sub, err: ErrNotARepository,
		},
		"a ceiling at the folder itself is none": {
			env: map[string]string{"GIT_CEILING_DIRECTORIES": "/nowhere:" + sub},
			dir: sub, root: b.Root, git: filepath.Join(b.Root, ".git"), sameAsGit: true, openIsBox: true,
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
				at := b.At(c.dir)
				if got := at.Git("rev-parse", "--show-toplevel"); got != c.root {
					t.Errorf("git's root is %q", got)
				}
			}
			if err == nil {
				out, err := r.Git(background, Call{Args: []string{"rev-parse", "--show-toplevel"}})
				if got := strings.TrimSpace(string(out)); got != c.root || err != nil {
					t.Errorf("our git's root is %q, %v", got, err)
				}
			}
			if c.openIsBox {
				o, err := Open(c.dir)
				if err != nil || o.Root != b.Root {
					t.Fatalf("Open = %+v, %v", o, err)
				}
				out, err := o.Git(background, Call{Args: []string{"rev-parse", "--show-toplevel"}})
				if got := strings.TrimSpace(string(out)); got != b.Root || err != nil {
					t.Errorf("Open's git is at %q, %v", got, err)
				}
			}
		})
	}
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
