package states

import "time"

// waits is a script that reports that it runs, and waits to be told to go on.
const waits = "touch \"$HOME/../begun\"\nfor i in $(seq 3000); do\n  test -e \"$HOME/../go\" && break\n  sleep 0.02\ndone\n"

// underWay: a person writes the message of a commit. Their git fails where HEAD moves.
func underWay() []row {
	return []row{{
		name: "an editor is open for the message of a commit", want: deferred("commit in progress"), later: nextAct,
		build: func(w *world) {
			w.script(w.other("editor"), waits+"printf 'my own words\\n' > \"$1\"\n")
			w.env = append(w.env, "GIT_EDITOR="+w.other("editor"))
			w.afterWork = func() { w.begin("commit", "-q") }
		},
		ends: func(w *world) {
			w.writeAt(w.other("go"), "")
			w.ended = append(w.ended, <-w.background)
			goOn(w)
		},
	}}
}

// begin starts a command of the person's and waits until its script runs.
func (w *world) begin(args ...string) {
	w.t.Helper()
	w.background = make(chan string, 1)
	w.writeAt(w.other("begins"), "")
	other := *w
	other.ended = nil
	go func() {
		other.person(args...)
		w.background <- other.ended[0]
	}()
	for range 1000 {
		if exists(w.other("begun")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("git %q does not come to its script", args)
}
