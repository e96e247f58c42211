package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// line is one line of the picture.
type line struct {
	who  string  // who speaks: a name, "$" for a command; "" for what a program prints
	text string  // what is said
	rest float64 // seconds until the next line
}

// player runs the story. After a failure it plays nothing more.
type player struct {
	memctl, dir string
	lines       []line
	err         error
}

// story is what the picture shows.
func (p *player) story() {
	p.run("", "git", "init", "-q", "-b", "main", ".")
	p.run("", "git", "config", "user.name", "Ada Lovelace")
	p.run("", "git", "config", "user.email", "ada@example.com")
	if p.err == nil {
		p.err = os.MkdirAll(filepath.Join(p.dir, "home", ".claude"), 0o755)
	}
	p.run("", p.memctl, "setup", "--yes")

	p.say("", "Claude Code, this morning", 1)
	p.say("you", "From now on, never force-push in this project: use --force-with-lease.", 2)
	reminder, _, _ := strings.Cut(p.hook("claude", map[string]any{
		"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "From now on, never force-push in this project: use --force-with-lease.",
	}), " (")
	p.say("memctl", "to Claude: "+reminder+" …", 1.5)
	p.say("claude", `remember git.push: never force-push, use --force-with-lease`, 1)
	p.say("memctl", p.remember(map[string]any{
		"key": "git.push", "value": "never force-push, use --force-with-lease", "said_by_user": true, "prompt": 1, "scope": "project", "commands": []string{"git push*"},
	}), 1.5)

	p.say("$", "git show -U0 --format=%s memories.md", 0.8)
	for _, text := range strings.Split(p.run("", "git", "show", "-U0", "--format=%s", "memories.md"), "\n") {
		if strings.HasPrefix(text, "memory:") || strings.HasPrefix(text, "+ ") {
			p.say("", text, 0.15)
		}
	}
	p.say("", "", 2)

	p.say("", "Codex, a week later", 1)
	p.say("codex", "git push --force origin main", 1)
	p.say("memctl", "to Codex: "+p.hook("codex", map[string]any{
		"session_id": "s2", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]string{"command": "git push --force origin main"},
	}), 1.5)
	p.say("codex", "git push --force-with-lease origin main", 2)

	p.say("$", "memctl undo", 0.8)
	p.say("", strings.TrimSpace(p.run("", p.memctl, "undo")), 2.5)
}

// say adds a line. A line of nobody's without text is a pause.
func (p *player) say(who, text string, rest float64) {
	p.lines = append(p.lines, line{who, text, rest})
}

// hook is what memctl gives an agent at an event, on one line.
func (p *player) hook(agent string, event map[string]any) string {
	in, err := json.Marshal(event)
	if err != nil {
		p.err = err
	}
	out := p.run(string(in), p.memctl, "hook", "--agent", agent)
	var answer struct {
		Hook struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Hook.Context == "" {
		p.fail("the hook of %s gave %q", agent, out)
	}
	_, text, found := strings.Cut(answer.Hook.Context, "\n\n") // without the sentence that says what the lines are
	if !found {
		text = answer.Hook.Context
	}
	return strings.Join(strings.Fields(text), " ")
}

// remember calls the tool of that name over MCP, and returns the answer.
func (p *player) remember(arguments map[string]any) string {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, message := range []map[string]any{
		{"id": 1, "method": "initialize", "params": map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "claude-code", "version": "2"},
		}},
		{"method": "notifications/initialized"},
		{"id": 2, "method": "tools/call", "params": map[string]any{"name": "remember", "arguments": arguments}},
	} {
		message["jsonrpc"] = "2.0"
		if err := enc.Encode(message); err != nil {
			p.err = err
		}
	}
	out := p.run(in.String(), p.memctl+"-full", "mcp")
	for text := range strings.Lines(out) {
		var answer struct {
			ID     int `json:"id"`
			Result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				IsError bool `json:"isError"`
			} `json:"result"`
		}
		if json.Unmarshal([]byte(text), &answer) == nil && answer.ID == 2 && len(answer.Result.Content) > 0 && !answer.Result.IsError {
			said, _, _ := strings.Cut(answer.Result.Content[0].Text, "\n")
			return said
		}
	}
	p.fail("remember gave %q", out)
	return ""
}

// run returns what a program prints, both streams of memctl's own errors aside.
func (p *player) run(in, name string, args ...string) string {
	if p.err != nil {
		return ""
	}
	home := filepath.Join(p.dir, "home")
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = filepath.Join(p.dir, "shop"), strings.NewReader(in)
	cmd.Env = []string{
		"PATH=" + filepath.Dir(p.memctl) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "CLAUDE_CODE_ENTRYPOINT=cli",
		"MEMCTL_NOW=2026-11-21T09:00:00Z", "GIT_AUTHOR_DATE=2026-11-21T09:00:00Z", "GIT_COMMITTER_DATE=2026-11-21T09:00:00Z",
		"GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C", "NO_COLOR=1",
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if p.err = os.MkdirAll(cmd.Dir, 0o755); p.err != nil {
		return ""
	}
	out, err := cmd.Output()
	if err != nil {
		p.err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// fail ends the story.
func (p *player) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}
