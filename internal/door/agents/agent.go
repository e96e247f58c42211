// Package agents knows the coding agents that memctl serves: one table with their settings files, hooks and limits, and the
// editors of these files.
package agents

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
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

// Agent is one coding agent: a row of the table.
type Agent struct {
	name, title string
	tested      string // the version that memctl was tested with; "" for an agent built from its documentation
	home        folder // of the person's settings
	files       []setting
	hook        hookForm
	events      []event // for which an installation adds hooks
	answer      form
	shell       string // the tool that runs commands, "" for bash
	windows     string // the shell in which it runs hooks and commands on Windows, gitBash or another; "" for no hooks

	marks      []string // environment variables that it sets for the commands it runs
	sessionVar string   // the variable with the id of its session; "" for none
	sessions   string   // a pattern of its transcripts, below home; "" for none
	prompts    string   // who gives its prompts: localstate's constants, "transcript" where it says so itself, "" for not known
	promptKey  string   // the field with the words of the person, "" for prompt

	trust    string // what a person must do before it runs a hook; "" for nothing
	line     bool   // it shows a person a line of the answer
	denies   bool   // a hook can deny a call
	asks     bool   // a hook can make it ask the person first
	goesOn   bool   // its Stop can let it go on
	switches bool   // its settings can switch all hooks off, and memctl's plugin on
	// lost reports whether a transcript shows that the conversation no longer has its briefing, of an agent that gets it with a
	// prompt; nil for another.
	lost func(transcript string) bool
}

// folder is the folder that a variable names, or one below the person's home; sub is below both.
type folder struct{ variable, below, sub string }

// setting is a file of an agent's settings.
type setting struct {
	scope string  // ForUser if it is ""
	in    *folder // nil: the agent's settings folder, or the project's
	path  string
	other string // the path that counts instead if the file exists
	what  string
	// editor is nil for hooks, whose editor follows from the agent's row.
	editor ConfigEditor
	offer  string
}

// What a file of settings is for.
const (
	hooksWhat       = "hooks"
	permissionsWhat = "permissions"
	serverWhat      = "mcp server"
	instructionWhat = "instructions"
	pluginWhat      = "plugin"
	// readOnly is the scope of a project's file that memctl reads and never changes.
	readOnly = "read"
)

// event is an event for which an agent calls memctl.
type event struct {
	own  string // the agent's name of it
	as   string // memctl's name, "" for the same
	text bool   // the answer can carry text
	// matcher are the tools that the hook is called for, "" for all events.
	matcher string
}

// form is how an answer carries text.
type form int

const (
	noText      form = iota
	contextText      // {"hookSpecificOutput":{…,"additionalContext":TEXT}}, which Claude Code began
	additional       // {"additionalContext":TEXT}
	underscored      // {"additional_context":TEXT}
	plainText        // TEXT
)

// Text is an answer that is printed as it is.
type Text string

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
	Editor ConfigEditor
	// Offer describes the file to the person when memctl asks whether to install it. memctl
	// installs a file without an Offer and asks nothing.
	Offer string
}

// State says how much of memctl's part is in a settings file.
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

// stateOf is the state of a file that misses some of its parts.
func stateOf(missing, parts int) State {
	switch missing {
	case 0:
		return Installed
	case parts:
		return Absent
	}
	return Partly
}

// Look is what a file has of memctl's.
type Look struct {
	State   State
	Missing []string // the parts that are not there, where they have names
	Others  []string // values that name memctl, and that memctl did not write
}

// ConfigEditor changes the bytes of one file; nil bytes stand for no file. It fails
// on a file that it does not understand.
type ConfigEditor interface {
	Look(src []byte) (Look, error)
	Install(src []byte) ([]byte, error)
	Remove(src []byte) ([]byte, error)
}

// ByName finds an agent; nil where there is none of that name.
func ByName(name string) *Agent {
	for _, a := range All() {
		if a.name == name {
			return a
		}
	}
	return nil
}

// Name is the word for the agent on the command line and in an item's source.
func (a *Agent) Name() string { return a.name }

// Title is the agent's own name.
func (a *Agent) Title() string { return a.title }

// Tested is the version of the agent that memctl was tested with, "" for an agent built from its documentation, and "-" for an
// instruction file.
func (a *Agent) Tested() string { return a.tested }

// Trust is what a person must do before the agent runs a hook, "" for nothing. Until then it skips the hook, and tells nobody
// but the person who looks for it.
func (a *Agent) Trust() string { return a.trust }

// HasOnlySharedFile reports whether the agent has only a file in a project that other agents read, too.
func (a *Agent) HasOnlySharedFile() bool {
	return a.home != (folder{}) && slices.ContainsFunc(a.files, func(s setting) bool { return s.scope == ForProject && s.what == instructionWhat })
}

