package main

import (
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

// profileFull begins the line that a profile has only when some items do not fit.
const profileFull = "\n- no room for: "

// sessionStart is what Claude Code writes to a hook's standard input when a
// session starts in the folder. Each is a session of its own: one that was just
// told is not told again.
func sessionStart(folder string, session int) (string, error) {
	text, err := json.Marshal(map[string]string{
		"session_id":      fmt.Sprintf("6f1c2f0e-54a7-4c06-9d0c-%012d", session),
		"transcript_path": filepath.Join(folder, "transcript.jsonl"),
		"cwd":             folder,
		"hook_event_name": "SessionStart",
		"source":          "startup",
	})
	return string(text), err
}

// hook is the command that Claude Code starts with each session.
func (b *bench) hook(int) *exec.Cmd {
	c := b.command(b.large, b.memctl, "hook", "--agent", "claude")
	b.sessions++
	event, err := sessionStart(b.large, b.sessions)
	if err != nil {
		c.Err = err
	}
	c.Stdin = strings.NewReader(event)
	return c
}

// toolHook is the command that Claude Code starts before it runs a command, of which memory
// says nothing.
func (b *bench) toolHook(int) *exec.Cmd {
	c := b.command(b.large, b.memctl, "hook", "--agent", "claude")
	b.sessions++
	event, err := json.Marshal(map[string]any{
		"session_id":      fmt.Sprintf("6f1c2f0e-54a7-4c06-9d0c-%012d", b.sessions),
		"transcript_path": filepath.Join(b.large, "transcript.jsonl"),
		"cwd":             b.large,
		"permission_mode": "default",
		"hook_event_name": "PreToolUse",
		"tool_name":       "Bash",
		"tool_input":      map[string]string{"command": "cd web && npm test 2>&1 | tail -20", "description": "run the tests"},
		"tool_use_id":     fmt.Sprintf("toolu_%012d", b.sessions),
	})
	if err != nil {
		c.Err = err
	}
	c.Stdin = strings.NewReader(string(event))
	return c
}

// checkHook fails where the hook's rows would be of something else than they
// say, and leaves its caches behind. Git's configuration is kept only once its
// files are a while old, so this waits.
func (b *bench) checkHook() error {
	out, err := b.hook(0).Output()
	if err != nil {
		return fmt.Errorf("the hook: %w", err)
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("the hook's answer: %w", err)
	}
	if text := answer.HookSpecificOutput.AdditionalContext; !strings.Contains(text, profileFull) {
		return fmt.Errorf("the hook's profile is not full:\n%s", text)
	}
	for range 50 {
		if err = b.warm(0); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
		if _, err := b.hook(0).Output(); err != nil {
			return fmt.Errorf("the hook: %w", err)
		}
	}
	return err
}

func (b *bench) snapshot() string { return filepath.Join(b.large, ".git", "memctl", "snapshot") }

// caches are the files that a session's start spares its work with: the
// snapshot, and memctl's part of git's configuration.
func (b *bench) caches() []string {
	return []string{b.snapshot(), filepath.Join(b.large, ".git", "memctl", "config.json")}
}

// warm fails where a cache is not there, so that no cold run counts as a warm one.
func (b *bench) warm(int) error {
	for _, name := range b.caches() {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("a cache was not written: %w", err)
		}
	}
	return nil
}

// forgetSnapshot makes the next profile read and judge the file again.
func (b *bench) forgetSnapshot(int) error { return forget(b.snapshot()) }

// forgetCaches makes the next session start as the first one does.
func (b *bench) forgetCaches(int) error { return forget(b.caches()...) }

func forget(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
