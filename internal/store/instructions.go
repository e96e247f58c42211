package store

import (
	"path"
	"slices"
	"strings"
)

// HomePrefix begins the name of an instruction file in the person's home.
const HomePrefix = "~/"

// LocalFile is a person's own instruction file in a project. It counts only where git does not track it.
const LocalFile = "CLAUDE.local.md"

// instruction is a kind of instruction file: Markdown that agents read as their instructions.
type instruction struct {
	name  string   // from the project's root, or after HomePrefix; a glob for the files of a folder
	below bool     // folders below the root have one too
	by    []string // the agents that load it whole at each start
	parts string   // the agent that loads it at a start or later, as its front matter says; "" for none
	env   string   // the variable that makes them load another file instead; "" for none
}

// instructions is the table of instruction files.
func instructions() []instruction {
	return []instruction{
		{name: "CLAUDE.md", below: true, by: []string{"claude"}},
		{name: LocalFile, below: true, by: []string{"claude"}},
		{name: ".claude/CLAUDE.md", by: []string{"claude"}},
		{name: ".claude/rules/**/*.md", parts: "claude"},
		{name: "AGENTS.md", below: true, by: []string{"codex", "copilot", "cursor", "droid", "kiro", "opencode", "qwen", "windsurf"}},
		{name: "GEMINI.md", below: true, by: []string{"gemini"}},
		{name: "QWEN.md", below: true},
		{name: ".cursorrules", parts: "cursor"},
		{name: ".cursor/rules/**/*.mdc", parts: "cursor"},
		{name: ".github/copilot-instructions.md", by: []string{"copilot"}},
		{name: ".github/instructions/**/*.instructions.md", parts: "copilot"},
		{name: ".windsurfrules", parts: "windsurf"},
		{name: ".windsurf/rules/**/*.md", parts: "windsurf"},
		{name: ".clinerules"},
		{name: ".clinerules/**/*.md"},
		{name: HomePrefix + ".claude/CLAUDE.md", by: []string{"claude"}, env: "CLAUDE_CONFIG_DIR"},
		{name: HomePrefix + ".codex/AGENTS.md", by: []string{"codex"}, env: "CODEX_HOME"},
		{name: HomePrefix + ".gemini/GEMINI.md", by: []string{"gemini"}},
		{name: HomePrefix + ".config/opencode/AGENTS.md", by: []string{"opencode"}},
		{name: HomePrefix + ".copilot/copilot-instructions.md", by: []string{"copilot"}},
		{name: HomePrefix + ".codeium/windsurf/memories/global_rules.md", by: []string{"windsurf"}},
	}
}

// InstructionNames lists the names and globs of instruction files from a project's root, and those in the person's home,
// which begin with HomePrefix. below are the names that a folder below the root can have too.
func InstructionNames() (names, below []string) {
	for _, i := range instructions() {
		names = append(names, i.name)
		if i.below {
			below = append(below, i.name)
		}
	}
	return names, below
}

// IsInstruction reports whether the name, from the project's root or with HomePrefix, is an instruction file's.
func IsInstruction(name string) bool {
	return slices.ContainsFunc(instructions(), func(i instruction) bool { return i.has(name) })
}

// has reports whether a name is one of these files.
func (i instruction) has(name string) bool {
	folder, file, some := strings.Cut(i.name, "/**/")
	if some {
		fits, _ := path.Match(file, path.Base(name))
		return fits && strings.HasPrefix(name, folder+"/")
	}
	return name == i.name || i.below && path.Base(name) == i.name
}

// Reads reports whether the agent reads an instruction file by itself in a session in that folder of the project: one of the
// folder or of one above it.
func Reads(agent, name, folder string) bool {
	agent = strings.TrimSuffix(agent, "-code")
	above := path.Dir(name)
	return slices.ContainsFunc(instructions(), func(i instruction) bool {
		return i.has(name) && (i.parts == agent || slices.Contains(i.by, agent) && (name == i.name || above == "." || strings.HasPrefix(folder+"/", above+"/")))
	})
}

// Loaders lists the agents that load instruction files.
func Loaders() (agents []string) {
	for _, i := range instructions() {
		agents = append(agents, i.by...)
	}
	slices.Sort(agents)
	return slices.Compact(agents)
}

// LoadedBy lists the instruction files that an agent loads by itself at each start.
func LoadedBy(agent string) (names []string) {
	for _, i := range instructions() {
		if slices.Contains(i.by, agent) {
			names = append(names, i.name)
		}
	}
	return names
}

// InsteadOf names what makes agents load another file instead of an instruction file: a variable that is set, and a file beside
// it; "" for none.
func InsteadOf(name string) (variable, file string) {
	for _, i := range instructions() {
		if i.name == name {
			variable = i.env
		}
	}
	if name == "AGENTS.md" {
		file = "AGENTS.override.md" // of Codex
	}
	return variable, file
}
