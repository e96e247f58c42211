package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// crowd is many writers at work on one repository.
type crowd struct {
	*machine
	mu     sync.Mutex
	done   map[string][]string // acknowledged keys, by worktree
	failed []string
	waited int // acknowledged writes that a later act committed
	asked  int // hooks that were answered
	raced  int // a person's git that met another git between reading and locking the index
}

// acknowledge notes a write that memctl said was done. Where git's own locks
// were never free in time it is committed by a later act.
func (c *crowd) acknowledge(dir, key string, committed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[dir] = append(c.done[dir], key)
	if !committed {
		c.waited++
	}
}

func (c *crowd) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = append(c.failed, fmt.Sprintf(format, args...))
}

// process writes with one start of memctl a memory.
func (c *crowd) process(dir string, who, writes int) {
	for i := range writes {
		key := "process." + word(who) + "-" + word(i)
		a := c.memctl(dir, "add", key, "what process "+word(who)+" knows, part "+word(i), "--json")
		var said struct {
			Commit  *string  `json:"commit"`
			Changed bool     `json:"changed"`
			Codes   []string `json:"note_codes"`
		}
		// Where git was at work for too long, the write waits in the queue, and a later act stores it.
		if err := json.Unmarshal([]byte(a.out), &said); err != nil || a.status != 0 || !said.Changed && !slices.Contains(said.Codes, "queued") {
			c.fail("%s: status %d\n%s%s", key, a.status, a.out, a.talked)
			continue
		}
		c.acknowledge(dir, key, said.Commit != nil)
	}
}

// hook asks as an agent's hook does, at the start of a session.
func (c *crowd) hook(dir string, who, times int) {
	for i := range times {
		event := fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"startup","session_id":"s-%d-%d","cwd":%q}`, who, i, dir)
		a := c.fed(dir, event, "hook", "claude")
		if a.status != 0 || a.out != "" && !json.Valid([]byte(a.out)) {
			c.fail("hook: status %d\n%s%s", a.status, a.out, a.talked)
			continue
		}
		c.mu.Lock()
		c.asked++
		c.mu.Unlock()
	}
}

// server writes through one `memctl mcp`, a call after the other.
func (c *crowd) server(dir string, who, writes int) {
	cmd := c.command(dir, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		c.fail("mcp: %v", err)
		return
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.fail("mcp: %v", err)
		return
	}
	lines := bufio.NewReader(out)
	call := func(id int, method, params string) string {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		return answerTo(lines, id)
	}
	call(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"torture","version":"1"}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range writes {
		key := "server." + word(who) + "-" + word(i)
		remember := fmt.Sprintf(`{"name":"remember","arguments":{"key":%q,"value":"what server %s was told, part-%s","said_by_user":true,"scope":"project"}}`, key, word(who), word(i))
		said := call(i+2, "tools/call", remember)
		for again := 1; again <= 3 && strings.Contains(said, "Try again in a moment"); again++ { // as an agent does
			said = call(again*1000+i, "tools/call", remember)
		}
		if !strings.Contains(said, `"text":"stored as `) {
			c.fail("%s: %s", key, said)
			continue
		}
		c.acknowledge(dir, key, !strings.Contains(said, "not committed"))
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		c.fail("mcp ends: %v", err)
	}
}

// answerTo skips what is no answer to the call.
func answerTo(lines *bufio.Reader, id int) string {
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) || strings.Contains(line, fmt.Sprintf(`"id":%d}`, id)) {
			return line
		}
		if err != nil {
			if err == io.EOF {
				return "the server hung up"
			}
			return err.Error()
		}
	}
}

// person adds and commits files of their own until told to stop. Their git
// meets ours at the index's lock now and then; like any two gits, one of them
// tries again. Git reads the index a moment before it locks it, so that one of
// two that start together can also write an index without what the other has
// just put in (git add, then "nothing added"): that is counted, and done again.
func (c *crowd) person(dir string, stop <-chan struct{}) (commits int) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return commits
		default:
		}
		name := "own-" + word(i%40) + ".txt"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(word(i)+"\n"), 0o644); err != nil {
			c.fail("person: %v", err)
			return commits
		}
		if !c.commitOwn(dir, name) {
			return commits
		}
		commits++
	}
}

func (c *crowd) commitOwn(dir, name string) bool {
	for {
		out, err := c.tryGit(dir, "add", name)
		if err == nil {
			out, err = c.tryGit(dir, "commit", "-q", "-m", "own "+name)
		}
		switch {
		case err == nil:
			return true
		case strings.Contains(out, "nothing added to commit"), strings.Contains(out, "no changes added to commit"):
			c.mu.Lock()
			c.raced++
			c.mu.Unlock()
		case !strings.Contains(out, "lock") && !strings.Contains(out, "unable to write new"):
			c.fail("person: %s: %s", name, out)
			return false
		}
	}
}

