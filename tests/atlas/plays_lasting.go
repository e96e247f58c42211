package main

import (
	"path/filepath"
	"strings"
)

// lastingPlays are those about deletions and corrections that have to last.
func lastingPlays() map[string]play {
	return map[string]play{
		"deletion.absent_after_reindex_and_restart": {
			played: "a fact in the start of a session is forgotten; jobs, new indexes, new processes, export; then `purge` in the private store",
			open:   "git's history keeps a forgotten value until `purge`", run: absentAfterRestart,
		},
		"deletion.absent_from_shared_copies": {
			played: "`sync` with a second machine, an export, a copy of the store and a colleague's clone made before; each comes together again",
			open:   "a clone that never pulls keeps it; the shared index was not played", run: absentFromCopies,
		},
		"correction.survives_reindex": {
			played: "five corrections by `add` and `remember --replace`; jobs and new indexes; `log` for the old value",
			open:   "periods are words of the value: memctl does not reckon with them", run: correction,
		},
	}
}

const canary, canaryToken, sibling = "the kestrel relay of the lab is called Vantablack-7", "Vantablack-7", "the osprey relay of the lab is called Periwinkle-3"

func absentAfterRestart(w *world) {
	w.do("remember", "--scope", "private", canary)
	w.do("remember", "--scope", "private", sibling)
	const question = "what are the relays of the lab called?"
	w.want(strings.Contains(w.reaches(question), canaryToken), "it is not there before")
	w.do("forget", canary)
	w.jobs()
	got := w.reaches(question) + w.do("export") + w.do("export", "--format", "jsonl")
	w.want(!strings.Contains(got, canaryToken), "it is there after the jobs")
	w.want(strings.Contains(got, "Periwinkle-3"), "the sibling is gone too")
	w.want(strings.Contains(w.do("log"), "forget"), "log does not tell of it")
	// From here on the bytes.
	_, _, ok := w.command(canary, nil, w.memctl, "purge", "-", "--yes")
	w.want(ok, "purge fails")
	w.want(len(files(w.home(), canaryToken)) == 0 && len(files(w.repo, canaryToken)) == 0, "after a purge it is in %v", append(files(w.home(), canaryToken), files(w.repo, canaryToken)...))
	w.want(!strings.Contains(historyOf(w, w.privateStore()), canaryToken), "after a purge git has it")
	w.want(strings.Contains(w.reaches(question), "Periwinkle-3"), "after a purge the sibling is gone")
}

// privateStore is the folder of this repository's private store.
func (w *world) privateStore() string {
	stores, _ := filepath.Glob(filepath.Join(w.home(), ".local", "share", "memctl", "private", "*"))
	if len(stores) != 1 {
		w.missed = append(w.missed, "no private store")
		return w.repo
	}
	return stores[0]
}

// historyOf is the text of every object of a repository.
func historyOf(w *world, folder string) string {
	return w.git("-C", folder, "cat-file", "--batch-all-objects", "--unordered", "--batch")
}

func absentFromCopies(w *world) {
	const question = "what are the relays of the lab called?"
	remote := filepath.Join(w.dir, "remote.git")
	w.git("init", "-q", "--bare", remote)
	w.do("remember", "--scope", "user", canary)
	w.do("remember", "--scope", "user", sibling)
	w.do("add", "lab.relay", canary)
	w.do("sync", "--scope", "user", "--remote", remote)
	w.write("export.jsonl", w.do("export", "--scope", "user", "--format", "jsonl"))
	w.git("clone", "-q", "--bare", w.repo, filepath.Join(w.dir, "origin.git"))
	w.git("remote", "add", "origin", filepath.Join(w.dir, "origin.git"))

	w.on("desktop")
	w.in("shop")
	w.do("sync", "--scope", "user", "--remote", remote)
	w.want(strings.Contains(w.reaches(question), canaryToken), "the second machine never had it")
	store := filepath.Join(w.home(), ".local", "share", "memctl", "user")
	w.git("clone", "-q", "--mirror", store, filepath.Join(w.dir, "backup.git"))
	clone := filepath.Join(w.dir, "desktop-clone")
	w.git("clone", "-q", filepath.Join(w.dir, "origin.git"), clone)

	w.on("laptop")
	w.in("shop")
	w.do("forget", "--scope", "user", canary)
	w.do("forget", "lab.relay")
	w.do("sync")
	w.git("push", "-q", "origin", "main")
	w.agent("import", "export.jsonl", "--yes")
	w.want(!strings.Contains(w.reaches(question), canaryToken), "the export brings it back")

	w.on("desktop")
	w.in("shop")
	w.do("sync")
	got := w.reaches(question)
	w.want(!strings.Contains(got, canaryToken), "the second machine has it")
	w.want(strings.Contains(got, "Periwinkle-3"), "the second machine has lost the sibling")
	// The backup comes back, and is exchanged.
	w.git("-C", store, "fetch", "-q", filepath.Join(w.dir, "backup.git"), "main")
	w.git("-C", store, "reset", "-q", "--hard", "FETCH_HEAD")
	w.do("sync")
	w.want(!strings.Contains(w.reaches(question), canaryToken), "a restored backup has it after a sync")
	// A colleague's clone, which is trusted.
	w.repo = clone
	w.git("config", "memctl.trust", "true")
	w.want(strings.Contains(w.do("show", "--scope", "project"), canaryToken), "the clone never had it")
	w.git("pull", "-q")
	w.want(!strings.Contains(w.reaches(question), canaryToken), "the clone has it after a pull")
}

