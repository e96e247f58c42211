package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// profileFull begins the line that a profile has only when some items do not fit.
const profileFull = "\n- no room for: "

// everyday is the size of the memory that most projects have: so many items, and as many facts.
const everyday = 40

// event is what Claude Code writes to a hook's standard input in a session of the folder,
// with the fields that only this event has.
func event(name, folder string, session int, fields map[string]any) (string, error) {
	all := map[string]any{
		"session_id":      fmt.Sprintf("6f1c2f0e-54a7-4c06-9d0c-%012d", session),
		"transcript_path": filepath.Join(folder, "transcript.jsonl"),
		"cwd":             folder,
		"hook_event_name": name,
	}
	maps.Copy(all, fields)
	text, err := json.Marshal(all)
	return string(text), err
}

// hook is the command that Claude Code starts at an event.
func (b *bench) hook(name, folder string, session int, fields map[string]any) *exec.Cmd {
	c := b.command(folder, b.memctl, "hook", "--agent", "claude")
	text, err := event(name, folder, session, fields)
	if err != nil {
		c.Err = err
	}
	c.Stdin = strings.NewReader(text)
	return c
}

// startHook is the hook of a session's start. Each is a session of its own: one that was just
// told is not told again.
func (b *bench) startHook(folder string) *exec.Cmd {
	b.sessions++
	return b.hook("SessionStart", folder, b.sessions, map[string]any{"source": "startup"})
}

// promptHook is the hook of a prompt to which memory has nothing to say and of which memctl notes
// nothing, in the session that startHook began.
func (b *bench) promptHook(folder string) *exec.Cmd {
	return b.prompt(folder, b.sessions, "please fix the failing test in the parser")
}

// notedHook is the hook of a prompt that states something, each in a session of its own.
func (b *bench) notedHook(folder string) *exec.Cmd {
	b.sessions++
	return b.prompt(folder, b.sessions, fmt.Sprintf("From now on run linter %d before you commit.", b.sessions))
}

// prompt returns the hook that a client calls for a prompt, with capture on.
func (b *bench) prompt(folder string, session int, text string) *exec.Cmd {
	c := b.hook("UserPromptSubmit", folder, session, map[string]any{"permission_mode": "default", "prompt": text})
	c.Env = append(c.Environ(), "MEMCTL_CAPTURE=rules")
	return c
}

// toolHook is the hook of a command that memory says nothing about.
func (b *bench) toolHook(folder string) *exec.Cmd {
	return b.hook("PreToolUse", folder, b.sessions, map[string]any{
		"permission_mode": "default", "tool_name": "Bash", "tool_use_id": "toolu_01",
		"tool_input": map[string]string{"command": "cd web && npm test 2>&1 | tail -20", "description": "run the tests"},
	})
}

// longTranscript is the size of the transcript that a session's end reads, in bytes: as much
// as it reads at once.
const longTranscript = 4 << 20

// endHook is the hook of the end of a session with a long transcript, with capture on.
func (b *bench) endHook(folder string) *exec.Cmd {
	c := b.hook("SessionEnd", folder, b.sessions, map[string]any{"reason": "exit", "transcript_path": b.transcript()})
	c.Env = append(c.Env, "MEMCTL_CAPTURE=rules")
	return c
}

func (b *bench) transcript() string { return filepath.Join(b.dir, "session.jsonl") }

// writeTranscript writes a session in which the agent ran one command after the other.
func (b *bench) writeTranscript() error {
	var text strings.Builder
	output := strings.Repeat(`ok   example.com/app/store\t0.71s\n`, 40)
	for i := 0; text.Len() < longTranscript; i++ {
		record := fmt.Sprintf(`"timestamp":"2026-12-31T11:00:00Z","sessionId":"s","cwd":%q}`+"\n", b.usual)
		fmt.Fprintf(&text, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"cd web && npm test -- part%d 2>&1 | tail -20"}}]},`+record, i, i)
		fmt.Fprintf(&text, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"%s"}]},"toolUseResult":{"stdout":"%[2]s"},`+record, i, output)
	}
	return os.WriteFile(b.transcript(), []byte(text.String()), 0o600)
}

// seen are the files of what memctl learned from transcripts.
func seen(folder string) []string {
	state := filepath.Join(folder, ".git", "memctl")
	return []string{filepath.Join(state, "readings.json"), filepath.Join(state, "days.jsonl")}
}

