package torture

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	walkSeed  = flag.Uint64("walk.seed", 2, "the seed of the first random walk")
	walkCount = flag.Int("walk.count", 0, "how many random walks; 0 is 2, or 100 with MEMCTL_TORTURE")
	walkSteps = flag.Int("walk.steps", 0, "how long each is; 0 is 40 steps, or 150 with MEMCTL_TORTURE")
)

// actLimit is how long one act of memctl may take, beside whatever else is at
// work: longer than all the waits for a lock together that docs/git.md states.
const actLimit = 30 * time.Second

// TestRandomWalks takes random steps of a person's git and of memory's acts
// through one repository and its worktrees, with a model beside of what memory
// was told and what was forgotten. -artifacts keeps the log of each walk.
func TestRandomWalks(t *testing.T) {
	count, steps := either(2, 100), either(40, 150)
	if *walkCount > 0 {
		count = *walkCount
	}
	if *walkSteps > 0 {
		steps = *walkSteps
	}
	for i := range count {
		seed, beside := *walkSeed+uint64(i), 0
		if seed%3 == 0 {
			beside = 2
		}
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWalk(t, seed)
			defer w.keepLog()
			w.take(steps, beside)
		})
	}
}

// walk is a repository with its worktrees, a person and an agent who are at
// work in it, and what memory must hold by what it said to them.
type walk struct {
	*machine
	*rand.Rand
	seed      uint64
	repo      string
	worktrees []string // the repository's own is the first
	text      bool     // git does not know memctl on this machine, and merges text

	mu     sync.Mutex // for what follows, which the writers beside share
	cur    string     // the worktree where all are at work
	log    strings.Builder
	faults int
	acks   []string // the tokens that were acknowledged to the writers beside

	beside  bool   // others write as well: what one act alone changed cannot be told
	last    int    // the number of the last token
	made    string // the commit of the last act; "" where it made none, or others write as well
	told    []*saying
	forgot  []*saying
	checked map[string]int // how often each check had something to look at
}

// saying is one thing that memory was told, or was told to forget.
type saying struct {
	token  string // the word by which it is found in files
	key    string // its key, or the id of a fact
	commit string // the commit of the act; "" where there is none, or others write as well
	auto   bool   // an agent wrote it
	free   bool   // something took it back or replaced it: nothing more is asked of it
}

func newWalk(t *testing.T, seed uint64) *walk {
	w := &walk{machine: newMachine(t, "Ada"), Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, checked: map[string]int{}}
	bin := filepath.Join(w.home, "bin")
	w.must(os.Mkdir(bin, 0o755))
	w.must(os.Symlink(os.Args[0], filepath.Join(bin, "memctl")))
	w.more = []string{"GIT_EDITOR=true", "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
	w.repo = filepath.Join(w.home, "repo")
	w.worktrees, w.cur = []string{w.repo}, w.repo
	w.git(w.home, "config", "--global", "merge.conflictStyle", pick(w, "merge", "diff3", "zdiff3"))
	w.git(w.home, "init", "-q", w.repo)
	for i := range 5 {
		var lines strings.Builder
		for j := range 20 {
			fmt.Fprintf(&lines, "line %d\n", j)
		}
		w.must(os.WriteFile(w.own(i), []byte(lines.String()), 0o644))
	}
	w.git(w.repo, "add", ".")
	w.git(w.repo, "commit", "-q", "-m", "begin")
	if a := w.memctl(w.repo, "init"); a.status != 0 {
		t.Fatalf("init: %s%s", a.out, a.talked)
	}
	if w.text = w.IntN(10) < 4; w.text {
		w.git(w.repo, "config", "--remove-section", "merge.memctl")
		w.must(os.Remove(filepath.Join(w.repo, ".git", "info", "attributes")))
	}
	for range 3 {
		w.git(w.repo, "commit", "-q", "--allow-empty", "-m", "base")
	}
	return w
}

// take takes the steps, and looks after every tenth at all that was told.
func (w *walk) take(steps, beside int) {
	w.beside = beside > 0
	stop := make(chan struct{})
	var others sync.WaitGroup
	for who := range beside {
		others.Go(func() { w.writer(who, stop) })
	}
	steppers := w.steppers()
	for i := range steps {
		s := steppers[w.IntN(len(steppers))]
		w.note("--- %d %s\n", i, s.name)
		s.step()
		if len(w.unmerged()) > 0 {
			w.finishOperation()
		}
		if i%10 == 9 {
			w.look()
		}
		if w.faulty() > 6 {
			break
		}
	}
	close(stop)
	others.Wait()
	w.look()
	w.lookBeside()
	if out, err := w.tryGit(w.repo, "fsck", "--strict", "--no-dangling"); err != nil {
		w.fault("git fsck: %v\n%s", err, out)
	}
	w.t.Logf("walk %d: %d steps, %d told, %d forgotten, %d acknowledged to %d writers beside; looked at %v",
		w.seed, steps, len(w.told), len(w.forgot), len(w.acks), beside, w.checked)
	if w.checked["found again"] == 0 {
		w.t.Error("the walk had nothing to look at")
	}
}

// stepper is one kind of step; it is drawn as often as its weight says.
type stepper struct {
	name   string
	weight int
	step   func()
}

func (w *walk) steppers() (drawn []stepper) {
	for _, s := range []stepper{
		{"add", 24, w.add}, {"remember", 8, w.remember}, {"forget", 8, w.forget}, {"undo", 6, w.undo},
		{"restore", 4, w.restore}, {"read or mend", 8, w.readOrMend}, {"confirm", 2, w.confirm},
		{"edit", 10, w.edit}, {"commit", 10, w.commit}, {"switch", 8, w.branchOff}, {"merge", 8, w.merge},
		{"rebase", 4, w.rebase}, {"cherry-pick", 2, w.cherryPick}, {"revert", 1, w.revert}, {"stash", 4, w.stash},
		{"reset", 1, w.reset}, {"worktree", 4, w.worktree}, {"gc", 1, w.gc}, {"by hand", 2, w.byHand},
	} {
		for range s.weight {
			drawn = append(drawn, s)
		}
	}
	return drawn
}

func (w *walk) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// note writes to the walk's log.
func (w *walk) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(&w.log, format, args...)
}

// fault is something that must not be.
func (w *walk) fault(format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	w.note("!!! %s\n", said)
	w.mu.Lock()
	w.faults++
	w.mu.Unlock()
	w.t.Error(said)
}

func (w *walk) faulty() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.faults
}

// keepLog leaves the log where -artifacts says.
func (w *walk) keepLog() {
	name := filepath.Join(w.t.ArtifactDir(), "walk.log")
	w.must(os.WriteFile(name, []byte(w.log.String()), 0o644))
	if w.t.Failed() {
		w.t.Logf("go test ./tests/torture -artifacts -run TestRandomWalks -walk.seed %d -walk.count 1 -walk.steps N; the log of this walk: %s", w.seed, name)
	}
}

// where is the worktree where all are at work.
func (w *walk) where() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cur
}

// own is the name of one of the person's files.
func (w *walk) own(i int) string { return filepath.Join(w.cur, fmt.Sprintf("f%d", i)) }

func pick[T any](w *walk, of ...T) T { return of[w.IntN(len(of))] }
