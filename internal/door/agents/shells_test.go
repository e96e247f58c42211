package agents_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/tests/program"
)

// startEvents are the names of the events that bring the briefing.
var startEvents = []string{"SessionStart", "sessionStart", "BeforeAgent"}

// startCommand is the command that an installation writes for the start of a session, as this system runs it; "" for an agent
// without hooks.
func startCommand(t *testing.T, a *agents.Agent) (command, event string) {
	files, _ := a.Files(agents.Machine{Home: t.TempDir(), Getenv: func(string) string { return "" }}, agents.ForUser)
	for _, file := range files {
		if file.What != "hooks" {
			continue
		}
		text, err := file.Editor.Install(nil)
		var settings struct {
			Hooks map[string][]map[string]any `json:"hooks"`
		}
		if err != nil || json.Unmarshal(text, &settings) != nil {
			continue // Kiro has a list of all
		}
		for _, event := range startEvents {
			for _, hook := range settings.Hooks[event] {
				if list, ok := hook["hooks"].([]any); ok {
					hook = list[0].(map[string]any)
				}
				for _, key := range []string{"command", "bash", "commandWindows", "powershell"} {
					windows := key == "commandWindows" || key == "powershell"
					if text, ok := hook[key].(string); ok && (!windows || runtime.GOOS == "windows") {
						command = text
					}
				}
				if event != "SessionStart" || a.Name() != "gemini" { // which gets its briefing with a prompt
					return command, event
				}
			}
		}
	}
	return command, "BeforeAgent"
}

// TestHooksThroughShells runs each agent's command as it is installed, in each shell that this system may run it in.
func TestHooksThroughShells(t *testing.T) {
	dir, err := program.Dir()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(home)
	memctl := filepath.Join(dir, "memctl")
	if out, err := exec.Command(memctl, "add", "--scope", "user", "git.push", "ask before pushing").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tried := 0
	for _, a := range agents.All() {
		command, event := startCommand(t, a)
		if command == "" {
			continue
		}
		for shell, c := range throughShells(t, command) {
			tried++
			input, _ := json.Marshal(map[string]string{"hook_event_name": event, "source": "startup", "session_id": a.Name() + shell, "prompt": "go on", "cwd": home})
			c.Stdin = strings.NewReader(string(input))
			out, err := c.Output()
			if answer := map[string]any{}; err != nil || json.Unmarshal(out, &answer) != nil || !strings.Contains(string(out), "ask before pushing") {
				t.Errorf("%s, %s: %s: %v, %q", a.Name(), shell, command, err, out)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no shell was tried")
	}
	t.Logf("%d hooks answered", tried)
}