func correction(w *world) {
	type shape struct{ name, key, before, after, old string }
	shapes := []shape{
		{"replacement", "user.city", "Ada lives in Berlin", "Ada lives in Lisbon", "Berlin"},
		{"polarity", "user.coriander", "Ada loves coriander in food", "Ada detests coriander in food", "loves"},
		{"retraction", "user.sister", "Ada's sister is a surgeon", "", "surgeon"},
		{"partial", "user.job", "Ada is an engineer at Acme", "Ada is a manager at Acme", "engineer"},
		{"bounded", "user.diet", "Ada has been a vegetarian for ten years", "Ada was a vegetarian from 2014 to 2024", "for ten years"},
	}
	ids := map[string]string{}
	for _, s := range shapes {
		w.do("add", s.key, s.before)
		ids[s.name] = w.factID(w.do("remember", "--scope", "user", "[context] note: "+s.before))
	}
	w.later(2)
	for _, s := range shapes {
		if s.after == "" {
			w.do("forget", s.key)
			w.do("forget", ids[s.name])
			continue
		}
		w.do("add", s.key, s.after)
		w.do("remember", "--replace", ids[s.name], "[context] note: "+s.after)
	}
	for _, when := range []string{"at once", "after the jobs"} {
		for _, s := range shapes {
			got := w.reaches(s.before+"?") + w.do("export")
			w.want(s.after == "" || strings.Contains(got, s.after), "%s, %s: the correction is not given", s.name, when)
			w.want(!strings.Contains(unpair(got), s.before), "%s, %s: the old value is given as if it were current", s.name, when)
			w.want(strings.Contains(w.do("log", s.key), s.old), "%s, %s: the history has lost the old value", s.name, when)
		}
		w.later(1)
		w.jobs()
	}
	w.write("old.md", "# Ada\n\n- Ada lives in Berlin\n- Ada loves coriander in food\n- Ada's sister is a surgeon\n- Ada is an engineer at Acme\n- Ada has been a vegetarian for ten years\n")
	w.agent("import", "old.md", "--yes", "--scope", "user")
	var back []string
	for _, s := range shapes {
		w.want(!strings.Contains(w.start(), s.before), "%s: the start gives the old value", s.name)
		if strings.Contains(w.reaches(s.before+"?"), s.before) {
			back = append(back, s.name)
		}
	}
	if len(back) > 0 {
		w.want(false, "all five hold; but when an agent imports the old source again, a search also gives the old value, as unconfirmed, of: %s", strings.Join(back, ", "))
	}
}

// factID is the id in the answer of remember.
func (w *world) factID(answer string) string {
	words := strings.Fields(answer)
	for i, word := range words {
		if word == "=" && i > 0 {
			return words[i-1]
		}
	}
	w.missed = append(w.missed, "no id in "+answer)
	return ""
}

// unpair takes out old values that are marked as old.
func unpair(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(line, "; before: ")
		if _, rest, ok := strings.Cut(after, ")"); found && ok {
			line = before + rest
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "")
}
