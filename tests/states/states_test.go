package states

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// mostSkipped is how many states may be missing from a run, because what they
// need is not on the machine.
const mostSkipped = 12

func TestStates(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds repositories with POSIX tools")
	}
	rows := allRows()
	if len(rows) < 100 {
		t.Fatalf("only %d states: the suite has lost its rows", len(rows))
	}
	seen := map[string]bool{}
	var skipped atomic.Int32
	t.Run("state", func(t *testing.T) {
		for _, r := range rows {
			if seen[r.name] {
				t.Errorf("%q: two states of that name", r.name)
			}
			seen[r.name] = true
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				if why := r.missing(); why != "" {
					skipped.Add(1)
					t.Skip("not built here: " + why)
				}
				r.inTurn(t)
				if *full {
					r.eachAlone(t)
				}
			})
		}
	})
	if n := skipped.Load(); n > mostSkipped {
		t.Errorf("%d states were skipped, at most %d may be: -v says why", n, mostSkipped)
	}
	t.Logf("%d states, %d of them skipped", len(rows), skipped.Load())
}

// missing is what the state needs and the machine does not have.
func (r row) missing() string {
	if r.needs == nil {
		return ""
	}
	return r.needs()
}

// enter builds the state, with the person's work beside it.
func (r row) enter(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, r.init...)
	if r.build != nil {
		r.build(w)
	}
	if !r.idle {
		w.work()
	}
	if w.afterWork != nil {
		w.afterWork()
	}
	return w
}

// inTurn runs all acts one after the other, ends the state as the person
// would, and compares the end with a twin's.
func (r row) inTurn(t *testing.T) {
	w := r.enter(t)
	r.run(w, acts())
	if r.also != nil {
		r.also(w)
	}
	r.finish(w)
}

// eachAlone runs each act as the first one in its state.
func (r row) eachAlone(t *testing.T) {
	for _, a := range acts() {
		if a.name == "undo" {
			continue // it is only ever the second
		}
		t.Run(a.name, func(t *testing.T) {
			w := r.enter(t)
			a.has = a.has[:1]
			r.run(w, []act{a})
			r.finish(w)
		})
	}
}

// run runs acts and checks each.
func (r row) run(w *world, list []act) {
	w.t.Helper()
	before, looked := snapshot{}, false
	for _, a := range list {
		if !r.runs(a.name) {
			continue
		}
		expect := r.expected(a.name)
		if a.prepare != nil && expect.kind != refuses && expect.kind != absent {
			a.prepare(w)
			looked = false
		}
		if !looked {
			before, looked = w.look(), true
		}
		got := w.memctl(append([]string{"--json"}, a.args...)...)
		after := w.look()
		c := check{T: w.t, w: w, row: r, act: a, before: before, after: after, answer: got}
		c.untouched()
		switch {
		case expect.kind == commits:
			c.committed()
		case expect.kind == defers && a.name == "auto", expect.kind == queues && a.args[0] == "add":
			c.waits(expect)
		case expect.kind == queues:
			c.refused(expect)
		case expect.kind == defers:
			c.deferred(expect)
		case expect.kind == refuses:
			c.refused(expect)
		}
		if w.t.Failed() {
			w.t.Fatalf("after %s, which said\n%s", a.name, got)
		}
		before = after
	}
}

// told is the object that an act prints.
type told struct {
	Verdict string  `json:"verdict"`
	Commit  *string `json:"commit"`
	Why     string  `json:"why"`
}

func (a answer) told() (o told, err error) {
	err = json.Unmarshal([]byte(firstLine(a.stdout)), &o)
	return o, err
}

// finish ends the state in the world and in a twin that never saw memctl, and
// compares. Then an act commits whatever waits.
func (r row) finish(w *world) {
	w.t.Helper()
	ends := r.ends
	if ends == nil {
		ends = goOn
	}
	if r.want.kind == refuses || r.stays && r.want.kind != absent { // else the end of the test looks
		check{T: w.t, w: w, row: r}.sound()
	}
	ends(w)
	twin := r.enter(w.t)
	ends(twin)
	if got, want := w.outcome(), twin.outcome(); got != want {
		w.t.Fatalf("the person's own work ended otherwise than without memctl; here (+), there (-):\n%s", differ(want, got))
	}
	if r.want.kind == absent || r.want.kind == refuses || r.stays {
		return
	}
	w.uid = 0
	lines := memoryLines(w)
	got := w.memctl("--json", "add", "--scope", "project", "after.all", "the state is over")
	o, err := got.told()
	if err != nil || o.Commit == nil {
		w.t.Fatalf("after the state an act commits what waits and itself: %v\n%s", err, got)
	}
	s := w.look()
	if s.dirty != "" {
		w.t.Fatalf("the memory file is not all committed: %s", s.dirty)
	}
	for _, line := range lines {
		if !strings.Contains(w.read(memory), line) {
			w.t.Errorf("%q is lost", line)
		}
	}
	check{T: w.t, w: w, row: r, after: s}.sound()
}

// memoryLines are the values that the memory file holds.
func memoryLines(w *world) (lines []string) {
	for line := range strings.Lines(w.read(memory)) {
		if strings.Contains(line, "key: ") || strings.Contains(line, "value: ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// goOn is how a person goes on where nothing special has to be ended: commits
// what is staged, puts the rest away and takes it back.
func goOn(w *world) {
	w.person("commit", "-q", "-m", "my own work")
	w.person("reset", "-q", "intent.txt")
	w.person("stash", "-q")
	w.person("switch", "-q", "-c", "another-branch")
	w.person("switch", "-q", "-")
	w.person("stash", "pop", "-q")
}

// outcome is where the person's work ended: how their commands ended, their
// commits, their index and their files, without memory.
func (w *world) outcome() string {
	w.t.Helper()
	s := w.look()
	var list strings.Builder
	for _, end := range w.ended {
		list.WriteString(end + "\n")
	}
	subjects, _ := w.asLooker().try("log", "--format=%s", "--topo-order")
	for line := range strings.SplitSeq(subjects, "\n") {
		if !strings.HasPrefix(line, "memory: ") {
			list.WriteString("commit: " + line + "\n")
		}
	}
	content, _ := w.asLooker().try("ls-tree", "-r", "HEAD")
	rest, _ := apart(content)
	return strings.ReplaceAll(list.String()+rest+s.status+s.index+s.forms+"\n"+s.files, w.dir, "DIR")
}

func (w *world) asLooker() *world {
	w2 := *w
	w2.uid = 0
	w2.env = append([]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}, w.env...)
	return &w2
}

// differ lists the lines that one text has and the other not.
func differ(was, is string) string {
	var list strings.Builder
	only := func(mark, a, b string) {
		have := map[string]bool{}
		for line := range strings.SplitSeq(b, "\n") {
			have[line] = true
		}
		for line := range strings.SplitSeq(a, "\n") {
			if !have[line] {
				fmt.Fprintf(&list, "%s %s\n", mark, line)
			}
		}
	}
	only("-", was, is)
	only("+", is, was)
	return list.String()
}

// exists reports whether a file is there.
func exists(elem ...string) bool {
	_, err := os.Lstat(filepath.Join(elem...))
	return err == nil
}
