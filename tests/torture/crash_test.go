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
	"sync"
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
	prepare func(c *crash)          // what stands before it
	args    []string                // the act
	stdin   string                  // and what it reads
	origin  string                  // "" for a person's own
	dirs    func(c *crash) []string // where the memory lies; nil: the repository
	next    [][]string              // the acts that follow; nil: an add
	finish  func(c *crash)          // what the person does at the end; nil: commits what is staged
	stride  int                     // strikes every so many calls, where there are thousands
	again   bool                    // the act after it does the same, so that it ends as it would have
	joins   bool                    // where git fails, two of its commits may become one
	waits   bool                    // what the act writes goes into the queue
	gone    string                  // what stands nowhere in the end
	already string                  // what the act says, with a status of its own, where it was done before
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
	byGit        []bool // which of them a git makes, when nothing disturbs it
	*tally
}

// tally counts what was done to one act, by all its workers.
type tally struct {
	calls                    int
	kills, faults, unreached atomic.Int64
	slowest                  atomic.Int64
}

// workers is how many copies of an act's world are struck at one time: most of
// the time goes by with waiting for a dead lock to settle.
const workers = maxTracers

func TestCrashes(t *testing.T) {
	if why := cannotTrace(); why != "" {
		t.Skip(why)
	}
	var total tally
	t.Run("acts", func(t *testing.T) {
		for i, act := range crashList() {
			t.Run(act.name, func(t *testing.T) {
				if !all() && act.name != "add" && act.name != "move" {
					t.Skip("make torture strikes it")
				}
				if !all() {
					t.Parallel()
				}
				sum := torment(t, act, i)
				total.kills.Add(sum.kills.Load())
				total.faults.Add(sum.faults.Load())
			})
		}
	})
	lost := "nothing lost"
	if t.Failed() {
		lost = "see above for what was lost or harmed"
	}
	t.Logf("%d acts: %d kills, %d faults: %s", len(crashList()), total.kills.Load(), total.faults.Load(), lost)
}

// torment strikes one act, in several copies of its world.
func torment(t *testing.T, act crashAct, nth int) *tally {
	sum, many := &tally{}, either(1, workers)
	var calls sync.Once
	t.Run("struck", func(t *testing.T) {
		for w := range many {
			t.Run(strconv.Itoa(w), func(t *testing.T) {
				t.Parallel()
				c := newCrash(t, act)
				c.tally = sum
				calls.Do(func() { sum.calls = c.calls })
				for i, b := range c.blows(nth) {
					if w == 0 && i%400 == 0 && all() {
						t.Logf("%v: at call %d of %d", time.Now().Format(time.TimeOnly), b.at, c.calls)
					}
					if (i+b.at)%many == w { // some of each kind for each
						c.strike(b)
					}
				}
			})
		}
	})
	t.Logf("%d calls that change files: %d kills, %d faults, %d not reached; the slowest act after a crash took %v",
		sum.calls, sum.kills.Load(), sum.faults.Load(), sum.unreached.Load(), time.Duration(sum.slowest.Load()).Round(10*time.Millisecond))
	return sum
}

// newCrash sets the world up and learns how the act ends undisturbed.
func newCrash(t *testing.T, act crashAct) *crash {
	m := newMachine(t, "Ada")
	m.now = "2026-11-21T09:00:00Z"
	c := &crash{machine: m, act: act, tally: &tally{}, repo: filepath.Join(m.home, "repo"), saved: filepath.Join(t.TempDir(), "saved")}
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
	c.calls, c.byGit, c.done = ran.calls, ran.gits, c.memory()
	c.new = c.follow(blow{})
	if !act.again && c.old.same(c.new) == "" {
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
			if (b.kind == killCaller || b.kind == killMemctl) && at <= len(c.byGit) && !c.byGit[at-1] {
				continue // the caller is memctl, and no git runs beside it
			}
			if b.at = at; only == 0 || only == at {
				list = append(list, b)
			}
		}
	}
	if all() || only > 0 {
		return list
	}
	const each = 6
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
		c.unreached.Add(1)
		return
	}
	if b.kind == failCall {
		c.faults.Add(1)
	} else {
		c.kills.Add(1)
	}
	var wrong []string
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	now := c.memory()
	for _, name := range namesOf(now, c.before, c.done) {
		if now[name] != c.before[name] && now[name] != c.done[name] {
			fail("%s is neither the old one nor the new one:\n%s", name, lineDiff(c.done[name], now[name]))
		}
	}
	if own := c.ownIndex(); own != c.own {
		fail("the person's index is not what it was:\n%s", lineDiff(c.own, own))
	}
	end := c.follow(b)
	if c.act.joins && b.kind == failCall && end.log != c.new.log && maps.Equal(end.files, c.new.files) {
		// The edit could not be committed alone: it went with the act, or the act with it.
		end.log, end.last = c.new.log, c.new.last
	}
	asOld, asNew := end.same(c.old), end.same(c.new)
	switch {
	case asNew == "":
	case ran.status == 0:
		fail("acknowledged (%q), and in the end it is not as it should be:\n%s", a.out, asNew)
	case asOld != "":
		fail("in the end neither as without the act:\n%s\nnor as with it:\n%s", asOld, asNew)
	}
	for _, name := range end.names {
		if b.kind == failCall && litter.MatchString(name) || gitLitter.MatchString(name) {
			continue // in nobody's way
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

// gitLitter are temporary files that git takes away only where it ends by itself,
// and those of ours that go with the next write into their folder.
var gitLitter = regexp.MustCompile(`/info/refs_\w{6}$|/state/ID/\.memctl-[^/]*\.tmp$`)

// litter are the names of temporary files, git's and ours, that could not be removed.
var litter = regexp.MustCompile(`next-index-|/t\w{6}$|/info/\.memctl-[^/]*\.tmp$`)

// follow does the acts after the struck one, and looks.
func (c *crash) follow(b blow) outcome {
	c.t.Helper()
	next := c.act.next
	if next == nil {
		next = [][]string{{"add", "next.key", "what comes after"}}
	}
	// A push that is killed leaves git's locks in a remote that is a folder. memctl names them, and the person takes them away.
	for _, pattern := range []string{"*.lock", "refs/heads/*.lock"} {
		locks, _ := filepath.Glob(filepath.Join(c.home, "remote.git", pattern))
		for _, lock := range locks {
			_ = os.Remove(lock)
		}
	}
	for _, args := range next {
		begun := time.Now()
		a := c.memctl(c.repo, args...)
		took := time.Since(begun)
		if took := int64(took); took > c.slowest.Load() {
			c.slowest.Store(took)
		}
		if isDone := c.act.already != "" && strings.Contains(a.talked, c.act.already); a.status != 0 && !isDone || took > crashBound {
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
