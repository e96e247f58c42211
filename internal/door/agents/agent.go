package agents

import (
	"errors"
	"os"
	"path/filepath"
)

// The scopes of an installation: for one person, or in the project's folder
// for all who work on it.
const (
	ForUser    = "user"
	ForProject = "project"
)

// Machine is where an installation looks for files.
type Machine struct {
	Home   string // the person's home folder; "" where there is none
	Root   string // the project's folder; "" where there is none
	Getenv func(string) string
	NoFull bool // memctl-full, which has the MCP server, is not installed
}

// Agent is one coding agent: where its settings are, and how it talks to a
// hook. A file of this package holds one agent.
type Agent interface {
	// Name is the word for it on the command line and in an item's source.
	Name() string
	// Title is its own name.
	Title() string
	// Settings is the folder of the person's settings, "" where none is known.
	// That it is there shows that the person uses the agent.
	Settings(m Machine) string
	// Files are what an installation changes. Errors: ErrNoHome, ErrNoProject,
	// ErrNotFor.
	Files(m Machine, scope string) ([]File, error)
	// Servers are the files in which the agent is told of MCP servers, the
	// person's and the project's; nil for an agent that has none.
	Servers(m Machine) []File
	// Remark is what the person still has to do after an installation, or "".
	Remark(scope string) string
	// Event translates the agent's name of an event; "" for one of no concern.
	Event(own string) string
	// Answer is the object that hands the text to the agent at its event; nil
	// where the event cannot carry text.
	Answer(own, text string) any
}

// The reasons why an agent has nothing to install.
var (
	ErrNoHome    = errors.New("there is no home folder")
	ErrNoProject = errors.New("there is no project here")
	ErrNotFor    = errors.New("this agent has no such place")
)

// File is one file of an agent's settings and what is changed in it.
type File struct {
	Path   string
	What   string // hooks, permissions, mcp server, instructions, plugin
	Mode   os.FileMode
	Editor Editor
	// Offer describes the file to the person when memctl asks whether to install it. memctl
	// installs a file without an Offer and asks nothing.
	Offer string
}

// State is how much of ours stands in a file.
type State string

// The states of a file.
const (
	Absent    State = "absent"
	Partly    State = "partly"
	Installed State = "installed"
	// Theirs says that the person has put there themselves what we would: it
	// works, and is left alone.
	Theirs State = "theirs"
)

// Editor changes the bytes of one file; nil bytes stand for no file. It fails
// on a file that it does not understand.
type Editor interface {
	State(src []byte) (State, error)
	Install(src []byte) ([]byte, error)
	Remove(src []byte) ([]byte, error)
}

// partial is an editor of parts that have names.
type partial interface {
	// missing names the parts of ours that are not there.
	missing(src []byte) []string
}

// All lists the agents, in the order in which they are shown.
func All() []Agent {
	return []Agent{claude{}, codex{}, gemini{}, cursor{}, openCode{}, copilot{}, windsurf{},
		page{"AGENTS.md"}, page{"CLAUDE.md"}, page{"GEMINI.md"}}
}

// ByName finds an agent; nil where there is none of that name.
func ByName(name string) Agent {
	for _, a := range All() {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// AsksTrust reports whether the agent runs a hook only after the person has trusted it.
// Until then it skips the hook, and tells nobody but the person who looks for it.
func AsksTrust(a Agent) bool { return a == Agent(codex{}) }

// settingsMode is for a person's new settings, projectMode for a team's.
const (
	settingsMode = 0o600
	projectMode  = 0o644
)

// place is the path and mode of a file: below the person's settings folder, or
// below the project's. Parts that are nil say that there is no such place.
func place(m Machine, scope, settings string, user, project []string) (path string, mode os.FileMode, err error) {
	folder, below, mode := settings, user, os.FileMode(settingsMode)
	if scope == ForProject {
		folder, below, mode = m.Root, project, projectMode
	}
	switch {
	case below == nil:
		return "", 0, ErrNotFor
	case folder == "" && scope == ForProject:
		return "", 0, ErrNoProject
	case folder == "":
		return "", 0, ErrNoHome
	}
	return filepath.Join(append([]string{folder}, below...)...), mode, nil
}

// settingsFolder is the folder that a variable names, else one below home.
func (m Machine) settingsFolder(variable string, below ...string) string {
	if variable != "" {
		if dir := m.Getenv(variable); dir != "" {
			return dir
		}
	}
	if m.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}
