package torture

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// crashBound is how long the act after a crash may take, whatever the crash left.
const crashBound = time.Minute

// crashAct is an act that is struck at each of its system calls.
type crashAct struct {
	name    string
	prepare func(c *crash)        // what stands before it
	args    []string              // the act
	stdin   string                // and what it reads
	origin  string                // "" for a person's own
	dir     func(c *crash) string // where the memory lies; nil: the repository
	next    [][]string            // the acts that follow; nil: an add
	finish  func(c *crash)        // what the person does at the end; nil: commits what is staged
	stride  int                   // strikes every so many calls, where there are thousands
	again   bool                  // the act after it does the same, so that it ends as it would have
	joins   bool                  // where git fails, two of its commits may become one
	waits   bool                  // what the act writes goes into the queue
}

// crash is one act under torture in a world that is set up anew for each blow.
type crash struct {
	*machine
	act          crashAct
	repo, saved  string
	before, done map[string]string // memory's files before and after the act
	own          string            // what the person has in the index
	old, new     outcome           // how it all ends without the act, and with it
	calls        int
	slowest      time.Duration
}

// outcome is how things stand in the end.
type outcome struct {
	files                            map[string]string
	names                            []string // of files in the git folders and the data folder
	head, status, log, waiting, last string
}

// kills and faults count what was done by all of them.
var kills, faults, crashActs, unreached atomic.Int64

func TestCrashes(t *testing.T) {
	if why := cannotTrace(); why != "" {
		t.Skip(why)
	}
	t.Run("acts", func(t *testing.T) {
		for i, act := range crashList() {
			t.Run(act.name, func(t *testing.T) {
				if all() {
					t.Parallel()
				}
				c := newCrash(t, act)
				crashActs.Add(1)
				for _, b := range c.blows(i) {
					c.strike(b)
				}
				t.Logf("%d calls that change files; the slowest act after a crash took %v", c.calls, c.slowest.Round(10*time.Millisecond))
			})
		}
	})
	lost := "nothing lost"
	if t.Failed() {
		lost = "see above for what was lost or harmed"
	}
	t.Logf("%d acts: %d kills, %d faults (%d more were not reached): %s", crashActs.Load(), kills.Load(), faults.Load(), unreached.Load(), lost)
}

// newCrash sets the world up and learns how the act ends undisturbed.
func newCrash(t *testing.T, act crashAct) *crash {
	m := newMachine(t, "Ada")
	m.now = "2026-11-21T09:00:00Z"
	c := &crash{machine: m, act: act, repo: filepath.Join(m.home, "repo"), saved: filepath.Join(t.TempDir(), "saved")}
	c.git(m.home, "init", "-q", "--template=", c.repo)
	c.must(c.repo, "init")
	for _, name := range []string{"staged.txt", "half.txt", "plain.txt"} {
		c.write(name, "as committed\n")
	}
	c.git(c.repo, "add", ".")
	c.git(c.repo, "commit", "-q", "-m", "begin")
	c.must(c.repo, "add", "first.key", "what stood there before")
	if act.prepare != nil {
		act.prepare(c)
	}
	c.write("staged.txt", "staged\n")
	c.write("half.txt", "staged\n")
	c.git(c.repo, "add", "staged.txt", "half.txt")
	c.write("half.txt", "and not staged\n")
	c.write("plain.txt", "not staged\n")
	c.write("untracked.txt", "not known\n")
	if err := os.CopyFS(c.saved, os.DirFS(c.home)); err != nil {
		t.Fatal(err)
	}
	c.before, c.own = c.memory(), c.ownIndex()
	c.old = c.follow(blow{})
	c.restore()
	ran, a := c.run(blow{})
	if ran.status != 0 {
		t.Fatalf("undisturbed: status %d\n%s%s", ran.status, a.out, a.talked)
	}
	c.calls, c.done = ran.calls, c.memory()
	c.new = c.follow(blow{})
	if !act.again && c.old.same(c.new, "old", "new") == "" {
		t.Fatal("the act changes nothing")
	}
	return c
}

func (c *crash) must(dir string, args ...string) {
	c.t.Helper()
	if a := c.memctl(dir, args...); a.status != 0 {
		c.t.Fatalf("%q: status %d\n%s%s", args, a.status, a.out, a.talked)
	}
}

