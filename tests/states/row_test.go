package states

import (
	"slices"
	"strings"
)

// want is what an act does in a state.
type want struct {
	kind   string // committed, deferred or refused
	why    string // deferred: the reason; refused: a part of what is said
	status int    // refused: the exit status
}

const (
	commits = "committed"
	defers  = "deferred"
	refuses = "refused"
	queues  = "queued" // add waits in the queue, and every other act is refused
	absent  = "absent" // there is no memory file in this scope
)

func committed() want                      { return want{kind: commits} }
func deferred(why string) want             { return want{kind: defers, why: why} }
func queued(why string) want               { return want{kind: queues, why: why, status: 1} }
func refused(status int, said string) want { return want{kind: refuses, why: said, status: status} }

// row is one state.
type row struct {
	group string
	name  string          // the state, as README.md calls it
	does  string          // for the docs: what memctl does, where the expectation does not say it all
	later string          // for the docs: what commits it later
	needs func() string   // why the state cannot be built here, "" where it can
	init  []string        // arguments of git init
	build func(w *world)  // from the repository with two commits to the state
	idle  bool            // the state has no room for the person's other work
	want  want            // of every act
	other map[string]want // of the acts that differ
	acts  []string        // not all of them: where each waits for seconds
	ends  func(w *world)  // the person ends it; nil: commits, stashes and goes on
	stays bool            // what ends it leaves the state as it is, so nothing is committed later either
	also  func(w *world)  // what this state alone has to show after the acts
	by    string          // the author, where it is not Ada
}

// expected is what an act does in the row.
func (r row) expected(act string) want {
	if w, ok := r.other[act]; ok {
		return w
	}
	return r.want
}

func (r row) runs(act string) bool { return len(r.acts) == 0 || slices.Contains(r.acts, act) }

// act is one thing that memctl is asked for.
type act struct {
	name    string
	args    []string
	prepare func(w *world)
	has     []string // what the memory file holds after it
	hasNot  []string
	subject string // of the newest commit
}

// acts are what every state is put to, in turn. What one leaves is what the
// next finds.
func acts() []act {
	return []act{
		{name: "add", args: []string{"add", "--scope", "project", "new.key", "a value of its own"}, has: []string{"new.key", "a value of its own"}, subject: "memory: add new.key"},
		{name: "forget", args: []string{"forget", "--scope", "project", "old.habit"}, has: []string{"removed:"}, hasNot: []string{"tabs in makefiles"}, subject: "memory: forget old.habit"},
		{name: "undo", args: []string{"undo"}, has: []string{"tabs in makefiles"}, hasNot: []string{"removed:"}, subject: "memory: undo old.habit"},
		{name: "auto", args: []string{"add", "--auto", "--scope", "project", "noted.key", "noted by a hook"}, has: []string{"noted.key"}, subject: "memory: add noted.key"},
		{name: "recover", args: []string{"recover"}, prepare: damage, has: []string{"broken.key", "a value of its own"}, subject: "memory: recover"},
	}
}

// damage breaks the memory file as an agent that writes by hand does.
func damage(w *world) {
	text := strings.Replace(w.read(memory), "deletions:", "    - key: broken.key\n      value: `make` builds it\n      added: 2026-11-20\ndeletions:", 1)
	if !strings.Contains(text, "broken.key") {
		w.t.Fatalf("%s has no place for damage:\n%s", memory, text)
	}
	w.write(memory, text)
}
