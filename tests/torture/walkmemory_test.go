package torture

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// notMemory are all files but memory's.
var notMemory = []string{"--", ".", ":!memories*"}

// ofPerson is what a person has at work: what an act of memory must not touch.
type ofPerson struct{ status, staged, unstaged, head string }

func (w *walk) ofPerson() ofPerson {
	lines := strings.Split(w.asked("status", "--porcelain", "-uall"), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "memories") })
	return ofPerson{
		status:   strings.Join(lines, "\n"),
		staged:   w.asked(append([]string{"diff", "--cached"}, notMemory...)...),
		unstaged: w.asked(append([]string{"diff"}, notMemory...)...),
		head:     w.asked("rev-parse", "-q", "--verify", "HEAD"),
	}
}

// act is one act of memctl: it ends well or refuses, in time, and the person's
// work is as it was. The last commit that it made stays in w.made.
func (w *walk) act(args ...string) answer {
	w.made = ""
	before := w.ofPerson()
	began := time.Now()
	a := w.memctl(w.cur, args...)
	took := time.Since(began)
	w.note("[%s] memctl %q: status %d, %v\n%s%s", filepath.Base(w.cur), args, a.status, took.Round(time.Millisecond), a.out, a.talked)
	if a.status < 0 || a.status > 2 || strings.Contains(a.talked, "bug in memctl") || strings.Contains(a.talked, "goroutine ") {
		w.fault("memctl %q: status %d\n%s", args, a.status, a.talked)
	}
	if took > actLimit {
		w.fault("memctl %q took %v", args, took)
	}
	if w.beside {
		return a
	}
	after := w.ofPerson()
	if after.status != before.status || after.staged != before.staged || after.unstaged != before.unstaged {
		w.fault("memctl %q touched the person's work:\n%+v\n%+v", args, before, after)
	}
	if before.head != "" && after.head != before.head {
		w.made = after.head
		for name := range strings.SplitSeq(w.asked("log", "--format=", "--name-only", before.head+".."+after.head), "\n") {
			if name != "" && !strings.HasPrefix(name, "memories") {
				w.fault("memctl %q committed %s", args, name)
			}
		}
		if !w.follows(before.head) {
			w.fault("memctl %q: HEAD does not follow what it was", args)
		}
	}
	if lock := w.gitPath("index.lock"); exists(lock) {
		w.fault("memctl %q left %s", args, lock)
	}
	return a
}

// token is a word that stands in one saying only.
func (w *walk) token() string {
	w.last++
	return fmt.Sprintf("tok%dx%dz", w.seed, w.last)
}

var things = strings.Fields("alpha beta gamma delta river stone tower cloud yellow engine garden window marble copper violet")

func (w *walk) thing() string { return things[w.IntN(len(things))] }

func (w *walk) add() {
	key := fmt.Sprintf("area%d.topic%d", w.IntN(3), w.IntN(4))
	s := &saying{token: w.token(), key: key, auto: w.IntN(10) < 3}
	args := []string{"add", key, w.thing() + " " + w.thing() + " " + s.token}
	if s.auto {
		args = append(args, "--auto")
	}
	a := w.act(args...)
	if a.status != 0 {
		return
	}
	w.release(key)
	// What an agent wrote goes, where a branch comes in that forgot the key.
	s.free = s.auto && slices.ContainsFunc(w.forgot, func(f *saying) bool { return f.key == key })
	if strings.Contains(w.asked("show", "-s", "--format=%s", w.made), key) {
		s.commit = w.made
	}
	w.told = append(w.told, s)
	if s.auto || w.beside || strings.Contains(a.talked, "held") || !strings.Contains(a.out, "Saved") {
		return
	}
	w.checked["shown at once"]++
	if shown := w.memctl(w.cur, "show", key); !strings.Contains(shown.out, s.token) {
		w.fault("%s was added and is not shown: %s%s", s.token, shown.out, shown.talked)
	}
}

var factID = regexp.MustCompile(`fact ([0-9a-f]{8})`)

func (w *walk) remember() {
	s := &saying{token: w.token()}
	a := w.act("remember", "The "+w.thing()+" needs the "+w.thing()+" of "+s.token)
	if a.status != 0 {
		return
	}
	id := factID.FindStringSubmatch(a.out)
	if id == nil {
		w.fault("remember named no fact: %s%s", a.out, a.talked)
		return
	}
	s.key, s.commit = id[1], w.made
	w.told = append(w.told, s)
}

