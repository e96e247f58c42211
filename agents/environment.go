// Package agents knows the coding agents that memctl serves: one table, handed
// down to whoever needs to tell an agent from a person.
package agents

// mark is an environment variable that an agent sets for the commands it runs.
type mark struct {
	variable string
	name     string
}

// marks is the table, in the order in which it is asked. Every name is the one
// that stands in a relayed item's source.
var marks = []mark{
	{"CLAUDECODE", "claude"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_THREAD_ID", "codex"},
	{"GEMINI_CLI", "gemini"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_CLI", "copilot"},
	{"AGENT", "agent"},
}

// FromEnv returns the name of the agent whose command this process is, or ""
// where no known agent's variable is set.
func FromEnv(getenv func(string) string) string {
	for _, m := range marks {
		if getenv(m.variable) != "" {
			return m.name
		}
	}
	return ""
}