func (c *crash) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.repo, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// restore puts the world back as it was before the act.
func (c *crash) restore() {
	c.t.Helper()
	err := os.RemoveAll(c.home)
	if err == nil {
		err = os.CopyFS(c.home, os.DirFS(c.saved))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// blows lists what is done to the act: everything, or a few that differ from
// act to act.
func (c *crash) blows(act int) (list []blow) {
	kinds := []blow{
		{kind: killAll}, {kind: killCaller}, {kind: killMemctl}, {kind: failCall, errno: syscall.ENOSPC},
		{kind: failCall, errno: syscall.EIO}, {kind: failCall, errno: syscall.EACCES}, {kind: failCall, errno: syscall.EINTR},
		{kind: failCall, errno: syscall.ENOSPC, stays: true},
	}
	only, _ := strconv.Atoi(os.Getenv("TORTURE_AT"))
	for at := 1; at <= c.calls; at += max(1, c.act.stride) {
		for _, b := range kinds {
			if b.at = at; only == 0 || only == at {
				list = append(list, b)
			}
		}
	}
	if all() || only > 0 {
		return list
	}
	const each = 2
	var some []blow
	for i := range each {
		some = append(some, list[(len(list)*(2*i+1)/(2*each)+act*13)%len(list)])
	}
	return some
}

// run runs the act, and strikes it.
func (c *crash) run(b blow) (traced, answer) {
	c.t.Helper()
	in, err := os.Create(filepath.Join(c.saved + "-in"))
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(c.saved + "-out" + streamName))
	if err != nil {
		c.t.Fatal(err)
	}
	talk, err := os.Create(filepath.Join(c.saved + "-talk" + streamName))
	if err != nil {
		c.t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	defer talk.Close()
	_, _ = in.WriteString(c.act.stdin)
	_, _ = in.Seek(0, 0)
	cmd := c.command(c.repo, c.act.args...)
	if c.act.origin != "" {
		cmd.Env = append(cmd.Env, "MEMCTL_ORIGIN="+c.act.origin)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, talk
	ran, err := trace(cmd, b)
	if err != nil {
		c.t.Fatal(err)
	}
	said, _ := os.ReadFile(out.Name())
	talked, _ := os.ReadFile(talk.Name())
	return ran, answer{ran.status, string(said), string(talked)}
}

// strike runs the act with one blow, and looks at what is left.
func (c *crash) strike(b blow) {
	c.t.Helper()
	c.restore()
	ran, a := c.run(b)
	if ran.struck == "" || ran.status >= 0 && b.kind == killMemctl && !ran.byGit {
		unreached.Add(1)
		return
	}
	if b.kind == failCall {
		faults.Add(1)
	} else {
		kills.Add(1)
	}
	var wrong []string
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	now := c.memory()
	for _, name := range namesOf(now, c.before, c.done) {
		if now[name] != c.before[name] && now[name] != c.done[name] {
			fail("%s is neither the old one nor the new one:\n%s", name, now[name])
		}
	}
	if own := c.ownIndex(); own != c.own {
		fail("the person's index is not what it was:\n%s", own)
	}
	end := c.follow(b)
	if c.act.joins && b.kind == failCall && end.log != c.old.log && end.log != c.new.log && maps.Equal(end.files, c.new.files) {
		// The edit could not be committed alone: it went with the act.
		end.log, end.last = c.new.log, c.new.last
	}
	asOld, asNew := end.same(c.old, "old", "now"), end.same(c.new, "new", "now")
	switch {
	case asNew == "":
	case ran.status == 0:
		fail("acknowledged (%q), and in the end it is not as it should be:\n%s", a.out, asNew)
	case asOld != "":
		fail("in the end neither as without the act nor as with it:\n%s\nor\n%s", asOld, asNew)
	}
	for _, name := range end.names {
		if b.kind == failCall && strings.Contains(name, "next-index-") {
			continue // git's own litter, where it could not remove it: in nobody's way
		}
		switch filepath.Base(name) {
		case "config.json", "COMMIT_EDITMSG":
			continue // a cache that is made on occasion; the message of git's last commit
		}
		if !slices.Contains(c.old.names, name) && !slices.Contains(c.new.names, name) {
			fail("left behind: %s", name)
		}
	}
	if len(wrong) > 0 {
		c.t.Errorf("%v (%s, by git: %v, status %d):\n%s\n%s%s", b, ran.struck, ran.byGit, ran.status, strings.Join(wrong, "\n"), a.out, a.talked)
	}
}

// follow does the acts after the struck one, and looks.
func (c *crash) follow(b blow) outcome {
	c.t.Helper()
	next := c.act.next
	if next == nil {
		next = [][]string{{"add", "next.key", "what comes after"}}
	}
	for _, args := range next {
		begun := time.Now()
		a := c.memctl(c.repo, args...)
		took := time.Since(begun)
		c.slowest = max(c.slowest, took)
		if a.status != 0 || took > crashBound {
			c.t.Errorf("%v: %q after it: status %d after %v\n%s%s", b, args, a.status, took, a.out, a.talked)
		}
	}
	end := outcome{status: c.status()}
	if c.act.finish != nil {
		c.act.finish(c)
	} else if out, err := c.tryGit(c.repo, "commit", "-q", "-m", "own"); err != nil {
		c.t.Errorf("%v: the person cannot commit: %s", b, out)
	}
	c.look(&end)
	return end
}

func (c *crash) status() string {
	out, err := c.tryGit(c.repo, "--no-optional-locks", "status", "--porcelain")
	if err != nil {
		out = err.Error() + out
	}
	return out
}

// look notes how things stand, and checks what must hold in any case.
func (c *crash) look(end *outcome) {
	c.t.Helper()
	dir := c.dir()
	end.files = c.memory()
	end.status += "\nthen\n" + c.status()
	end.last, _ = c.tryGit(c.repo, "show", "--format=%s", "--name-status", "HEAD")
	end.log, _ = c.tryGit(dir, "log", "--format=%s%n%(trailers:only)")
	end.head, _ = c.tryGit(dir, "ls-tree", "-r", "HEAD", "--", "memories.md", "memories")
	remote := filepath.Join(c.home, "remote.git")
	if _, err := os.Stat(remote); err != nil {
		remote = dir
	}
	sent, _ := c.tryGit(remote, "ls-tree", "-r", "main", "--", "memories.md", "memories")
	end.head += "\n" + sent
	for _, at := range []string{c.repo, dir, remote} {
		if out, err := c.tryGit(at, "fsck", "--strict", "--no-dangling"); err != nil || strings.Contains(out, "error") || strings.Contains(out, "bad") {
			c.t.Errorf("git fsck: %v\n%s", err, out)
		}
	}
	if c.act.waits {
		end.waiting = c.queued()
	}
	if last, err := c.tryGit(dir, "show", "refs/memctl/journal:memories.md"); err == nil && last != strings.TrimSpace(end.files["memories.md"]) {
		end.head += "\nthe journal's newest entry holds something else:\n" + last
	}
	end.names = c.names()
}

func (c *crash) dir() string {
	if c.act.dir != nil {
		return c.act.dir(c)
	}
	return c.repo
}

// memory reads memory's files.
func (c *crash) memory() map[string]string {
	c.t.Helper()
	found := map[string]string{}
	dir := c.dir()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && rel != "memories" && !strings.HasPrefix(rel, "memories/"):
			return filepath.SkipDir
		case !d.IsDir() && (rel == "memories.md" || strings.HasPrefix(rel, "memories/")):
			data, err := os.ReadFile(path)
			if err != nil {
				c.t.Error(err)
			}
			found[rel] = string(data)
		}
		return nil
	})
	return found
}

