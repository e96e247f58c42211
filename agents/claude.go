package agents

import (
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/memory/briefing"
)

// claude is Claude Code. Tried with 2.1.197.
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
		beforeTools("Bash|Edit|MultiEdit|Write|NotebookEdit")}}
	if scope != ForUser {
		return files, nil
	}
	return append(files,
		File{Path: path, What: "permissions", Mode: mode, Editor: claudeRules(),
			Offer: "allow memctl's commands and tools without asking"},
		File{Path: c.serverFile(m), What: "mcp server", Editor: claudeServer(), Add: claudeAdd(), Drop: claudeDrop(),
			Offer: "register memctl's MCP server"}), nil
}

// claudeRules allow what an agent needs to keep and find memory. Forgetting and
// confirming are not among them: Claude Code asks the person.
func claudeRules() permissionRules {
	var rules permissionRules
	for _, tool := range []string{"remember", "update", "recall", "list", "profile", "stats"} {
		rules = append(rules, "mcp__"+serverName+"__"+tool)
	}
	for _, command := range []string{"add", "remember", "recall"} {
		rules = append(rules, "Bash(memctl "+command+":*)")
	}
	return rules
}

// claudeAdd and claudeDrop are Claude Code's own commands for the MCP server.
func claudeAdd() []string {
	return []string{"claude", "mcp", "add", "--scope", "user", serverName, "--", "memctl", "mcp"}
}

func claudeDrop() []string {
	return []string{"claude", "mcp", "remove", "--scope", "user", serverName}
}

// claudeServer knows the entry that claudeAdd writes.
func claudeServer() jsonServer {
	s := stdioServer()
	s.other = slices.Concat(
		[]jsontext.Member{{Name: "type", Value: jsontext.Item{Raw: `"stdio"`}}}, s.entry,
		[]jsontext.Member{{Name: "env", Value: jsontext.Item{Raw: "{}"}}})
	return s
}

// serverFile is where Claude Code keeps the person's MCP servers. It writes the file all
// the time, so memctl reads it and never edits it.
func (claude) serverFile(m Machine) string {
	return filepath.Join(m.settingsFolder("CLAUDE_CONFIG_DIR"), ".claude.json")
}

func (c claude) Servers(m Machine) []File {
	return servers(claudeServer(), m.settingsFolder("CLAUDE_CONFIG_DIR"), ".claude.json", m.Root, ".mcp.json")
}

func (claude) Remark(string) string { return "" }

func (claude) Event(own string) string {
	if own == briefing.EventPreTool {
		return own
	}
	return known(own)
}

func (claude) Answer(own, text string) any { return contextAnswer(own, text) }

// grouped is the form of hooks that Claude Code began, and others took over.
func grouped(agent, scope string, events ...string) hookSettings {
	return hookSettings{agent: agent, scope: scope, events: events, nested: true, typed: true, field: "command", timeout: limit("timeout", "5")}
}
