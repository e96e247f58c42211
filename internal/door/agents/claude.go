package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// claude is Claude Code. Tried with 2.1.332.
type claude struct{}

func (claude) Name() string  { return "claude" }
func (claude) Title() string { return "Claude Code" }

func (claude) Settings(m Machine) string { return m.settingsFolder("CLAUDE_CONFIG_DIR", ".claude") }

func (c claude) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, c.Settings(m), []string{"settings.json"}, []string{".claude", "settings.json"})
	if err != nil {
		return nil, err
	}
	files := []File{{Path: path, What: "hooks", Mode: mode, Editor: grouped(c.Name(), scope,
		briefing.EventSessionStart, briefing.EventPrompt, briefing.EventSubagentStart, EventPreCompact, EventStop, EventSessionEnd).
		beforeTools("Bash|Read|Edit|MultiEdit|Write|NotebookEdit").afterFailure("Bash", "Bash|Edit|MultiEdit|Write|NotebookEdit")}}
	if scope != ForUser {
		return files, nil
	}
	return append(files,
		File{Path: path, What: "permissions", Mode: mode, Editor: claudeRules(),
			Offer: "allow memctl's commands and tools without asking"},
		File{Path: filepath.Join(m.settingsFolder("CLAUDE_CONFIG_DIR"), ".claude.json"), What: "mcp server", Mode: mode, Editor: claudeServer(),
			Offer: "register memctl's MCP server"}), nil
}

// claudeRules allow everydayTools and the commands that do the same.
func claudeRules() permissionRules {
	var rules permissionRules
	for _, tool := range everydayTools() {
		rules = append(rules, "mcp__"+serverName+"__"+tool)
	}
	for _, command := range []string{"add", "remember", "recall"} {
		rules = append(rules, "Bash(memctl "+command+":*)")
	}
	return rules
}

// claudeServer also knows the entry that `claude mcp add` writes.
func claudeServer() jsonServer {
	s := stdioServer()
	s.other = slices.Concat(
		[]jsontext.Member{{Name: "type", Value: jsontext.Item{Raw: `"stdio"`}}}, s.entry,
		[]jsontext.Member{{Name: "env", Value: jsontext.Item{Raw: "{}"}}})
	return s
}

func (c claude) Servers(m Machine) []File {
	return servers(claudeServer(), m.settingsFolder("CLAUDE_CONFIG_DIR"), ".claude.json", m.Root, ".mcp.json")
}

// Switches reads two switches of Claude Code's settings: whether memctl's plugin is on, which brings hooks and the MCP server,
// and the file that switches all hooks off, "" for none. No other agent has them. The nearest file with a switch counts.
func Switches(m Machine, a Agent) (plugin bool, hooksOff string) {
	if a != Agent(claude{}) {
		return false, ""
	}
	for _, path := range []string{filepath.Join(a.Settings(m), "settings.json"), filepath.Join(m.Root, ".claude", "settings.json"), filepath.Join(m.Root, ".claude", "settings.local.json")} {
		var set struct {
			DisableAllHooks *bool
			EnabledPlugins  map[string]any
		}
		src, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(src, &set) != nil {
			continue // a fault of the file is that of its hooks
		}
		if on, ok := set.EnabledPlugins["memctl@memctl"]; ok {
			plugin = on == true
		}
		if off := set.DisableAllHooks; off != nil {
			if hooksOff = ""; *off {
				hooksOff = path
			}
		}
	}
	return plugin, hooksOff
}

func (claude) Remark(string) string {
	return "Claude Code also keeps files of memory of its own; to let agents use memctl alone: git config --global memctl.only true"
}

func (claude) Event(own string) string {
	if own == briefing.EventPreTool || own == briefing.EventToolFailed {
		return own
	}
	return known(own)
}

func (claude) Answer(own, text string) any { return contextAnswer(own, text) }

// grouped is the form of hooks that Claude Code began, and others took over.
func grouped(agent, scope string, events ...string) hookSettings {
	return hookSettings{agent: agent, scope: scope, events: events, nested: true, typed: true, field: "command", timeout: limit("timeout", "5")}
}
