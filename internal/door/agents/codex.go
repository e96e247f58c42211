package agents

import (
	"path/filepath"

	"github.com/memctl/memctl/internal/managed"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// codex is the Codex CLI. Tried with 0.169.0, its events with 0.171.0.
type codex struct{}

func (codex) Name() string  { return "codex" }
func (codex) Title() string { return "Codex" }

func (codex) Settings(m Machine) string { return m.settingsFolder("CODEX_HOME", ".codex") }

// Files are the hooks, and the MCP server beside them: the commands that Codex
// runs cannot write .git, while its MCP servers can.
func (c codex) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, c.Settings(m), []string{"hooks.json"}, []string{".codex", "hooks.json"})
	if err != nil {
		return nil, err
	}
	files := []File{{Path: path, What: "hooks", Mode: mode, Editor: grouped(c.Name(), scope,
		briefing.EventSessionStart, briefing.EventPrompt, briefing.EventSubagentStart, EventStop, EventSessionEnd).
		beforeTools("Bash")}}
	return withServer(files, scope, filepath.Join(filepath.Dir(path), "config.toml"), tomlServer{}), nil
}

func (c codex) Servers(m Machine) []File {
	return servers(tomlServer{}, c.Settings(m), "config.toml", m.Root, ".codex/config.toml")
}

func (codex) Remark(string) string {
	// memctl does not start codex to ask for its version, so it names the old flag always.
	return "Codex runs a hook only after you trust it: start codex and answer its question, or open /hooks there. " +
		"If `codex features list` does not show that hooks are on, as in an older Codex, set codex_hooks = true under [features] in config.toml"
}

func (codex) Event(own string) string {
	if own == briefing.EventPreTool {
		return own
	}
	return known(own)
}

func (codex) Answer(own, text string) any { return contextAnswer(own, text) }

// serverBlock is the part of config.toml that is ours. It stands at the end,
// where a table harms no other. Codex hands few variables on to a server; without
// these it would use another store than the hooks.
func serverBlock() managed.Block {
	return managed.Block{
		Begin: "# memctl:begin",
		End:   "# memctl:end",
		Body: "[mcp_servers.memctl]\ncommand = \"memctl\"\nargs = [\"mcp\"]\n" +
			"env_vars = [\"XDG_CONFIG_HOME\", \"XDG_DATA_HOME\", \"GIT_CONFIG_GLOBAL\", \"MEMCTL_DATA\", \"MEMCTL_STORE\", \"MEMCTL_ENABLED\", \"MEMCTL_CONTEXT_AGENT\"]\n",
	}
}
