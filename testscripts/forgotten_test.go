//go:build unix

package testscripts

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/tests/pgtest"
)

// marker is the text that is forgotten, as a part of a word.
const marker = "zanzibarquux"

var markerTrace, _ = policy.NewTextFinder(memfile.Str(marker))

// presentLooks are the commands that show what memory is now, and not what it was.
var presentLooks = []string{
	"show", "show --json", "list", "list --tier fact", "list --tier note", "list --tier summary", "list --tier turn", "list --topics", "list --json", "list --files",
	"summary", "profile", "profile --all", "bootstrap", "bootstrap --json", "prompt", "recall machine", "recall meeting --json", "review", "review --json", "status", "status --json", "list --counts",
	"doctor", "validate", "list --projects", "skills list", "context list", "context show SOUL.md", "export", "compact", "hook --agent claude --event SessionStart", "hook --agent claude --event UserPromptSubmit",
}

// TestForgottenIsGone puts a text wherever memory can have one. After forget, and after what its answer names, no file
// that people or agents read has it, and no command that looks at the present prints it. After purge no object has it.
func TestForgottenIsGone(t *testing.T) {
	t.Parallel()
	x := &team{world: machine(t, prepare(t))}
	x.mark()
	x.forgetMarker()
	x.purgeMarker()
}

// TestForgottenLeavesTheSharedIndex is the same for stores that were pushed.
func TestForgottenLeavesTheSharedIndex(t *testing.T) {
	pg := pgtest.Start(t)
	t.Cleanup(pgtest.Stop)
	x := &team{world: machine(t, prepare(t)), pg: pg, db: pg.Database(t)}
	x.as("admin")
	pg.Run(t, pgtest.Superuser, x.db, x.ok("index", "role", "--owner"))
	pg.Run(t, pgtest.Superuser, x.db, x.ok("index", "role", "ada"))
	x.as("ada")
	x.home = x.env["HOME"]
	x.mark()
	x.push()
	if !markerTrace.FoundInState([]byte(pg.Dump(t, pgtest.Superuser, x.db))) {
		t.Fatal("nothing was pushed")
	}
	x.forgetMarker()
	if markerTrace.FoundInState([]byte(pg.Dump(t, pgtest.Superuser, x.db))) {
		t.Error("after forget and a push, the database has it")
	}
	x.purgeMarker()
	x.push()
	if dump := pg.Dump(t, pgtest.Superuser, x.db); markerTrace.FoundInState([]byte(dump)) || !strings.Contains(dump, "project.build") {
		t.Error("after purge and a push, the database has it, or has nothing")
	}
}

func (x *team) push() {
	x.t.Helper()
	for _, scope := range []string{"project", "private", "user"} {
		x.ok("index", "push", "--scope", scope)
	}
}