// ownIndex is the person's part of the index.
func (c *crash) ownIndex() string {
	out, err := c.tryGit(c.repo, "ls-files", "-s", "-v", "--", ":!memories.md", ":!memories")
	if err != nil {
		return err.Error() + out
	}
	return out
}

// anyID is the name of a private store or of a log in it, which is random.
var anyID = regexp.MustCompile("[0-9a-f]{32,}")

// names lists the files of the git folders, less the objects, and of the data
// folder.
func (c *crash) names() (list []string) {
	for _, top := range []string{filepath.Join(c.repo, ".git"), filepath.Join(c.home, "data")} {
		_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "objects" {
				return filepath.SkipDir
			}
			if rel, _ := filepath.Rel(c.home, path); !d.IsDir() {
				list = append(list, anyID.ReplaceAllString(rel, "ID"))
			}
			return nil
		})
	}
	return list
}

// same tells how two outcomes differ, "" where they do not.
func (o outcome) same(want outcome, wanted, got string) string {
	var b strings.Builder
	differ := func(what, want, is string) {
		if want != is {
			fmt.Fprintf(&b, "  %s: %s:\n%s\n  %s:\n%s\n", what, wanted, want, got, is)
		}
	}
	for _, name := range namesOf(o.files, want.files) {
		differ(name, want.files[name], o.files[name])
	}
	differ("status", want.status, o.status)
	differ("log", want.log, o.log)
	differ("HEAD", want.head, o.head)
	differ("waiting", want.waiting, o.waiting)
	differ("last commit", want.last, o.last)
	return b.String()
}

func namesOf(lists ...map[string]string) []string {
	all := map[string]bool{}
	for _, m := range lists {
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
