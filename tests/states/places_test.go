package states

import (
	"os"
	"path/filepath"
)

const (
	nextAct  = "the next act in a normal state"
	noCommit = "nothing has to"
)

// places: which repository, which branch, and where in it.
func places() []row {
	return append([]row{
		{name: "a plain repository", want: committed()},
		{name: "a subfolder", want: committed(), build: func(w *world) { w.cwd = filepath.Join(w.root, "src", "deep") }},
		{name: "a folder reached by a symbolic link", want: committed(), build: func(w *world) {
			w.cwd = filepath.Join(w.dir, "link")
			w.symlink(w.root, w.cwd)
		}},
		{name: "a path with spaces, quotes and accents", want: committed(), build: func(w *world) {
			w.cloneTo(filepath.Join(w.dir, "Zoë's \"own\" project"))
		}},
		{name: "a repository without commits", want: committed(), build: func(w *world) {
			w.root = filepath.Join(w.dir, "fresh")
			w.mkdir(w.root)
			w.git("init", "-q")
			w.write(memory, begun)
			w.write("code.txt", "staged\n")
			w.git("add", "code.txt")
		}, idle: true, ends: firstCommit},
		{name: "a branch without commits", want: committed(), build: func(w *world) {
			w.git("checkout", "-q", "--orphan", "fresh")
			w.git("rm", "-q", "-r", "--cached", ".")
			w.git("add", "code.txt")
		}, idle: true, ends: firstCommit},
		{name: "a detached HEAD", want: committed(), build: func(w *world) { w.git("checkout", "-q", "--detach") },
			does: "commits, on no branch", ends: func(w *world) { w.person("commit", "-q", "-m", "my own work") }},
		{name: "a branch with slashes in its name", want: committed(), build: func(w *world) { w.git("checkout", "-q", "-b", "ada/try/this") }},
		{name: "a HEAD that leads over two symbolic refs", want: committed(), build: func(w *world) {
			w.git("branch", "real")
			w.git("symbolic-ref", "refs/heads/alias", "refs/heads/real")
			w.git("symbolic-ref", "HEAD", "refs/heads/alias")
		}, ends: firstCommit, also: func(w *world) {
			if a, b := w.git("rev-parse", "real"), w.git("rev-parse", "HEAD"); a != b {
				w.t.Errorf("real is at %s, HEAD at %s", a, b)
			}
		}},
		{name: "no reflog (`core.logAllRefUpdates` off)", want: committed(), build: func(w *world) {
			w.git("config", "core.logAllRefUpdates", "false")
			w.removeAt(w.inGitDir("logs"))
		}},
		{name: "a source folder called `memories/`", want: committed(), build: func(w *world) { w.sourceFolder("memories") }},
		{name: "a source folder called `memory/`", want: committed(), build: func(w *world) { w.sourceFolder("memory") }},
		{name: "a bare repository", want: refused(1, "bare-repository"), does: "says that there is no file to keep memory in", build: func(w *world) {
			w.git("clone", "-q", "--bare", ".", "../bare.git")
			w.cwd = filepath.Join(w.dir, "bare.git")
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}},
	}, append(gitDirs(), outsideGit()...)...)
}

