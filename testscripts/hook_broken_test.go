//go:build unix

package testscripts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/safefile"
)

// hookDeadline is what a hook may take, the start of the process included.
const hookDeadline = 2500 * time.Millisecond

// hookEvents are the events of CLIENTS' recorded inputs, and what else stands
// on stdin with each.
var hookEvents = map[string]string{
	"SessionStart":     `"source":"startup"`,
	"SubagentStart":    `"agent_type":"Explore"`,
	"UserPromptSubmit": `"prompt":"what now?"`,
	"PreCompact":       `"trigger":"auto","custom_instructions":""`,
	"Stop":             `"stop_hook_active":false,"last_assistant_message":"done"`,
	"SessionEnd":       `"reason":"clear"`,
}

// world is one machine on which a hook runs.
type world struct {
	t      *testing.T
	dir    string            // all of it
	home   string            // the person's
	repo   string            // a repository with a sound memory
	cwd    string            // where the hook runs
	env    map[string]string // of the hook
	stdin  func(event string) io.Reader
	shell  string // runs the hook in a shell, as "exec $0 $@" with something before it
	stdout string // a file that stands for stdout
	closed bool   // the reader of stdout has gone
}

func (w *world) file(name string) string { return filepath.Join(w.repo, filepath.FromSlash(name)) }

// put writes a file of the repository, in place of what is there.
func (w *world) put(name, text string) {
	w.t.Helper()
	must(w.t, os.RemoveAll(w.file(name)))
	must(w.t, os.MkdirAll(filepath.Dir(w.file(name)), 0o755))
	must(w.t, os.WriteFile(w.file(name), []byte(text), 0o644))
}

// instead puts something that is no file where one is wanted.
func (w *world) instead(name string, make func(path string) error) {
	w.t.Helper()
	must(w.t, os.RemoveAll(w.file(name)))
	must(w.t, os.MkdirAll(filepath.Dir(w.file(name)), 0o755))
	must(w.t, make(w.file(name)))
}

// said makes stdin the given text.
func (w *world) said(text string) {
	w.stdin = func(string) io.Reader { return strings.NewReader(text) }
}

// from makes the session's folder another one.
func (w *world) from(folder string) {
	w.stdin = func(event string) io.Reader { return strings.NewReader(eventText(event, folder)) }
}

// git puts a program called git first on the path.
func (w *world) git(script string) {
	w.t.Helper()
	bin := filepath.Join(w.dir, "bin")
	must(w.t, os.MkdirAll(bin, 0o755))
	must(w.t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	w.env["PATH"] = bin + ":" + w.env["PATH"]
	// What git said before is not asked for again.
	_ = os.Remove(w.file(".git/memctl/config.json"))
}

func eventText(event, folder string) string {
	quoted, _ := json.Marshal(folder)
	return `{"session_id":"s1","transcript_path":"/tmp/t.jsonl","cwd":` + string(quoted) + `,"hook_event_name":"` + event + `",` + hookEvents[event] + `}`
}

// prepare makes the sound machine that every case begins with.
func prepare(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := machine(t, dir)
	must(t, os.MkdirAll(w.home, 0o755))
	must(t, os.MkdirAll(w.repo, 0o755))
	must(t, os.WriteFile(filepath.Join(w.home, ".gitconfig"), []byte(gitConfig), 0o644))
	for _, line := range []string{"git init -q", "memctl init -q", "memctl add -q project.build make --pin", "memctl add -q user.tone terse"} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.Env = w.repo, w.environ()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	return dir
}

// machine describes the machine at a folder.
func machine(t *testing.T, dir string) *world {
	w := &world{t: t, dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	w.cwd = w.repo
	w.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": w.home, "GIT_CONFIG_NOSYSTEM": "1", "MEMCTL_NOW": moment,
		"XDG_DATA_HOME": filepath.Join(w.home, "data"), "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment,
	}
	w.from(w.repo)
	return w
}

func (w *world) environ() []string {
	var list []string
	for name, value := range w.env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// memories tells the state of every memory file and of the branches.
func (w *world) memories() string {
	var b strings.Builder
	_ = filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if base := d.Name(); base != "memories.md" && base != "HEAD" && !strings.Contains(name, "/refs/") {
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			fmt.Fprintf(&b, "%s %s\n", name, d.Type())
			return nil
		}
		data, _ := os.ReadFile(name)
		fmt.Fprintf(&b, "%s %s %x\n", name, info.Mode(), sha256.Sum256(data))
		return nil
	})
	return b.String()
}

// outcome is how one hook ended.
type outcome struct {
	stdout string
	status int
	took   time.Duration
	left   bool // a process of it is still there
}

// run starts the hook of one agent for one event.
func (w *world) run(event string) outcome {
	w.t.Helper()
	bin, err := exec.LookPath("memctl")
	must(w.t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	args := []string{"hook", "--agent", "claude"}
	c := exec.CommandContext(ctx, bin, args...)
	if w.shell != "" {
		c = exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", w.shell, bin}, args...)...)
	}
	c.Dir, c.Env = w.cwd, w.environ()
	var out bytes.Buffer
	c.Stdout = &out
	if w.stdout != "" {
		f, err := os.OpenFile(w.stdout, os.O_WRONLY, 0)
		must(w.t, err)
		defer f.Close()
		c.Stdout = f
	}
	if w.closed {
		r, wr, err := os.Pipe()
		must(w.t, err)
		r.Close()
		defer wr.Close()
		c.Stdout = wr
	}
	stdin, feed := w.feed(event)
	defer stdin.Close()
	c.Stdin = stdin
	// Whatever the hook starts has the other end of this pipe as well.
	r, wr, err := os.Pipe()
	must(w.t, err)
	defer r.Close()
	c.ExtraFiles = []*os.File{wr}
	start := time.Now()
	must(w.t, c.Start())
	wr.Close()
	go feed()
	err = c.Wait()
	o := outcome{stdout: out.String(), took: time.Since(start)}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		o.status = ended.ExitCode()
	} else {
		must(w.t, err)
	}
	must(w.t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		o.left = true
	}
	return o
}

