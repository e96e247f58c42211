package agents

import (
	"runtime"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// eventsOfNames are events that the agent calls as memctl does.
func eventsOfNames(names ...string) (list []event) {
	for _, name := range names {
		list = append(list, event{own: name, text: true})
	}
	return list
}

// person is a file of the person's settings, and project one of the project.
func person(path, what string, e ConfigEditor) setting {
	return setting{path: path, what: what, editor: e}
}
func project(path, what string, e ConfigEditor) setting {
	return setting{scope: ForProject, path: path, what: what, editor: e}
}

// namedOnly is a project's file with MCP servers. memctl adds none there: where it is missing, a server that does not start is an
// error in every session.
func namedOnly(path string, e ConfigEditor) setting {
	return setting{scope: readOnly, path: path, what: serverWhat, editor: e}
}

// The shells in which agents run hooks on Windows. Every one of them reads a command that ends in anyEnd.
const (
	gitBash     = "Git Bash; without Git for Windows, PowerShell"
	powerShell  = "PowerShell"
	eitherShell = "PowerShell or cmd"
)

// All lists the agents, in the order in which they are shown. The first ones were tested with the real programs, as docs/agents.md
// says; the others are built from their documentation.
func All() []*Agent {
	list := append(tested(), untested()...)
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"} {
		list = append(list, &Agent{name: name, title: name, tested: "-", files: []setting{project(name, instructionWhat, instructions())}})
	}
	return list
}

