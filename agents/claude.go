package agents

import "github.com/memctl/memctl/memory"

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
	return []File{{Path: path, What: "hooks", Mode: mode, Editor: grouped(c.Name(), scope,
		memory.EventSessionStart, memory.EventPrompt, memory.EventSubagentStart, EventPreCompact, EventStop, EventSessionEnd)}}, nil
}

// Servers: the person's file is one that Claude Code itself writes all the
// time, so it is looked at and never edited.
func (c claude) Servers(m Machine) []File {
	folder := m.settingsFolder("CLAUDE_CONFIG_DIR")
	return servers(stdioServer(), folder, ".claude.json", m.Root, ".mcp.json")
}

func (claude) Remark(string) string { return "" }

func (claude) Event(own string) string { return known(own) }

func (claude) Answer(own, text string) any { return contextAnswer(own, text) }

// grouped is the form of hooks that Claude Code began, and others took over.
func grouped(agent, scope string, events ...string) hookSettings {
	h := hookSettings{events: events, nested: true, typed: true, fields: []string{"command"}}
	h.command, h.other = fixed(UserCommand(agent)), fixed(ProjectCommand(agent))
	if scope == ForProject {
		h.command, h.other = h.other, h.command
	}
	return h
}