// dir is where the folder is on the machine; "" where that is not known.
func (m Machine) dir(f folder) string {
	base := m.Home
	if f.variable != "" {
		if dir := m.Getenv(f.variable); dir != "" {
			return filepath.Join(dir, f.sub)
		}
	}
	if base == "" || f == (folder{}) {
		return ""
	}
	return filepath.Join(base, f.below, f.sub)
}

// Settings is the folder of the person's settings, "" where none is known.
// That it is there shows that the person uses the agent.
func (a *Agent) Settings(m Machine) string { return m.dir(a.home) }

// file is the setting on a machine. Errors: ErrNoHome, ErrNoProject.
func (s setting) file(m Machine, home folder) (File, error) {
	base, mode, missing := m.dir(home), os.FileMode(settingsMode), ErrNoHome
	if s.in != nil {
		base = m.dir(*s.in)
	}
	if s.scope != "" {
		base, mode, missing = m.Root, projectMode, ErrNoProject
	}
	if base == "" {
		return File{}, missing
	}
	f := File{Path: filepath.Join(base, filepath.FromSlash(s.path)), What: s.what, Mode: mode, Editor: s.editor, Offer: s.offer}
	if s.other != "" {
		if other := filepath.Join(base, s.other); exists(other) {
			f.Path = other
		}
	}
	return f, nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// settingsMode is for a person's new settings, projectMode for a team's.
const (
	settingsMode = 0o600
	projectMode  = 0o644
)

// Files are what an installation changes. Errors: ErrNoHome, ErrNoProject, ErrNotFor.
func (a *Agent) Files(m Machine, scope string) ([]File, error) {
	var list []File
	for _, s := range a.files {
		if s.scope != scope && (s.scope != "" || scope != ForUser) {
			continue
		}
		f, err := s.file(m, a.home)
		if err != nil {
			return nil, err
		}
		if f.Editor == nil {
			f.Editor = a.hooks(scope)
		}
		list = append(list, f)
	}
	if list == nil {
		return nil, ErrNotFor
	}
	return list, nil
}

// Servers are the files in which the agent is told of MCP servers, the
// person's and the project's; nil for an agent that has none.
func (a *Agent) Servers(m Machine) (list []File) {
	for _, s := range a.files {
		if f, err := s.file(m, a.home); s.what == serverWhat && err == nil {
			list = append(list, f)
		}
	}
	return list
}

// Event translates the agent's name of an event; "" for one of no concern.
func (a *Agent) Event(own string) string {
	i := slices.IndexFunc(a.events, func(e event) bool { return e.own == own })
	switch {
	case i >= 0 && a.events[i].as != "":
		return a.events[i].as
	case i >= 0 || a.answer == contextText && known(own):
		return own
	}
	return ""
}

// known reports whether an agent that uses memctl's names of events may call a hook that memctl did not install.
func known(own string) bool {
	switch own {
	case briefing.EventSessionStart, briefing.EventSubagentStart, briefing.EventPrompt, EventPreCompact, EventStop, EventSessionEnd:
		return true
	}
	return false
}

// Answer is the object that hands the text to the agent at its event; nil
// where the event cannot carry text.
func (a *Agent) Answer(own, text string) any {
	if !slices.ContainsFunc(a.events, func(e event) bool { return e.own == own && e.text }) {
		return nil
	}
	switch a.answer {
	case contextText:
		return &hookOutput{Output: &hookContext{own, text}}
	case additional:
		return map[string]string{"additionalContext": text}
	case underscored:
		return map[string]string{"additional_context": text}
	case plainText:
		return Text(text)
	}
	return nil
}

// FromEnv returns the name of the agent whose command this process is, or ""
// where no known agent's variable is set.
func FromEnv(getenv func(string) string) string {
	for _, a := range All() {
		if slices.ContainsFunc(a.marks, func(name string) bool { return getenv(name) != "" }) {
			return a.name
		}
	}
	if getenv("AGENT") != "" {
		return "agent"
	}
	return ""
}

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
	if a := ByName(o.Name); a != nil && a.sessionVar != "" {
		o.Session = getenv(a.sessionVar)
	}
	return o
}

// Switches reads two switches of an agent's settings: whether memctl's plugin is on, which brings hooks and the MCP server,
// and the file that switches all hooks off, "" for none. The nearest file with a switch counts.
func Switches(m Machine, a *Agent) (plugin bool, hooksOff string) {
	if !a.switches {
		return false, ""
	}
	for _, path := range []string{filepath.Join(a.Settings(m), "settings.json"), filepath.Join(m.Root, a.home.below, "settings.json"), filepath.Join(m.Root, a.home.below, "settings.local.json")} {
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