// release frees what has the key: another saying has its place.
func (w *walk) release(key string) {
	for _, s := range slices.Concat(w.told, w.forgot) {
		if s.key == key {
			s.free = true
		}
	}
}

func (w *walk) forget() {
	if len(w.told) == 0 {
		return
	}
	s := pick(w, w.told...)
	a := w.act("forget", s.key)
	if a.status != 0 || !strings.Contains(a.out, "Forgot") {
		return
	}
	for _, other := range w.told {
		if other.key == s.key {
			other.free = true
			w.forgot = append(w.forgot, &saying{token: other.token, key: s.key, commit: w.made})
		}
	}
	w.checked["forgotten at once"]++
	for _, args := range [][]string{{"profile"}, {"recall", s.token}} {
		if found := w.memctl(w.cur, args...); strings.Contains(found.out, s.token) {
			w.fault("%s was forgotten, and memctl %q has it: %s", s.token, args, found.out)
		}
	}
}

// takenBack frees what an answer names, by key or by token.
func (w *walk) takenBack(a answer) {
	w.mu.Lock()
	w.acks = slices.DeleteFunc(w.acks, func(token string) bool { return strings.Contains(a.out, token) })
	w.mu.Unlock()
	for _, s := range slices.Concat(w.told, w.forgot) {
		if strings.Contains(a.out+a.talked, s.key) || strings.Contains(a.out+a.talked, s.token) {
			s.free = true
		}
	}
}

func (w *walk) undo() {
	if a := w.act("undo"); a.status == 0 {
		w.takenBack(a)
	}
}

func (w *walk) restore() {
	if len(w.forgot) == 0 {
		return
	}
	s := pick(w, w.forgot...)
	if a := w.act("restore", s.key); a.status == 0 {
		w.takenBack(a)
		w.release(s.key)
	}
}

func (w *walk) confirm() {
	auto := slices.DeleteFunc(slices.Clone(w.told), func(s *saying) bool { return !s.auto })
	if len(auto) > 0 {
		key := pick(w, auto...).key
		w.act("confirm", key)
		w.release(key)
	}
}

// readOrMend asks memory something, or has it mended.
func (w *walk) readOrMend() {
	w.act(pick(w, []string{"profile"}, []string{"doctor"}, []string{"recall", "the stone tower"}, []string{"log"}, []string{"review"},
		[]string{"validate"}, []string{"list", "--counts"}, []string{"list", "--tier", "fact"}, []string{"show"}, []string{"doctor", "--fix"}, []string{"recover"}, []string{"resolve"})...)
}

// writer is an agent that writes beside the walk until told to stop.
func (w *walk) writer(who int, stop <-chan struct{}) {
	own := rand.New(rand.NewPCG(w.seed, uint64(who)+1))
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(own.IntN(400)) * time.Millisecond):
		}
		token := fmt.Sprintf("beside%dof%dx%dz", who, w.seed, i)
		args := []string{"remember", "The " + things[own.IntN(len(things))] + " waits for the " + token}
		if own.IntN(10) < 6 {
			args = []string{"add", "beside" + word(who) + ".k" + word(i), "value " + token}
			if own.IntN(10) < 3 {
				args = append(args, "--auto")
			}
		}
		dir := w.where()
		if !exists(dir) {
			continue // its worktree was just removed
		}
		a := w.memctl(dir, args...)
		w.note("   beside [%s] memctl %q: status %d\n%s%s", filepath.Base(dir), args, a.status, a.out, a.talked)
		switch {
		case a.status == 0:
			w.mu.Lock()
			w.acks = append(w.acks, token)
			w.mu.Unlock()
		case a.status > 2 || a.status < 0 && exists(dir) || strings.Contains(a.talked, "bug in memctl"):
			w.fault("beside: memctl %q: status %d\n%s", args, a.status, a.talked)
		}
	}
}

// asked is what git printed in the current worktree, whatever its status.
func (w *walk) asked(args ...string) string {
	c := exec.Command("git", args...)
	c.Dir, c.Env = w.cur, w.env()
	out, _ := c.Output()
	return strings.TrimRight(string(out), "\n")
}

// gitPath is where git has a file of its own for this worktree.
func (w *walk) gitPath(name string) string {
	path := w.asked("rev-parse", "--git-path", name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.cur, path)
	}
	return path
}

// follows reports whether HEAD is the commit or follows it.
func (w *walk) follows(commit string) bool {
	_, err := w.tryGit(w.cur, "merge-base", "--is-ancestor", commit, "HEAD")
	return err == nil
}
