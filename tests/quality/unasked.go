package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/tests/program"
)

// A memory of relevance/facts.jsonl, with the words that an agent gave as its when (relevance/when.jsonl).
type unaskedFact struct {
	ID, Text, Category string
	When               []string
}

// An event of a session, and the memories that it is about: none for an ordinary one.
type unaskedEvent struct {
	Prompt string         // relevance/prompts.jsonl
	Tool   string         // relevance/tools.jsonl
	Input  map[string]any // of the tool
	Want   []string
}

// printUnasked plays the hooks of sessions over the memories of relevance/, and prints how often an event gets a memory that
// it is about, and how often an ordinary one gets any.
func printUnasked(data string, out io.Writer) error {
	dir := filepath.Join(data, "relevance")
	facts, err := readJSON[unaskedFact](filepath.Join(dir, "facts.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	whens, err2 := readJSON[unaskedFact](filepath.Join(dir, "when.jsonl"))
	prompts, err3 := readJSON[unaskedEvent](filepath.Join(dir, "prompts.jsonl"))
	tools, err4 := readJSON[unaskedEvent](filepath.Join(dir, "tools.jsonl"))
	s, err5 := newSessions()
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	for _, f := range facts {
		args := []string{"remember", "-q", "[" + f.Category + "] " + f.Text}
		if i := slices.IndexFunc(whens, func(w unaskedFact) bool { return w.ID == f.ID }); i >= 0 {
			args = append(args, "--when", strings.Join(whens[i].When, ","))
		}
		if _, err := s.run("", args...); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nunasked: %d memories\n", len(facts))
	for _, kind := range []struct {
		name string
		rows []unaskedEvent
	}{{"prompts", prompts}, {"files and commands", tools}} {
		var hits, about, disturbed, ordinary int
		for _, e := range kind.rows {
			given, err := s.event(e)
			if err != nil {
				return err
			}
			got := slices.DeleteFunc(slices.Clone(facts), func(f unaskedFact) bool { return !strings.Contains(given, f.Text[:min(60, len(f.Text))]) })
			if len(e.Want) == 0 {
				ordinary++
				disturbed += int(one(len(got) > 0))
				continue
			}
			about++
			hits += int(one(slices.ContainsFunc(got, func(f unaskedFact) bool { return slices.Contains(e.Want, f.ID) })))
		}
		fmt.Fprintf(out, "%-34s %s get theirs; %s of the ordinary ones get something\n", kind.name, share(hits, about), share(disturbed, ordinary))
	}
	return nil
}

// agentSessions plays the hooks of Claude Code in a repository of its own.
type agentSessions struct {
	dir, memctl string
	count       int
}

func newSessions() (*agentSessions, error) {
	memctl, err := program.Memctl()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memctl-quality-")
	if err != nil {
		return nil, err
	}
	s := &agentSessions{dir: dir, memctl: memctl}
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		return nil, err
	}
	git := exec.Command("git", "init", "-q")
	git.Dir, git.Env = filepath.Join(dir, "repo"), s.environment()
	if err := git.Run(); err != nil {
		return nil, err
	}
	_, err = s.run("", "init", "-q")
	return s, err
}

// event returns what a session of its own is given at the event.
func (s *agentSessions) event(e unaskedEvent) (string, error) {
	s.count++
	id := strconv.Itoa(s.count)
	if file, ok := e.Input["file_path"].(string); ok {
		e.Input["file_path"] = filepath.Join(s.dir, "repo", filepath.FromSlash(file))
	}
	last := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": e.Prompt, "prompt_id": "p1"}
	if e.Tool != "" {
		last = map[string]any{"hook_event_name": "PreToolUse", "tool_name": e.Tool, "tool_input": e.Input, "tool_use_id": "t" + id}
	}
	given := ""
	for _, call := range []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"}, {"hook_event_name": "UserPromptSubmit", "prompt": "hello there", "prompt_id": "p0"}, last,
	} {
		call["session_id"], call["cwd"] = "s"+id, filepath.Join(s.dir, "repo")
		in, err := json.Marshal(call)
		if err != nil {
			return "", err
		}
		if given, err = s.run(string(in), "hook", "--agent", "claude"); err != nil {
			return "", err
		}
	}
	var answer struct {
		Hook struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if given != "" {
		if err := json.Unmarshal([]byte(given), &answer); err != nil {
			return "", fmt.Errorf("the hook printed %q: %w", given, err)
		}
	}
	return answer.Hook.Context, nil
}

// run runs memctl as a person, or as a hook.
func (s *agentSessions) run(in string, args ...string) (string, error) {
	cmd := exec.Command(s.memctl, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(s.dir, "repo"), s.environment(), strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("memctl %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (s *agentSessions) environment() []string {
	name, mail := "A Person", "person@example.com"
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "USERPROFILE=" + s.dir, "GIT_CONFIG_NOSYSTEM=1", "CLAUDE_CODE_ENTRYPOINT=cli",
		"GIT_AUTHOR_NAME=" + name, "GIT_COMMITTER_NAME=" + name, "GIT_AUTHOR_EMAIL=" + mail, "GIT_COMMITTER_EMAIL=" + mail,
	}
}