func tested() []*Agent {
	claudeEvents := append(eventsOfNames(briefing.EventSessionStart, briefing.EventPrompt, briefing.EventSubagentStart, EventPreCompact, EventStop, EventSessionEnd),
		event{own: briefing.EventPreTool, text: true, matcher: "Bash|PowerShell|Read|Edit|MultiEdit|Write|NotebookEdit"},
		event{own: briefing.EventToolFailed, text: true, matcher: "Bash|PowerShell"})
	copilotServer := server("mcpServers", str("type", "local"), jsontext.Member{Name: "tools", Value: jsontext.Value{Items: []jsontext.Value{{Raw: `"*"`}}}})
	return []*Agent{{
		name: "claude", title: "Claude Code", tested: "2.1.332", home: folder{"CLAUDE_CONFIG_DIR", ".claude", ""},
		hook: grouped("5"), events: claudeEvents, answer: contextText, windows: gitBash,
		files: []setting{
			person("settings.json", hooksWhat, nil), project(".claude/settings.json", hooksWhat, nil),
			{path: "settings.json", what: permissionsWhat, editor: claudeRules(runtime.GOOS == "windows"), offer: "allow memctl's commands and tools without asking"},
			{in: &folder{"CLAUDE_CONFIG_DIR", ".", ""}, path: ".claude.json", what: serverWhat, editor: server("mcpServers"), offer: "register memctl's MCP server"},
			namedOnly(".mcp.json", server("mcpServers"))},
		marks: []string{"CLAUDECODE"}, sessionVar: "CLAUDE_CODE_SESSION_ID", sessions: "projects/*/*.jsonl", prompts: byTranscript,
		line: true, denies: true, asks: true, goesOn: true, switches: true,
	}, {
		name: "codex", title: "Codex", tested: "0.171.0", home: folder{"CODEX_HOME", ".codex", ""},
		hook: grouped("5").withWindowsCommand("commandWindows"), answer: contextText, windows: eitherShell,
		events: append(eventsOfNames(briefing.EventSessionStart, briefing.EventPrompt, briefing.EventSubagentStart, EventStop, EventSessionEnd),
			event{own: briefing.EventPreTool, text: true, matcher: "Bash"}),
		files: []setting{person("hooks.json", hooksWhat, nil), project(".codex/hooks.json", hooksWhat, nil),
			person("config.toml", serverWhat, codexServer()), namedOnly(".codex/config.toml", codexServer())},
		marks: []string{"CODEX_SANDBOX", "CODEX_THREAD_ID"}, sessionVar: "CODEX_THREAD_ID", sessions: "sessions/*/*/*/rollout-*.jsonl", prompts: byTranscript,
		// memctl does not start codex to ask for its version, so it names the old flag always.
		trust: "Codex runs a hook only after you trust it: start codex and answer its question, or open /hooks there. " +
			"If `codex features list` does not show that hooks are on, as in an older Codex, set codex_hooks = true under [features] in config.toml",
		// Codex 0.171.0 takes the whole answer for a fault if a hook makes it ask.
		line: true, denies: true, goesOn: true,
	}, {
		name: "gemini", title: "Gemini CLI", tested: "0.61.0", home: folder{"", ".gemini", ""},
		hook: grouped("5000"), answer: contextText, windows: powerShell,
		// Gemini CLI puts the context of SessionStart before the person's first prompt, in one message, and leaves out of a resumed
		// session each message that begins with a hook's context. BeforeAgent's comes after the prompt.
		events: []event{{own: briefing.EventSessionStart, as: EventSessionOpened, text: true}, {own: "BeforeAgent", as: briefing.EventPrompt, text: true},
			{own: "AfterAgent", as: EventStop}, {own: EventSessionEnd}},
		files: []setting{person("settings.json", hooksWhat, nil), project(".gemini/settings.json", hooksWhat, nil),
			person("settings.json", serverWhat, server("mcpServers")), namedOnly(".gemini/settings.json", server("mcpServers")),
			{path: "policies/memctl.toml", what: permissionsWhat, editor: geminiPolicy(), offer: "allow memctl's tools without asking"}},
		marks: []string{"GEMINI_CLI"}, sessions: "tmp/*/chats/session-*.jsonl", prompts: localstate.PromptsPerson,
		line: true, lost: lostBriefing,
	}, {
		name: "opencode", title: "OpenCode", tested: "1.18.33", home: folder{"XDG_CONFIG_HOME", ".config", "opencode"},
		events: eventsOfNames(briefing.EventSessionStart), answer: contextText, // its plugin asks for nothing else
		files: []setting{person("plugins/memctl.js", pluginWhat, whole{openCodePlugin}), project(".opencode/plugins/memctl.js", pluginWhat, whole{openCodePlugin}),
			{path: "opencode.json", other: "opencode.jsonc", what: serverWhat, editor: server("mcp", raw("enabled", "true"))},
			namedOnly("opencode.json", server("mcp", raw("enabled", "true")))},
		marks: []string{"OPENCODE"},
	}, {
		name: "copilot", title: "Copilot CLI", tested: "1.0.102", home: folder{"COPILOT_HOME", ".copilot", ""},
		// Its input does not say which event it is, so the command does.
		hook: hookForm{path: []string{"bash"}, windows: "powershell", typed: true, named: true, timeout: raw("timeoutSec", "5"), version: "1"}, answer: additional, windows: powerShell,
		events: []event{{own: "sessionStart", as: briefing.EventSessionStart, text: true}, {own: "userPromptSubmitted", as: briefing.EventPrompt, text: true},
			{own: "subagentStart", as: briefing.EventSubagentStart, text: true}, {own: "preCompact", as: EventPreCompact}, {own: "agentStop", as: EventStop},
			{own: "sessionEnd", as: EventSessionEnd}, {own: "preToolUse", as: briefing.EventPreTool, text: true, matcher: "bash|powershell|create|edit"}},
		files: []setting{person("hooks/memctl.json", hooksWhat, nil), project(".github/hooks/memctl.json", hooksWhat, nil),
			person("mcp-config.json", serverWhat, copilotServer)},
		// It asks in a terminal, denies the tool in `copilot -p`, and tells the hook of neither: memctl makes it do neither.
		marks: []string{"COPILOT_CLI"}, sessions: "session-state/*/events.jsonl", prompts: localstate.PromptsPerson,
	}, {
		name: "qwen", title: "Qwen Code", tested: "0.24.4", home: folder{"QWEN_HOME", ".qwen", ""}, hook: grouped("5"), answer: contextText, windows: eitherShell,
		// It takes no text before a tool or for a subagent.
		events: eventsOfNames(briefing.EventSessionStart, briefing.EventPrompt, EventPreCompact, EventStop, EventSessionEnd),
		files: []setting{person("settings.json", hooksWhat, nil), project(".qwen/settings.json", hooksWhat, nil),
			person("settings.json", serverWhat, server("mcpServers")), namedOnly(".qwen/settings.json", server("mcpServers"))},
		marks: []string{"QWEN_CODE"}, sessionVar: "QWEN_CODE_SESSION_ID", promptKey: "submitted_prompt", switches: true,
	}}
}

