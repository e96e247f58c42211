package states

// locks: another process is at it, or was when it was killed.
func locks() []row {
	held := func(name string, want want) row {
		return row{want: want, later: nextAct + ", once the lock is gone", acts: []string{"add", "auto"},
			build: func(w *world) { w.afterWork = func() { w.writeAt(w.inGitDir(name), "") } },
			ends: func(w *world) {
				w.removeAt(w.inGitDir(name))
				goOn(w)
			}}
	}
	var rows []row
	for _, l := range []struct {
		name, file string
		want       want
	}{
		{"`index.lock` held for more than 5 seconds", "index.lock", queued("git at work")},
		{"`HEAD.lock` held", "HEAD.lock", deferred("locked by another git")},
		{"the lock of the branch held", "refs/heads/main.lock", deferred("locked by another git")},
	} {
		r := held(l.file, l.want)
		r.name = l.name
		rows = append(rows, r)
	}
	return append(rows, row{name: "`packed-refs.lock` and `config.lock` held", want: committed(), does: "commits: these locks do not matter",
		build: func(w *world) {
			w.afterWork = func() {
				w.writeAt(w.inGitDir("packed-refs.lock"), "")
				w.writeAt(w.inGitDir("config.lock"), "")
			}
		}, ends: func(w *world) {
			w.removeAt(w.inGitDir("packed-refs.lock"))
			w.removeAt(w.inGitDir("config.lock"))
			goOn(w)
		}})
}