// feed is the hook's stdin and what writes to it. No reader at all stands for
// a stdin that nobody closes.
func (w *world) feed(event string) (stdin *os.File, write func()) {
	r, wr, err := os.Pipe()
	must(w.t, err)
	w.t.Cleanup(func() { wr.Close() })
	var from io.Reader
	if w.stdin != nil {
		from = w.stdin(event)
	}
	return r, func() {
		if from != nil {
			_, _ = io.Copy(wr, from)
			wr.Close()
		}
	}
}

// answer checks that stdout holds nothing or a valid answer, and returns the
// text in it.
func answer(t *testing.T, event, stdout string) string {
	t.Helper()
	if stdout == "" {
		return ""
	}
	var got struct {
		SystemMessage string `json:"systemMessage"`
		Output        struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil || d.More() || got.Output.Event != event || got.Output.Context == "" {
		t.Errorf("not a valid answer (%v): %s", err, stdout)
	}
	return got.Output.Context
}

// TestHookInASoundEnvironment is what gives the test of the broken ones its
// meaning: here the same calls do answer.
func TestHookInASoundEnvironment(t *testing.T) {
	want := map[string]string{"SessionStart": "project.build: make", "SubagentStart": "project.build: make", "UserPromptSubmit": "project.build: make"}
	for event := range hookEvents {
		w := machine(t, prepare(t)) // a start leaves nothing to say to the first prompt of its session
		before := w.memories()
		o := w.run(event)
		text := answer(t, event, o.stdout)
		if o.status != 0 || !strings.Contains(text, want[event]) || want[event] == "" && text != "" {
			t.Errorf("%s: status %d, answer %q", event, o.status, text)
		}
		if o.left || w.memories() != before || strings.Count(before, "memories.md") < 2 {
			t.Errorf("%s: memory changed, or a process is left (%v)\n%s", event, o.left, before)
		}
	}
}

func TestHookInBrokenEnvironments(t *testing.T) {
	base := prepare(t)
	cases := brokenEnvironments()
	if len(cases) < 40 {
		t.Fatalf("only %d broken environments", len(cases))
	}
	for name := range waits {
		if cases[name] == nil {
			t.Errorf("there is no case %q", name)
		}
	}
	for _, name := range oneOfEachKind {
		if cases[name] == nil {
			t.Errorf("there is no case %q", name)
		}
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(oneOfEachKind, name) && !everything() {
				t.Skip("make torture tries it")
			}
			if waits[name] {
				t.Parallel()
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			if out, err := exec.Command("cp", "-a", base+"/.", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for event := range hookEvents {
				w := machine(t, dir)
				damage(w)
				before := w.memories()
				o := w.run(event)
				text := answer(t, event, o.stdout)
				if withoutGit[name] && event == "SessionStart" && !strings.Contains(text, "user.tone: terse") {
					t.Errorf("%s: what needs no git is not handed out: %q", event, text)
				}
				if o.status != 0 {
					t.Errorf("%s: status %d", event, o.status)
				}
				if o.took > hookDeadline && everything() { // on a machine with other work it says nothing
					t.Errorf("%s: took %v", event, o.took)
				}
				if o.left {
					t.Errorf("%s: a process is left", event)
				}
				if after := w.memories(); after != before {
					t.Errorf("%s: memory changed\n%s", event, difference(before, after))
				}
				if strings.Contains(o.stdout, "hostile") {
					t.Errorf("%s: what is not trusted was handed out: %s", event, o.stdout)
				}
			}
		})
	}
}

// oneOfEachKind are the cases that every run tries.
var oneOfEachKind = []string{
	"no git", "a file as home", "no environment at all", "a git that hangs", "a git that fails", "few files may be open", "no file may grow, as a full disk",
	"broken YAML", "a named pipe as memory", "an untrusted clone with hostile memory", "a broken HEAD", "a broken snapshot", "the lock is held",
	"a folder that is deleted", "stdin never closed", "garbage on stdin", "5 MB on stdin", "stdout closed", "all streams closed",
}

// waits are the cases in which the hook waits for something until its time is
// over; they wait together.
var waits = map[string]bool{
	"a git that hangs": true, "a git that ignores signals": true, "a git that leaves a child": true,
	"a git config that is a pipe": true, "stdin never closed": true,
}

// withoutGit are the cases in which git does not answer, and the person's own
// memory is handed out nevertheless.
var withoutGit = map[string]bool{
	"no git": true, "no path": true, "a git that hangs": true, "a git that ignores signals": true, "a git config that is a pipe": true,
}

const hostile = "```yaml\nsaved_memory:\n  version: 1\n  updated: 2026-01-01\n  items:\n    - key: project.run\n      value: hostile words from a clone\n      added: 2026-01-01\n      source: x\n      confidence: high\n      pinned: true\ndeletions: []\n```\n"

// held takes the lock of a store for the test's time.
func (w *world) held(name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	root, err := os.OpenRoot(filepath.Dir(w.file(name)))
	must(w.t, err)
	defer root.Close()
	unlock, err := safefile.Lock(ctx, root, filepath.Base(name), "a test", nil)
	if err != nil {
		return // held since the event before
	}
	w.t.Cleanup(func() { _ = unlock() })
}