func untested() []*Agent {
	mcp := server("mcpServers")
	return []*Agent{{
		name: "cursor", title: "Cursor", home: folder{"", ".cursor", ""},
		hook: hookForm{path: []string{"command"}, timeout: raw("timeout", "5"), version: "1"}, answer: underscored, windows: eitherShell,
		// It takes context at the start of a session alone.
		events: []event{{own: "sessionStart", as: briefing.EventSessionStart, text: true}, {own: "preCompact", as: EventPreCompact},
			{own: "stop", as: EventStop}, {own: "sessionEnd", as: EventSessionEnd}},
		files: []setting{person("hooks.json", hooksWhat, nil), project(".cursor/hooks.json", hooksWhat, nil),
			person("mcp.json", serverWhat, mcp), namedOnly(".cursor/mcp.json", mcp)},
		marks: []string{"CURSOR_AGENT"},
	}, {
		// Its hooks can stop an action and hand in no text.
		name: "windsurf", title: "Windsurf", home: folder{"", ".codeium", "windsurf"},
		files: []setting{person("memories/global_rules.md", instructionWhat, instructions()), project("AGENTS.md", instructionWhat, instructions()),
			person("mcp_config.json", serverWhat, mcp)},
	}, {
		name: "droid", title: "Droid", home: folder{"", ".factory", ""}, hook: grouped("5"), answer: contextText, shell: "execute", windows: eitherShell,
		events: append(eventsOfNames(briefing.EventSessionStart, briefing.EventPrompt, EventPreCompact, EventStop, EventSessionEnd),
			event{own: briefing.EventPreTool, text: true, matcher: "Execute|Read|Edit|Create"}),
		files: []setting{person("settings.json", hooksWhat, nil), project(".factory/settings.json", hooksWhat, nil),
			person("mcp.json", serverWhat, mcp), namedOnly(".factory/mcp.json", mcp)},
	}, {
		// A hook's output is added to the conversation as it is.
		name: "kiro", title: "Kiro", home: folder{"", ".kiro", ""}, answer: plainText, windows: eitherShell,
		hook: hookForm{path: []string{"action", "command"}, named: true, timeout: raw("timeout", "5"), version: `"v1"`, list: "hooks",
			more: []jsontext.Member{str("name", "memctl"), str("trigger", "SessionStart")}},
		events: []event{{own: briefing.EventSessionStart, text: true}},
		files: []setting{person("hooks/memctl.json", hooksWhat, nil), project(".kiro/hooks/memctl.json", hooksWhat, nil),
			person("settings/mcp.json", serverWhat, mcp), namedOnly(".kiro/settings/mcp.json", mcp)},
	}, {
		name: "antigravity", title: "Antigravity", home: folder{"", ".gemini", "config"},
		files: []setting{person("mcp_config.json", serverWhat, mcp), project("AGENTS.md", instructionWhat, instructions()), namedOnly(".agents/mcp_config.json", mcp)},
	}, {
		name: "cline", title: "Cline", home: folder{"CLINE_DIR", ".cline", ""},
		files: []setting{person("data/settings/cline_mcp_settings.json", serverWhat, mcp), project("AGENTS.md", instructionWhat, instructions())},
	}, {
		name: "zed", title: "Zed", home: folder{"XDG_CONFIG_HOME", ".config", "zed"},
		files: []setting{person("AGENTS.md", instructionWhat, instructions()), project("AGENTS.md", instructionWhat, instructions()),
			person("settings.json", serverWhat, server("context_servers")), namedOnly(".zed/settings.json", server("context_servers"))},
	}, {
		name: "amp", title: "Amp", home: folder{"", ".config", "amp"},
		files: []setting{person("AGENTS.md", instructionWhat, instructions()), project("AGENTS.md", instructionWhat, instructions()),
			person("settings.json", serverWhat, server("amp.mcpServers")), namedOnly(".amp/settings.json", server("amp.mcpServers"))},
	}, {
		// Its hooks hand in no text, and its MCP servers are in a YAML file.
		name: "goose", title: "Goose", home: folder{"XDG_CONFIG_HOME", ".config", "goose"},
		files: []setting{person(".goosehints", instructionWhat, instructions()), project("AGENTS.md", instructionWhat, instructions())},
	}}
}
