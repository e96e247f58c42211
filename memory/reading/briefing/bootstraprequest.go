package briefing

import (
	"context"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory/reading/view"
)

// BootstrapRequest asks for the briefing of a session in this folder.
type BootstrapRequest struct {
	Agent    string // the agent's name as package agents has it; "" for a person
	Event    string // SessionStart, SubagentStart, UserPromptSubmit; "" is SessionStart
	Source   string // of a SessionStart: startup, resume, clear, compact
	Session  string // the agent's id of the session, for receipts
	Subagent string // the id of the subagent whose event it is; "" for the session's own agent
	Prompt   string // of a UserPromptSubmit: what the person typed
	// Recent gives the last messages of the session, oldest first; nil for none.
	// It is asked in the mode full alone, which searches with them.
	Recent   func() []string
	Project  string   // overrides the project's label
	Mode     string   // index, full or off; "" takes the setting's
	Context  []string // context files to include; nil takes the setting's
	As, User string   // whose context files; "" takes the setting's
	Notes    string   // a day whose notes are included
	Minimal  bool     // subagents and scheduled runs: AGENTS.md and TOOLS.md only
	Tools    bool     // the agent has memctl's MCP server
	NoTools  bool     // the agent can run nothing, so no command is named
	// NoSkills leaves the skills out, for a caller that offers them itself.
	NoSkills bool
	Hook     bool            // through an agent's hook: needs trust, never writes outside local state
	Look     bool            // somebody looks at what a session would get: no memory file is made for that
	Reader   contents.Reader // of the answer; the text is for a session
}

// BootstrapResult is the briefing.
type BootstrapResult struct {
	Text      string             `json:"text"` // what the agent is given; "" where there is nothing to say
	Project   ProjectName        `json:"project"`
	Trusted   bool               `json:"trusted"`
	Mode      string             `json:"mode"`
	Profile   view.ProfileResult `json:"profile"`
	Pinned    []session.Bullet   `json:"pinned"`
	Recalled  []session.Bullet   `json:"recalled"`   // what the mode full found
	Entries   []session.Bullet   `json:"entries"`    // pinned and tagged facts and the notes, with an id for a key
	Sections  []SectionCount     `json:"sections"`   // what came from where
	Context   []ContextSize      `json:"context"`    // the context files that are included
	StoodBack []session.Stood    `json:"stood_back"` // what did not fit or was left out, and why
	Bytes     int                `json:"bytes"`
	Tokens    int                `json:"tokens"`
	Budget    int                `json:"budget"` // tokens
	Warnings  []string           `json:"warnings"`
	headlines []session.Bullet   // the facts and lessons of which it has a line
	Counts    bool               `json:"-"` // a prompt without something pinned that the session was handed lately; it is recorded
	// SystemMessage is a line for the person, not for the model, which the agent shows where
	// it can; "" for none. Only at a start, through a hook.
	SystemMessage string `json:"system_message,omitempty"`
}

// CountWithheld is how many keys the briefing's profile keeps from the reader.
func (r BootstrapResult) CountWithheld() int { return r.Profile.WithheldCount }

// ProjectName is the project's label and how it was found: flag,
// .memctl.yaml, .mememory, git remote, top-level folder, current folder.
type ProjectName struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// SectionCount is one part of the briefing.
type SectionCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Bytes int    `json:"bytes"`
}

// ContextSize is how large a context file is, before anything is cut.
type ContextSize struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
	Over   int    `json:"over,omitempty"` // characters that are left out
}

// Profile is the Active Profile with which a session of the request's agent starts: the one for which its briefing has room,
// beside what is pinned. If memory is off or its mode is off, it is the one that a session would get without that.
func Profile(ctx context.Context, ss *store.Stores, req BootstrapRequest) (view.ProfileResult, error) {
	whole, err := view.Profile(ctx, ss, req.Reader, req.Hook)
	if err != nil || len(whole.Bullets) == 0 {
		return whole, err
	}
	req.Look, req.Mode = true, ModeIndex
	res, err := Bootstrap(ctx, ss, req)
	if err != nil || len(res.Profile.Bullets)+len(res.Profile.LeftOut) == 0 { // memory is off
		return whole, err
	}
	res.Profile.Warnings = whole.Warnings
	return res.Profile, nil
}