// hookCommands are the hooks with an everyday memory, and a session's start with a large one.
func (b *bench) hookCommands() []*measured {
	return []*measured{
		{name: "`memctl hook`, a session's start", aim: 4, most: hookMemory, before: b.warm(b.usual), start: func(int) *exec.Cmd { return b.startHook(b.usual) }},
		{name: "`memctl hook`, a prompt, nothing noted", aim: 4, most: hookMemory, before: b.warm(b.usual), start: func(int) *exec.Cmd { return b.promptHook(b.usual) }},
		{name: "`memctl hook`, a prompt, a wish noted", aim: 6, most: hookMemory, before: b.warm(b.usual), start: func(int) *exec.Cmd { return b.notedHook(b.usual) }},
		{name: "`memctl hook`, before a tool", aim: 4, below: toolTime, most: hookMemory, before: b.warm(b.usual), start: func(int) *exec.Cmd { return b.toolHook(b.usual) }},
		{name: "`memctl hook`, a session's end, a transcript of 4 MB", below: endTime, before: func(int) error { return forget(seen(b.usual)...) }, start: func(int) *exec.Cmd { return b.endHook(b.usual) }},
		{name: fmt.Sprintf("`memctl hook`, a session's start, %d items", b.items), aim: 4, most: hookMemory, before: b.warm(b.large), start: func(int) *exec.Cmd { return b.startHook(b.large) }},
		{name: fmt.Sprintf("`memctl hook`, a session's start, %d items, after a person's commit", b.items), aim: 4, most: hookMemory, before: b.commitOther, start: func(int) *exec.Cmd { return b.startHook(b.large) }},
		{name: fmt.Sprintf("`memctl hook`, a session's start, %d items, without an id", b.items), aim: 4, most: hookMemory, before: b.warm(b.large), start: func(int) *exec.Cmd {
			return b.hook("SessionStart", b.large, 0, map[string]any{"source": "startup", "session_id": ""})
		}},
		{name: fmt.Sprintf("`memctl hook`, a session's start, %d items, cold", b.items), aim: 15, most: hookMemory, before: func(int) error { return forget(b.caches(b.large)...) }, start: func(int) *exec.Cmd { return b.startHook(b.large) }},
	}
}

// commitOther makes a commit that leaves memory as it is.
func (b *bench) commitOther(int) error {
	return b.command(b.large, "git", "commit", "-q", "--allow-empty", "-m", "other work").Run()
}

// useUsual makes the repository with an everyday memory.
func (b *bench) useUsual() error {
	b.usual = filepath.Join(b.dir, "usual")
	if err := b.repository(b.usual, everyday); err != nil {
		return err
	}
	if err := b.writeTranscript(); err != nil {
		return err
	}
	return b.writeFacts(b.usual, everyday)
}

// checkHooks fails where the hooks' rows would be of something else than they say, and leaves
// their caches behind.
func (b *bench) checkHooks() error {
	said, err := b.startUntilWarm(b.large)
	if err != nil {
		return err
	}
	if !strings.Contains(said, profileFull) {
		return fmt.Errorf("the hook's profile is not full:\n%s", said)
	}
	if said, err = b.startUntilWarm(b.usual); err != nil {
		return err
	}
	if items := strings.Count(said, "as people use"); items != everyday || strings.Contains(said, profileFull) {
		return fmt.Errorf("the hook gave %d of %d items:\n%s", items, everyday, said)
	}
	for _, c := range []*exec.Cmd{b.promptHook(b.usual), b.toolHook(b.usual)} {
		if out, err := c.Output(); err != nil || len(out) > 0 {
			return fmt.Errorf("a hook that has nothing to say: %w\n%s", err, out)
		}
	}
	if out, err := b.endHook(b.usual).Output(); err != nil || len(out) > 0 {
		return fmt.Errorf("a session's end: %w\n%s", err, out)
	}
	for _, name := range seen(b.usual) {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("a session's end read no transcript: %w", err)
		}
	}
	return nil
}

// startUntilWarm starts sessions until the caches are there, and returns what the last one was
// told. Git's configuration is cached only once its files are a while old, so this waits.
func (b *bench) startUntilWarm(folder string) (string, error) {
	for try := range 50 {
		out, err := b.startHook(folder).Output()
		if err != nil {
			return "", fmt.Errorf("the hook: %w", err)
		}
		if err := b.warm(folder)(0); err == nil {
			var answer struct {
				HookSpecificOutput struct{ AdditionalContext string }
			}
			err := json.Unmarshal(out, &answer)
			return answer.HookSpecificOutput.AdditionalContext, err
		}
		time.Sleep(time.Duration(try) * 10 * time.Millisecond)
	}
	return "", b.warm(folder)(0)
}

func snapshot(folder string) string { return filepath.Join(folder, ".git", "memctl", "snapshot") }

// caches are the files that a session's start spares its work with: the
// snapshot, and memctl's part of git's configuration; with facts, their index.
func (b *bench) caches(folder string) []string {
	list := []string{snapshot(folder), filepath.Join(folder, ".git", "memctl", "config.json")}
	if folder == b.usual {
		list = append(list, filepath.Join(folder, ".git", "memctl", "recall.list"))
	}
	return list
}

// warm fails where a cache of the folder is not there, so that no cold run counts as a warm one.
func (b *bench) warm(folder string) func(int) error {
	return func(int) error {
		for _, name := range b.caches(folder) {
			if _, err := os.Stat(name); err != nil {
				return fmt.Errorf("a cache was not written: %w", err)
			}
		}
		return nil
	}
}

// forgetSnapshot makes the next profile read and judge the file again.
func (b *bench) forgetSnapshot(int) error { return forget(snapshot(b.large)) }

func forget(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
