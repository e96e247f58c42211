// Package agents knows the coding agents that memctl serves: one table, handed
// down to whoever needs to tell an agent from a person.
package agents

import "github.com/memctl/memctl/memory"

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

// sessionVariables have the agent's id of its session, as its hooks name it.
var sessionVariables = map[string]string{"claude": "CLAUDE_CODE_SESSION_ID", "codex": "CODEX_THREAD_ID"}

// OriginFromEnv returns on whose behalf an agent's command or server writes if it passes on a person's words: nobody's
// in a run that no person prompts. The kind is "" where no known agent's variable is set.
func OriginFromEnv(getenv func(string) string) memory.Origin {
	o := memory.Origin{Name: FromEnv(getenv)}
	switch {
	case o.Name == "":
		return o
	case getenv(EntrypointVariable) == headlessEntrypoint:
		o.Kind = memory.Automatic
	default:
		o.Kind = memory.Relayed
	}
	if name := sessionVariables[o.Name]; name != "" {
		o.Session = getenv(name)
	}
	return o
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
