package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// toolUse is what an agent says of a tool that it is about to run.
type toolUse struct {
	ID      string // of this one use
	Command string // the command line of a shell; "" for another tool
	// PowerShell tells that the shell is PowerShell.
	PowerShell bool
	File       string // the path of the file that the tool changes; "" for none
	Reads      bool   // the tool only reads the file
	Error      string // with which the command failed
	Mode       string // of permissions
}

// readTool reads the fields that a PreToolUse adds.
func (c *Call) readTool(fields map[string]json.RawMessage, first func(names ...string) string) {
	var input map[string]json.RawMessage
	if _ = json.Unmarshal(fields["tool_input"], &input); input == nil {
		_ = json.Unmarshal(fields["toolArgs"], &input) // Copilot CLI's name for it
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(input[name], &s)
		return s
	}
	c.Tool = toolUse{ID: first("tool_use_id"), Mode: first("permission_mode"), Reads: first("tool_name") == "Read"}
	if c.Event == briefing.EventToolFailed {
		c.Tool.Error = first("error")
	}
	switch tool := strings.ToLower(first("tool_name", "toolName")); tool {
	case cmp.Or(c.Agent.shell, "bash"), "powershell":
		c.Tool.Command = text("command")
		// Codex calls its shell Bash on every system.
		c.Tool.PowerShell = tool == "powershell" || runtime.GOOS == "windows" && c.Agent.windows != gitBash
		return
	}
	c.Tool.File = cmp.Or(text("file_path"), text("notebook_path"), text("path"))
	if c.Tool.File != "" && !filepath.IsAbs(c.Tool.File) {
		c.Tool.File, _ = filepath.Abs(filepath.Join(c.Folder, c.Tool.File))
	}
}

// beforeTool answers a PreToolUse event, and the event after a command failed. The answer has the items that match the command or
// the file. If one of them has Ask set, the agent asks the person first. Where nobody can
// answer, memctl denies the call once for each item and session, and lets the next one pass.
func (c Call) beforeTool(ctx context.Context, ss *store.Stores, rec localstate.SessionRecord) (any, error) {
	if c.Tool.Command == "" && c.Tool.File == "" {
		return nil, nil
	}
	res, err := briefing.Moment(ctx, ss, briefing.MomentRequest{
		Agent: c.Agent.Name(), Session: c.Session, Subagent: c.Subagent, Command: c.Tool.Command, PowerShell: c.Tool.PowerShell, File: c.Tool.File, Reads: c.Tool.Reads, Error: c.Tool.Error,
	})
	if err != nil {
		return nil, err
	}
	rec.Turn = localstate.TextDigest(c.Tool.ID)
	decision := ""
	if res.Ask != "" {
		decision = c.decision()
	}
	if decision == deny {
		denied := rec
		denied.Source, denied.Given = briefing.DeniedSource, briefing.GivenOf(res.Denials)
		if c.Session != "" && len(res.Denials) > 0 && localstate.RecordSession(ss, denied) == nil {
			return decided(deny, "memctl: memory says to ask the person first, and nobody can answer here. Run it again if the person's request covers it.\n"+res.Ask, ""), nil
		}
		decision = ""
	}
	if res.Text == "" && decision == "" {
		return nil, nil
	}
	rec.Given = briefing.GivenOf(res.Items)
	if c.Tool.ID == "" {
		_ = localstate.RecordSession(ss, rec) // two uses of a tool cannot be told apart: each is answered
	} else if first, err := localstate.RecordAnswer(ss, rec); err == nil && !first {
		return nil, nil
	}
	if decision == "" {
		return c.Agent.Answer(c.Own, res.Text), nil
	}
	return decided(ask, "memctl: memory says to ask you first\n"+res.Ask, res.Text), nil
}

// The decisions on a tool call.
const (
	ask  = "ask"
	deny = "deny"
)

// decision returns how the client asks the person first: ask, or deny in a headless session; "" if it can do neither.
func (c Call) decision() string {
	switch {
	case c.Agent.denies && c.headless():
		return deny
	case c.Agent.asks:
		return ask
	}
	return ""
}

// decided is the answer that decides on a call, in the form of Claude Code and Codex.
func decided(decision, reason, text string) any {
	type output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		Context  string `json:"additionalContext,omitempty"`
	}
	return struct {
		Output output `json:"hookSpecificOutput"`
	}{output{briefing.EventPreTool, decision, reason, text}}
}