// gitDirs: where the git folder is.
func gitDirs() []row {
	return []row{
		{name: "a linked worktree", want: committed(), build: func(w *world) {
			w.git("worktree", "add", "-q", "-b", "side", "../linked")
			w.root = filepath.Join(w.dir, "linked")
		}},
		{name: "a linked worktree with settings of its own (`extensions.worktreeConfig`)", want: committed(), build: func(w *world) {
			w.git("config", "extensions.worktreeConfig", "true")
			w.git("worktree", "add", "-q", "-b", "side", "../linked")
			w.root = filepath.Join(w.dir, "linked")
			w.git("config", "--worktree", "user.email", "linked@example.com")
		}, by: "Ada Lovelace <linked@example.com>"},
		{name: "a linked worktree of a bare repository", want: committed(), build: func(w *world) {
			w.git("clone", "-q", "--bare", ".", "../bare.git")
			w.root = filepath.Join(w.dir, "bare.git")
			w.git("worktree", "add", "-q", "../linked")
			w.root = filepath.Join(w.dir, "linked")
		}},
		{name: "a submodule", want: committed(), build: func(w *world) {
			w.parent()
			w.root = filepath.Join(w.root, "sub")
		}},
		{name: "the parent of a submodule that has moved on", want: committed(), build: func(w *world) {
			w.parent()
			sub := w.at(filepath.Join(w.root, "sub"))
			sub.write("code.txt", "moved on\n")
			sub.git("commit", "-q", "-a", "-m", "moved on")
			sub.write("code.txt", "and not committed\n")
		}},
		{name: "another repository inside, not a submodule", want: committed(), build: func(w *world) {
			w.git("clone", "-q", ".", "vendor/inner")
		}},
		{name: "a separate git folder (`--separate-git-dir`)", want: committed(), init: []string{"--separate-git-dir=../elsewhere.git"}},
		{name: "a `.git` that is a symbolic link", want: committed(), build: func(w *world) {
			moved := filepath.Join(w.dir, "moved.git")
			w.rename(w.inGitDir(""), moved)
			w.symlink(moved, filepath.Join(w.root, ".git"))
		}},
		{name: "a git folder elsewhere that names its worktree (`core.worktree`)", want: committed(), build: func(w *world) {
			w.git("config", "core.worktree", w.root)
			w.rename(w.inGitDir(""), filepath.Join(w.dir, "bare.git"))
			w.env = append(w.env, "GIT_DIR="+filepath.Join(w.dir, "bare.git"))
		}},
		{name: "`GIT_DIR` and `GIT_WORK_TREE` set", want: committed(), build: func(w *world) {
			w.rename(w.inGitDir(""), filepath.Join(w.dir, "dotfiles.git"))
			w.env = append(w.env, "GIT_DIR="+filepath.Join(w.dir, "dotfiles.git"), "GIT_WORK_TREE="+w.root)
		}},
		{name: "`GIT_DIR` set to a relative path, as in a hook", want: committed(), build: func(w *world) { w.env = append(w.env, "GIT_DIR=.git") }},
		{name: "`GIT_INDEX_FILE` set, as in a commit hook", want: queued(waitsInside), later: nextAct, acts: []string{"add", "forget", "auto"}, build: func(w *world) {
			w.env = append(w.env, "GIT_INDEX_FILE="+w.inGitDir("other-index"))
			w.git("read-tree", "HEAD")
		}, ends: func(w *world) {
			w.env = nil
			w.person("reset", "-q")
			w.person("commit", "-q", "-a", "-m", "all of it")
		}},
	}
}

// outsideGit: no repository, or no git.
func outsideGit() []row {
	return []row{
		{name: "no repository", want: want{kind: absent}, does: "writes the file, without history; `undo` has nothing to read", later: "nothing: there is no history", build: func(w *world) {
			w.removeAt(w.inGitDir(""))
		}, acts: []string{"none"}, idle: true, stays: true, ends: func(w *world) {
			got := w.memctl("--json", "add", "--scope", "project", "new.key", "a value of its own")
			if o, err := got.told(); len(w.ended) == 0 && (err != nil || o.Why != "not a repository") {
				w.t.Errorf("%s", got)
			}
			w.git("init", "-q")
			w.git("add", "code.txt")
			w.person("commit", "-q", "-m", "begin at last")
		}},
		{name: "no git on the machine", want: deferred("git missing"), later: nextAct + ", with git", build: func(w *world) {
			w.path = filepath.Join(w.dir, "empty")
			w.mkdir(w.path)
		}, ends: func(w *world) { w.path = ""; goOn(w) }},
	}
}

// firstCommit is all that a person can do on a branch that has none.
func firstCommit(w *world) { w.person("commit", "-q", "-m", "first") }

// sourceFolder is somebody's package of that name, with work under way in it.
func (w *world) sourceFolder(name string) {
	w.write(name+"/pool.c", "int pool;\n")
	w.write(name+"/memories.md", "# not memory\n")
	w.commitAll("a package")
	w.write(name+"/pool.c", "int pool = 1;\n")
	w.write(name+"/new.c", "int fresh;\n")
}

// parent makes the repository the parent of a submodule sub, a clone of its own.
func (w *world) parent() {
	w.git("clone", "-q", "--bare", ".", "../upstream.git")
	w.git("submodule", "--quiet", "add", "../upstream.git", "sub")
	w.git("commit", "-q", "-m", "a submodule")
}

// at is the same person in another folder.
func (w *world) at(dir string) *world {
	other := *w
	other.root = dir
	return &other
}

// cloneTo puts the person into a clone of their repository.
func (w *world) cloneTo(dir string, options ...string) {
	w.git(append(append([]string{"clone", "-q"}, options...), "file://"+w.root, dir)...)
	w.root = dir
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) mkdir(dir string)          { w.t.Helper(); w.must(os.MkdirAll(dir, 0o755)) }
func (w *world) rename(from, to string)    { w.t.Helper(); w.must(os.Rename(from, to)) }
func (w *world) symlink(target, at string) { w.t.Helper(); w.must(os.Symlink(target, at)) }
func (w *world) removeAt(file string)      { w.t.Helper(); w.must(os.RemoveAll(file)) }
