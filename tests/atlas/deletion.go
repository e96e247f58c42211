package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memctl/memctl/tests/program"
)

// playDeletion plays the atlas's deletion sequence step by step, with one memory in a private store.
func playDeletion(trace bool) ([]result, error) {
	memctl, err := program.Memctl()
	if err != nil {
		return nil, err
	}
	w, err := newWorld(memctl, trace)
	if err != nil {
		return nil, err
	}
	d := deletion{w: w, question: "what is the kestrel relay of the lab called?"}
	d.before()
	d.after()
	d.copies()
	return d.steps, w.close()
}

// deletion is the sequence as far as it is played.
type deletion struct {
	w        *world
	question string
	steps    []result
}

// step ends a step, whose misses are those noted since the last one.
func (d *deletion) step(played, open string) {
	d.steps = append(d.steps, d.w.result(played, open))
	d.w.missed = nil
}

// absent notes where the memory can be found. The sibling has to be found.
func (d *deletion) absent() {
	got := d.w.reaches(d.question) + d.w.reaches("the osprey relay's name")
	d.w.want(!strings.Contains(got, canaryToken), "it is given to a session")
	d.w.want(strings.Contains(got, "Periwinkle-3"), "its sibling is not given either")
}

func (d *deletion) before() {
	w := d.w
	w.do("remember", "--scope", "user", canary)
	w.do("remember", "--scope", "user", sibling)
	w.do("summary", "--scope", "user", "--conversation", "lab", canary+"\n"+sibling)
	d.step("`remember`, and a summary that repeats it", "")
	w.want(strings.Contains(w.reaches(d.question), canaryToken), "it is not found")
	d.step("start, prompt, `recall`, MCP", "")
	// The copies of steps 11 to 13 are made now, while it is there.
	remote := filepath.Join(w.dir, "remote.git")
	w.git("init", "-q", "--bare", remote)
	w.do("sync", "--scope", "user", "--remote", remote)
	w.write("export.jsonl", w.do("export", "--scope", "user", "--format", "jsonl"))
	w.on("desktop")
	w.in("shop")
	w.do("sync", "--scope", "user", "--remote", remote)
	w.want(strings.Contains(w.reaches(d.question), canaryToken), "the second machine does not have it")
	d.missed()
	w.on("laptop")
	w.in("shop")
	w.do("forget", "--scope", "user", canary)
	d.step("`forget`", "")
	d.absent()
	d.step("start, prompt, `recall`, MCP", "")
}

// missed keeps what was missed while the copies were made, for their own step.
func (d *deletion) missed() {
	if len(d.w.missed) > 0 {
		d.w.fail(fmt.Errorf("%v", d.w.missed))
	}
}

func (d *deletion) after() {
	w := d.w
	w.write("notes.md", "# The lab\n\n- "+canary+"\n- the lab closes at six\n")
	w.agent("import", "notes.md", "--yes", "--scope", "user")
	w.agent("import", "export.jsonl", "--yes")
	w.prompt("remember what the notes say: " + canary)
	w.tool("remember", map[string]any{"value": canary, "said_by_user": true, "prompt": 1})
	w.want(strings.Contains(w.reaches("when does the lab close?"), "at six"), "the import stored nothing")
	d.step("an agent imports notes and the export, and passes on a prompt", "")
	d.absent()
	d.step("start, prompt, `recall`, MCP", "a person who says it again by `add` or `restore` gets it back, on purpose")
	w.later(60)
	w.jobs()
	w.do("sync")
	d.step("`compact`, new indexes, `doctor`, `git gc`, `sync`, a session's end", "")
	d.absent()
	d.step("start, prompt, `recall`, MCP", "")
	store := filepath.Join(w.home(), ".local", "share", "memctl", "user")
	for name, text := range map[string]string{"a summary": w.do("summary"), "the export": w.do("export", "--format", "jsonl"), "the profile": w.do("profile")} {
		w.want(!strings.Contains(text, canaryToken), "%s has it", name)
	}
	for _, file := range append(files(store, canaryToken), files(filepath.Join(w.repo, ".git", "memctl"), canaryToken)...) {
		w.want(strings.Contains(file, ".git/objects/"), "the file %s has it", file)
	}
	d.step("summary, profile, export, memory's files, caches and local state", "git's history has it until `purge`, which removes it there too")
	log := w.do("log", "--scope", "user")
	w.want(strings.Contains(log, "forget"), "log does not name it")
	d.step("`log`", "")
}

func (d *deletion) copies() {
	w := d.w
	d.step("before step 3: `sync` to a second machine, an export", "")
	d.step("step 3, and `sync`", "")
	w.on("desktop")
	w.in("shop")
	w.do("sync")
	d.absent()
	d.step("the second machine after its own `sync`", "until then it has it")
}
