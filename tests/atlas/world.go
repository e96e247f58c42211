package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// world is a person with one or several machines, repositories and agents, all in a scratch folder.
type world struct {
	memctl, dir string
	machine     string // whose home is used now
	repo        string // the folder that is worked in now
	now         time.Time
	session     int
	trace       bool
	missed      []string // what should have been so
	err         error    // what stopped the play
}

// newWorld has one machine with one repository that has memory, and a coding agent whose hooks call memctl.
func newWorld(memctl string, trace bool) (*world, error) {
	dir, err := os.MkdirTemp("", "memctl-atlas-")
	if err != nil {
		return nil, err
	}
	w := &world{memctl: memctl, dir: dir, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), trace: trace}
	w.on("laptop")
	w.in("shop")
	return w, w.err
}

func (w *world) close() error { return errors.Join(w.err, os.RemoveAll(w.dir)) }

// result is the verdict of what was played.
func (w *world) result(played, open string) result {
	if len(w.missed) > 0 {
		return result{played, failed, strings.Join(w.missed, "; ")}
	}
	return result{played, passed, open}
}

// want notes what should be so and is not.
func (w *world) want(ok bool, format string, args ...any) {
	if !ok {
		w.missed = append(w.missed, fmt.Sprintf(format, args...))
	}
}

func (w *world) say(text string) {
	if w.trace {
		fmt.Fprintln(os.Stderr, text)
	}
}

// on goes on at another machine of the person, which has the agents' folders.
func (w *world) on(machine string) {
	w.machine = machine
	w.fail(os.MkdirAll(filepath.Join(w.home(), ".claude"), 0o755))
	w.write(filepath.Join(w.home(), ".gitconfig"), "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
}

// in goes on in a repository of this machine, which gets memory if it is new.
func (w *world) in(name string) {
	w.repo = filepath.Join(w.dir, w.machine+"-"+name)
	if _, err := os.Stat(w.repo); err == nil {
		return
	}
	w.fail(os.MkdirAll(w.repo, 0o755))
	w.git("init", "-q")
	w.do("setup", "--yes", "-q")
}

func (w *world) home() string { return filepath.Join(w.dir, w.machine) }

// later moves the clock.
func (w *world) later(days int) { w.now = w.now.AddDate(0, 0, days) }

func (w *world) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *world) write(file, text string) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(w.repo, file)
	}
	w.fail(os.MkdirAll(filepath.Dir(file), 0o755))
	w.fail(os.WriteFile(file, []byte(text), 0o644))
}

// command runs a program in the repository, and returns what it prints on stdout and stderr.
func (w *world) command(in string, env []string, name string, args ...string) (out, errs string, ok bool) {
	if w.err != nil {
		return "", "", false
	}
	w.now = w.now.Add(2 * time.Second)
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = w.repo, strings.NewReader(in)
	at := w.now.Format(time.RFC3339)
	cmd.Env = append([]string{
		"PATH=" + filepath.Dir(w.memctl) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + w.home(), "USERPROFILE=" + w.home(),
		"MEMCTL_NOW=" + at, "GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at, "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C", "NO_COLOR=1",
	}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	w.say(fmt.Sprintf("$ %s %s\n%s%s", filepath.Base(name), strings.Join(args, " "), stdout.String(), stderr.String()))
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.fail(err)
	}
	return stdout.String(), stderr.String(), err == nil
}

// do is a person's memctl that has to succeed.
func (w *world) do(args ...string) string {
	out, errs, ok := w.command("", nil, w.memctl, args...)
	if !ok {
		w.fail(fmt.Errorf("memctl %s: %s%s", strings.Join(args, " "), out, errs))
	}
	return out
}

// try is a person's memctl that may refuse.
func (w *world) try(args ...string) (out string, ok bool) {
	out, errs, ok := w.command("", nil, w.memctl, args...)
	return out + errs, ok
}

// agent is an agent's memctl on the command line.
func (w *world) agent(args ...string) (out string, ok bool) {
	out, errs, ok := w.command("", []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli"}, w.memctl, args...)
	return out + errs, ok
}

func (w *world) git(args ...string) string {
	out, errs, ok := w.command("", nil, "git", args...)
	if !ok {
		w.fail(fmt.Errorf("git %s: %s%s", strings.Join(args, " "), out, errs))
	}
	return out
}

// tool calls a tool over MCP, and returns the text of its answer.
func (w *world) tool(name string, arguments map[string]any) (text string, ok bool) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, message := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "claude-code", "version": "2"},
		}},
		{"method": "notifications/initialized"},
		{"id": 2, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}},
	} {
		message["jsonrpc"] = "2.0"
		w.fail(enc.Encode(message))
	}
	out, errs, _ := w.command(in.String(), []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli"}, w.memctl, "mcp")
	for line := range strings.Lines(out) {
		var answer struct {
			ID     int `json:"id"`
			Result *struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				IsError bool `json:"isError"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal([]byte(line), &answer) != nil || answer.ID != 2 {
			continue
		}
		if answer.Error != nil {
			return answer.Error.Message, false
		}
		if answer.Result != nil && len(answer.Result.Content) > 0 {
			return answer.Result.Content[0].Text, !answer.Result.IsError
		}
	}
	w.fail(fmt.Errorf("the tool %s gave %q %q", name, out, errs))
	return "", false
}

// hook is what an agent's session is given at an event.
func (w *world) hook(event map[string]any) string {
	event["session_id"] = fmt.Sprintf("session-%d", w.session)
	in, err := json.Marshal(event)
	w.fail(err)
	out, _, _ := w.command(string(in), []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli"}, w.memctl, "hook", "--agent", "claude")
	var answer struct {
		Hook struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if out != "" {
		w.fail(json.Unmarshal([]byte(out), &answer))
	}
	return answer.Hook.Context
}

// start begins a new session, with new processes.
func (w *world) start() string {
	w.session++
	return w.hook(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
}

func (w *world) prompt(text string) string {
	return w.hook(map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
}

// reaches is all that can reach a model with a question: a new session's start, the prompt, and both ways to search.
func (w *world) reaches(question string) string {
	text := w.start() + w.prompt(question)
	found, _, _ := w.command("", []string{"CLAUDECODE=1"}, w.memctl, "recall", "-k", "20", question)
	told, _ := w.tool("recall", map[string]any{"query": question, "limit": 20})
	return text + found + told
}

// jobs runs everything that memctl does without being asked for one memory, and loses what it can compute anew.
func (w *world) jobs() {
	w.loseCaches()
	w.hook(map[string]any{"hook_event_name": "SessionEnd", "reason": "exit"})
	w.do("compact", "--yes", "-q")
	w.command("", nil, w.memctl, "doctor", "--yes")
	w.git("gc", "-q")
	w.do("recall", "--fresh", "-q", "anything")
}

// loseCaches deletes the caches of local state: the snapshot and the index.
func (w *world) loseCaches() {
	lost := 0
	for _, root := range []string{filepath.Join(w.repo, ".git", "memctl"), w.home()} {
		w.fail(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			base := filepath.Base(name)
			if err == nil && !d.IsDir() && (base == "snapshot" || strings.HasPrefix(base, "recall.") || strings.HasSuffix(base, ".seg")) {
				lost++
				return os.Remove(name)
			}
			return nil
		}))
	}
	w.say(fmt.Sprintf("%d caches deleted", lost))
}

// files names the files below a folder that contain a text.
func files(root, text string) (names []string) {
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if data, err := os.ReadFile(name); err == nil && bytes.Contains(data, []byte(text)) {
				rel, _ := filepath.Rel(root, name)
				names = append(names, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return names
}