// mark puts the marker wherever memory can have a text.
func (x *team) mark() {
	x.t.Helper()
	x.env["MEMCTL_CAPTURE"], x.env["MEMCTL_TURNS_LIMIT"] = "rules", "100"
	x.sh("git config --global memctl.recall.history on")
	turn := filepath.Join(x.dir, "turn.jsonl")
	must(x.t, os.WriteFile(turn, []byte(`{"text":"what is the `+marker+` machine?","role":"user","conversation":"c","created_at":"2026-11-01T09:00:01Z"}`+"\n"), 0o644))
	for _, scope := range []string{"project", "private", "user"} {
		for _, args := range [][]string{
			{"add", "build." + scope, "the " + marker + " machine in " + scope},
			{"add", "place." + marker + "-" + scope, "any value of " + scope},
			{"add", "label." + scope, "any labelled value of " + scope, "--source", "told by " + marker, "--tag", marker},
			{"remember", "deploys of " + scope + ` run on "` + marker + `" every night`, "--pin"},
			{"remember", "a fact of " + scope + " with a tag", "--tag", marker},
			{"note", "the meeting about " + marker + " was moved in " + scope},
			{"summary", "We worked in " + scope + " on\nthe " + marker + " machine and\nthe tests"},
			{"import", turn}, // turns are refused in a project
			{"add", "gone." + scope, "a value that goes in " + scope},
			{"forget", "gone." + scope, "--reason", "because of " + marker},
		} {
			if args[0] == "import" && scope == "project" {
				continue
			}
			x.ok(append(args, "--scope", scope)...)
		}
	}
	x.ok("export", "--to", "agents-md")
	x.put("skills/release/SKILL.md", "---\nname: release\ndescription: Make a release on "+marker+".\n---\n\nSteps.\n")
	x.put("memories/context/default/SOUL.md", "# Rules\n\nThe host is "+marker+".\n")
	x.sh("git add skills memories", "git commit -q -m files")

	x.env["MEMCTL_ORIGIN"] = "automatic"
	x.ok("add", "build.project", "an agent says "+marker+" too")
	if out, _ := x.try("add", "user.contact", "call Grace on +44 20 7946 0958 about "+marker); !strings.Contains(out, "held") {
		x.t.Fatalf("no write waits: %s", out)
	}
	delete(x.env, "MEMCTL_ORIGIN")

	folder := filepath.Join(x.home, ".claude", "projects", "x")
	must(x.t, os.MkdirAll(folder, 0o755))
	transcript := filepath.Join(folder, "s7.jsonl")
	for i, prompt := range []string{"I prefer " + marker + " over the other hosts.", "Please remember that the " + marker + " host is called zeus."} {
		said, _ := json.Marshal(map[string]any{
			"type": "user", "message": map[string]string{"role": "user", "content": prompt}, "sessionId": "s7", "cwd": x.repo, "timestamp": "2026-11-21T08:00:00Z", "uuid": fmt.Sprint(i), "version": "2.0.0",
		})
		f, err := os.OpenFile(transcript, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		must(x.t, err)
		_, err = f.Write(append(said, '\n'))
		must(x.t, err)
		must(x.t, f.Close())
		event, _ := json.Marshal(map[string]string{"session_id": "s7", "cwd": x.repo, "transcript_path": transcript, "hook_event_name": "UserPromptSubmit", "prompt": prompt})
		c := exec.Command("memctl", "hook", "--agent", "claude")
		c.Dir, c.Env, c.Stdin = x.cwd, x.environ(), strings.NewReader(string(event))
		out, err := c.Output()
		must(x.t, err)
		if !strings.Contains(string(out), marker) {
			x.t.Fatalf("the prompt left nothing: %s", out)
		}
	}
	if out := x.ok("recall", "--history", "preferred hosts"); !strings.Contains(out, marker) {
		x.t.Fatalf("no past session: %s", out)
	}
	x.ok("recall", marker)
	for _, name := range presentLooks {
		_, _ = x.try(strings.Fields(name)...)
	}
	if found := x.filesWithMarker(); len(found) < 20 {
		x.t.Fatalf("the marker is in too few files to show anything: %q", found)
	}
}

// forgetMarker forgets the marker, does what the answer names, and looks.
func (x *team) forgetMarker() {
	x.t.Helper()
	out := x.ok("forget", "--all", marker, "--yes")
	for _, want := range []string{"memctl purge -", "memctl skills remove release", "memories/context/default/SOUL.md"} {
		if strings.Count(out, want) != 1 {
			x.t.Errorf("the answer names %q %d times:\n%s", want, strings.Count(out, want), out)
		}
	}
	if pushed := x.pg != nil; strings.Contains(out, "memctl index push --scope user") != pushed {
		x.t.Errorf("the answer on the shared index:\n%s", out)
	}
	x.ok("skills", "remove", "release")
	x.put("memories/context/default/SOUL.md", "# Rules\n")
	x.sh("git commit -q -a -m rules")
	if x.pg != nil {
		x.push() // and a pull, which renews the copy of the shared index
	}
	shown := 0
	for _, name := range presentLooks {
		out, _ := x.try(strings.Fields(name)...)
		shown += len(out)
		if strings.Contains(strings.ToLower(out), marker) {
			x.t.Errorf("memctl %s prints it:\n%s", name, out)
		}
	}
	if shown < 2000 {
		x.t.Error("the commands print too little to show anything")
	}
	if found := x.filesWithMarker(); len(found) > 0 {
		x.t.Errorf("these files have it: %q", found)
	}
}

// filesWithMarker lists the files whose name or content has the marker, but for git's objects and logs, which are history,
// and for transcripts, which belong to the agent.
func (x *team) filesWithMarker() []string {
	x.t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{x.repo, x.home} {
		must(x.t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if base := filepath.Base(name); base == "objects" || base == "logs" || base == ".claude" && dir == x.home {
					return filepath.SkipDir
				}
				return err
			}
			data, err := os.ReadFile(name)
			if markerTrace.FoundInState(data) || strings.Contains(strings.ToLower(string(data)+name), marker) {
				found[name] = true
			}
			return err
		}))
	}
	return slices.Sorted(maps.Keys(found))
}

// purgeMarker purges the marker, and looks at every object of every store.
func (x *team) purgeMarker() {
	x.t.Helper()
	purge := func() {
		c := exec.Command("memctl", "purge", "-", "--yes")
		c.Dir, c.Env, c.Stdin = x.cwd, x.environ(), strings.NewReader(marker)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil || strings.Contains(string(out), "error") {
			x.t.Fatalf("%v: %s", err, out)
		}
	}
	purge()
	// As git filter-repo does.
	rewrite := exec.Command("sh", "-c", `set -e; mkdir -p .git/filter-repo
		git fast-export --all --export-marks=.git/before | sed 's/`+marker+`/`+strings.Repeat("x", len(marker))+`/g' | git fast-import --quiet --force --export-marks=.git/after
		sort .git/before > .git/a; sort .git/after > .git/b
		{ echo "old new"; join .git/a .git/b | while read mark old new; do echo "$old $new"; done; } > .git/filter-repo/commit-map
		git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now`)
	rewrite.Dir, rewrite.Env = x.repo, x.environ()
	if out, err := rewrite.CombinedOutput(); err != nil {
		x.t.Fatalf("%v: %s", err, out)
	}
	purge()
	private, err := filepath.Glob(filepath.Join(x.home, "data/memctl/private/*"))
	must(x.t, err)
	for _, dir := range append(private, x.repo, filepath.Join(x.home, "data/memctl/user")) {
		c := exec.Command("git", "-C", dir, "cat-file", "--batch-all-objects", "--batch", "--unordered")
		c.Env = x.environ()
		if out, err := c.Output(); err != nil || len(out) < 500 || markerTrace.FoundInState(out) {
			x.t.Errorf("%s: the objects have it, or there are none: %v", dir, err)
		}
	}
	if len(private) != 1 {
		x.t.Errorf("private stores: %q", private)
	}
	if found := x.filesWithMarker(); len(found) > 0 {
		x.t.Errorf("after purge, these files have it: %q", found)
	}
}