// check looks at one worktree after all have ended.
func (c *crowd) check(dir string, commits int) {
	c.t.Helper()
	c.sound(dir, false)
	want := slices.Clone(c.done[dir])
	slices.Sort(want)
	if got := c.keysIn(dir); !slices.Equal(got, want) {
		c.t.Errorf("%s: %d items stand in the file, %d were acknowledged; missing %q", filepath.Base(dir), len(got), len(want), missing(want, got))
	}
	own, begun := 0, map[string]bool{}
	for record := range strings.SplitSeq(c.git(dir, "log", "-p", "--unified=0", "--no-color", "--format=%x01%s"), "\x01") {
		subject, diff, _ := strings.Cut(strings.TrimSpace(record), "\n")
		var files []string
		for line := range strings.Lines(diff) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "diff --git a/"); ok {
				files = append(files, name[:strings.Index(name, " b/")])
			}
			if key, ok := strings.CutPrefix(strings.TrimSpace(line), "+    - key: "); ok {
				begun[key] = true
			}
		}
		theirs := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == "memories.md" })
		switch isOwn := len(theirs) > 0; {
		case subject == "" || subject == "begin":
		case len(theirs) > 1:
			c.t.Errorf("the commit %q holds %q", subject, files)
		case isOwn:
			own++
			// Git's races again: the index of a moment before our commit, or the
			// file of the message, which two gits share.
			if len(files) > 1 || subject != "own "+theirs[0] {
				c.raced++
			}
		case !strings.HasPrefix(subject, "memory: "):
			c.raced++
		}
	}
	if own != commits {
		c.t.Errorf("%d commits of the person are in the history, and they made %d", own, commits)
	}
	for _, key := range want {
		if !begun[key] {
			c.t.Errorf("%s: in no commit", key)
		}
	}
}

func missing(want, got []string) []string {
	var list []string
	for _, key := range want {
		if !slices.Contains(got, key) {
			list = append(list, key)
		}
	}
	return list
}

// writers is how many of each kind write, and how often each.
type writers struct{ processes, servers, hooks, each, worktrees int }

func TestManyWriters(t *testing.T) {
	for name, w := range map[string]writers{
		"processes":                        {processes: either(4, 24), each: either(3, 20), worktrees: 1},
		"processes in two worktrees":       {processes: either(4, 24), each: either(2, 20), worktrees: 2},
		"processes, MCP servers and hooks": {processes: either(2, 12), servers: either(2, 8), hooks: either(1, 4), each: either(3, 20), worktrees: either(1, 2)},
	} {
		t.Run(name, func(t *testing.T) { w.run(t) })
	}
}

func (w writers) run(t *testing.T) {
	m := newMachine(t, "Ada")
	repo := filepath.Join(m.home, "repo")
	m.git(m.home, "init", "-q", repo)
	if a := m.memctl(repo, "init"); a.status != 0 {
		t.Fatalf("init: %s%s", a.out, a.talked)
	}
	dirs := []string{repo}
	for i := 1; i < w.worktrees; i++ {
		dir := filepath.Join(m.home, "linked-"+word(i))
		m.git(repo, "worktree", "add", "-q", dir, "-b", "side-"+word(i))
		dirs = append(dirs, dir)
	}
	c := &crowd{machine: m, done: map[string][]string{}}
	stop := make(chan struct{})
	var people, busy sync.WaitGroup
	commits := make([]int, len(dirs))
	for i, dir := range dirs {
		people.Go(func() { commits[i] = c.person(dir, stop) })
	}
	for who := range w.processes {
		busy.Go(func() { c.process(dirs[who%len(dirs)], who, w.each) })
	}
	for who := range w.servers {
		busy.Go(func() { c.server(dirs[who%len(dirs)], who, w.each) })
	}
	for who := range w.hooks {
		busy.Go(func() { c.hook(dirs[who%len(dirs)], who, w.each) })
	}
	busy.Wait()
	close(stop)
	people.Wait()
	written := 0
	for i, dir := range dirs {
		// What a race left uncommitted, the next act commits.
		c.process(dir, w.processes+i, 1)
		c.check(dir, commits[i])
		written += len(c.done[dir])
	}
	for _, f := range c.failed {
		t.Errorf("failed: %s", f)
	}
	want := (w.processes+w.servers)*w.each + len(dirs)
	if written != want {
		t.Errorf("%d of %d writes were acknowledged", written, want)
	}
	t.Logf("writers: %d processes, %d MCP servers, %d hooks (%d answers), %d worktrees; %d of %d writes acknowledged (%d committed by a later act), %d commits of a person beside them (%d of them met git's own race for the index), %d failed",
		w.processes, w.servers, w.hooks, c.asked, len(dirs), written, want, c.waited, sum(commits), c.raced, len(c.failed))
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// TestFirstWriters: of many that make a private and a user store at one moment,
// from two worktrees, nobody writes to a store that the others do not find.
func TestFirstWriters(t *testing.T) {
	for round := range either(2, 20) {
		m := newMachine(t, "Ada")
		repo, linked := filepath.Join(m.home, "repo"), filepath.Join(m.home, "linked")
		m.git(m.home, "init", "-q", repo)
		m.git(repo, "commit", "-q", "--allow-empty", "-m", "begin")
		m.git(repo, "worktree", "add", "-q", linked, "-b", "side")
		scopes := []string{"private", "user"}
		said := make([]answer, 8)
		var busy sync.WaitGroup
		for i := range said {
			busy.Go(func() {
				said[i] = m.memctl([]string{repo, linked}[i%2], "add", "first."+word(i), "what writer "+word(i)+" knows", "--scope", scopes[i/2%2])
			})
		}
		busy.Wait()
		shown := m.memctl(linked, "show").out
		for i, a := range said {
			if a.status != 0 || !strings.Contains(shown, "what writer "+word(i)+" knows") {
				t.Errorf("round %d, writer %d: status %d: %s\n%s", round, i, a.status, a.talked, shown)
			}
		}
		if stores, err := os.ReadDir(filepath.Join(m.home, "data", "memctl", "private")); err != nil || len(stores) != 1 {
			t.Errorf("round %d: private stores %v, %v", round, stores, err)
		}
	}
}
