package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

// toolUse is what an agent says of a tool that it is about to run.
type toolUse struct {
	ID       string // of this one use
	Command  string // the command line of a shell; "" for another tool
	File     string // the path of the file that the tool changes; "" for none
	Subagent string // the id of the subagent that runs it; "" for the session's own agent
	Mode     string // of permissions
}

// shellTool is the name that agents give to the tool that runs commands. Case does not matter.
const shellTool = "bash"

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
	c.Tool = toolUse{ID: first("tool_use_id"), Subagent: first("agent_id"), Mode: first("permission_mode")}
	if strings.EqualFold(first("tool_name", "toolName"), shellTool) {
		c.Tool.Command = text("command")
		return
	}
	c.Tool.File = cmp.Or(text("file_path"), text("notebook_path"), text("path"))
	if c.Tool.File != "" && !filepath.IsAbs(c.Tool.File) {
		c.Tool.File, _ = filepath.Abs(filepath.Join(c.Folder, c.Tool.File))
	}
}

// beforeTools adds the event before a tool runs, for the tools that the matcher names.
func (h hookSettings) beforeTools(matcher string) hookSettings {
	h.events = append(slices.Clone(h.events), briefing.EventPreTool)
	h.matchers = map[string]string{briefing.EventPreTool: matcher}
	return h
}

// beforeTool answers a PreToolUse event. The answer has the items that match the command or
// the file. If one of them has Ask set and somebody can answer, the agent asks the person
// first. The answer never allows or denies the tool.
func (c Call) beforeTool(ctx context.Context, ss *store.Stores, rec localstate.SessionRecord) (any, error) {
	if c.Tool.Command == "" && c.Tool.File == "" {
		return nil, nil
	}
	res, err := briefing.Moment(ctx, ss, briefing.MomentRequest{
		Agent: c.Agent.Name(), Session: c.Session, Subagent: c.Tool.Subagent, Command: c.Tool.Command, File: c.Tool.File,
	})
	if err != nil {
		return nil, err
	}
	if _, asks := c.Agent.(claude); !asks || res.Ask != "" && c.headless() {
		// Codex 0.169.0 takes the whole answer for a fault where it asks. Copilot CLI 1.0.102 asks
		// in a terminal, denies the tool in `copilot -p`, and tells the hook of neither.
		res.Ask = ""
	}
	if res.Text == "" && res.Ask == "" {
		return nil, nil
	}
	rec.Subagent, rec.Turn = c.Tool.Subagent, localstate.TextDigest(c.Tool.ID)
	for _, b := range res.Items {
		rec.Given = append(rec.Given, localstate.Given{Scope: b.Scope, Key: b.Key, Digest: localstate.TextDigest(b.Text)})
	}
	if c.Tool.ID == "" {
		_ = localstate.RecordSession(ss, rec) // two uses of a tool cannot be told apart: each is answered
	} else if first, err := localstate.RecordAnswer(ctx, ss, rec); err == nil && !first {
		return nil, nil
	}
	if res.Ask == "" {
		return c.Agent.Answer(c.Own, res.Text), nil
	}
	return askAnswer(res), nil
}

// askAnswer is Claude Code's form of an answer that makes it ask the person.
func askAnswer(res briefing.MomentResult) any {
	type output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
		Context  string `json:"additionalContext,omitempty"`
	}
	return struct {
		Output output `json:"hookSpecificOutput"`
	}{output{briefing.EventPreTool, "ask", "memctl: memory says to ask you first\n" + res.Ask, res.Text}}
}
