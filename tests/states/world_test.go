package states

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memctl/memctl/tests/gittest"
)

const memory = "memories.md"

// moment is when everything happens, so that twins make equal commits.
const moment = "2026-11-21T09:00:00Z"

// begun is the memory that every repository begins with.
const begun = "# What we agreed on\n\n```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-11-01\n  settings:\n    enabled: true\n    announce_writes: true\n  items:\n" +
	"    - key: old.habit\n      value: tabs in makefiles\n      added: 2026-11-01\n      source: explicit user preference\n      confidence: high\n" +
	"    - key: old.name\n      value: Zoë Müller reviews\n      added: 2026-11-01\n      source: explicit user preference\n      confidence: high\n" +
	"deletions: []\n```\n"

// world is one person, the repository they stand in, and what they have done.
type world struct {
	t         *testing.T
	dir       string   // all of it lies below
	root      string   // the worktree's top
	cwd       string   // where memctl is started, where it is not the root
	env       []string // more environment, for git and memctl
	path      string   // PATH for memctl, where it is another one
	isSparse  bool     // git takes its mark of files left out off those that are there
	afterWork func()   // what would be in the way of building the state
	uid       int      // who acts, where it is another user
	ended     []string // how the person's own commands ended: see person

	background chan string // how one ends that is still under way: see begin
}

// newWorld has a home and a repository with two commits.
func newWorld(t *testing.T, initArgs ...string) *world {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(dir) })
	w := &world{t: t, dir: dir, root: filepath.Join(dir, "project")}
	for _, d := range []string{dir, w.root, filepath.Join(dir, "home")} {
		if err := errors.Join(os.MkdirAll(d, 0o755), os.Chmod(d, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	w.writeAt(filepath.Join(dir, "home", ".gitconfig"), gitConfig)
	(&gittest.Box{T: t, Root: w.root}).Prepare(strings.Join(initArgs, " "), func(*gittest.Box) {
		w.git(append([]string{"init", "-q"}, initArgs...)...)
		w.fill()
	})
	return w
}

// fill makes the two commits.
func (w *world) fill() {
	w.t.Helper()
	for _, name := range []string{"code.txt", "half.txt", "assumed.txt", "skipped.txt", "gone.txt", "removed.txt", "clash.txt", "src/deep/main.c"} {
		w.write(name, "first\nsecond\nthird\n")
	}
	w.git("add", ".")
	w.git("commit", "-q", "-m", "begin")
	w.write(memory, begun)
	w.git("add", memory)
	w.git("commit", "-q", "-m", "agree")
}

// removeAll also removes what was made read-only.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if info != nil && info.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// environment is the same whoever runs the tests.
func (w *world) environment() []string {
	home := filepath.Join(w.dir, "home")
	env := []string{
		"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data"), "XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=" + moment, "GIT_COMMITTER_DATE=" + moment, "GIT_TERMINAL_PROMPT=0",
		"MEMCTL_NOW=" + moment, "NO_COLOR=1", "LC_ALL=C", "TZ=UTC", "TMPDIR=" + os.Getenv("TMPDIR"), "GNUPGHOME=" + filepath.Join(w.dir, "gnupg"),
		"PATH=" + filepath.Dir(memctl) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	return append(env, w.env...)
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.root, w.environment()
	if w.uid != 0 {
		runAs(cmd, w.uid)
	}
	return cmd
}

// git runs git as the person, and must succeed.
func (w *world) git(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (w *world) try(args ...string) (string, error) {
	out, err := w.command("git", args...).CombinedOutput()
	return string(out), err
}

// person runs one of the commands by which a person ends what they had begun;
// how it ends has to be the same in the twin.
func (w *world) person(args ...string) {
	w.t.Helper()
	out, err := w.try(args...)
	end := fmt.Sprintf("git %s: ok", strings.Join(args, " "))
	if err != nil {
		end = fmt.Sprintf("git %s: %v: %s", strings.Join(args, " "), err, firstLine(out))
	}
	w.ended = append(w.ended, ids().ReplaceAllString(strings.ReplaceAll(end, w.dir, "DIR"), "ID"))
}

// ids differ between a world and its twin: memctl's commits stand in between.
var ids = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{7,64}\b`) })

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// fails runs a command that shall stop in the middle, as at a conflict.
func (w *world) fails(args ...string) {
	w.t.Helper()
	if out, err := w.try(args...); err == nil {
		w.t.Fatalf("git %q did not stop:\n%s", args, out)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.writeAt(filepath.Join(w.root, filepath.FromSlash(name)), text)
}

func (w *world) writeAt(file, text string) {
	w.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		w.t.Fatal(err)
	}
}

// script writes an executable for sh.
func (w *world) script(file, text string) {
	w.t.Helper()
	w.writeAt(file, "#!/bin/sh\n"+text)
	w.chmod(file, 0o755)
}

func (w *world) chmod(file string, mode os.FileMode) {
	w.t.Helper()
	if err := os.Chmod(file, mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.root, name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	text, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(text)
}

// commitAll commits everything as the person.
func (w *world) commitAll(message string) {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", message)
}

// gitDir is the worktree's own git folder, as git names it.
func (w *world) gitDir() string {
	w.t.Helper()
	return w.git("rev-parse", "--absolute-git-dir")
}

// inGitDir is a path in the git folder of a plain repository.
func (w *world) inGitDir(name string) string {
	return filepath.Join(w.root, ".git", filepath.FromSlash(name))
}

// give makes the whole world another user's, who acts from then on.
func (w *world) give(uid int) {
	w.t.Helper()
	err := filepath.Walk(w.dir, func(name string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Lchown(name, uid, uid))
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.uid = uid
}

// work is what the person has under way beside memory: staged, half staged,
// noted with intent to add, hidden from git, deleted, new.
func (w *world) work() {
	w.t.Helper()
	w.write("code.txt", "first\nsecond, staged\nthird\n")
	w.write("half.txt", "first, staged\nsecond\nthird\n")
	w.write("new.txt", "new and staged\n")
	w.git("add", "code.txt", "half.txt", "new.txt")
	w.write("half.txt", "first, staged\nsecond\nthird, not staged\n")
	w.write("intent.txt", "to be added\n")
	w.git("add", "-N", "intent.txt")
	w.git("rm", "-q", "removed.txt")
	w.git("update-index", "--assume-unchanged", "assumed.txt")
	if !w.isSparse {
		w.git("update-index", "--skip-worktree", "skipped.txt")
	}
	w.write("assumed.txt", "changed behind git's back\n")
	w.write("skipped.txt", "changed behind git's back too\n")
	w.remove("gone.txt")
	w.write("untracked.txt", "not git's\n")
}

// answer is what memctl said.
type answer struct {
	status         int
	stdout, stderr string
}

func (a answer) String() string {
	return fmt.Sprintf("status %d\nstdout: %sstderr: %s", a.status, a.stdout, a.stderr)
}

// memctl runs the binary as the person does.
func (w *world) memctl(args ...string) answer {
	w.t.Helper()
	cmd := w.command(memctl, args...)
	if w.cwd != "" {
		cmd.Dir = w.cwd
	}
	if w.path != "" {
		cmd.Env = append(slices.Clone(cmd.Env), "PATH="+w.path)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("memctl %q: %v", args, err)
	}
	return answer{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}
