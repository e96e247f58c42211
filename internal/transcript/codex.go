package transcript

import (
	"bytes"
	"strings"
)

// codex reads Codex' rollout files. A message is there twice, as the model's item and as an
// event for the person's eyes; which of them comes first, and whether there is an event at
// all, depends on the version. So a message is held until the next one.
type codex struct {
	*Reader
	event bool // the message that is held comes from an event
}

func (c *codex) decode(line []byte) bool {
	v, ok := pick(line, "type", "timestamp", "payload")
	if !ok {
		return false
	}
	payload := v[2]
	t := Turn{Time: stamp(v[1])}
	switch kind := text(v[0]); kind {
	case "session_meta":
		c.describe(payload)
	case "event_msg":
		c.readEvent(t, payload)
	case "response_item":
		c.item(t, payload)
	case "message", "function_call", "function_call_output", "local_shell_call":
		c.item(t, line) // the first versions had no payload around an item
	}
	return true
}

// describe takes the session's facts from its first record. A fork repeats the record of
// the session that it came from.
func (c *codex) describe(meta []byte) {
	if c.session.ID != "" {
		return
	}
	v, _ := pick(meta, "id", "session_id", "cwd", "source", "thread_source", "timestamp", "originator")
	s := &c.session
	if s.ID = text(v[0]); s.ID == "" {
		s.ID = text(v[1])
	}
	s.Folder, s.Start = text(v[2]), stamp(v[5])
	s.Subagent = is(v[4], "subagent") || at(v[3], "subagent") != nil
	switch source, originator := text(v[3]), text(v[6]); {
	case source == "exec", source == "mcp", originator == "codex_exec":
		s.Mode = Headless
	case source == "cli", originator == "codex-tui": // its TUI says "vscode" as the source since 0.171
		s.Mode = Interactive
	}
}

// say holds a message, or joins it with the same message that is held.
func (c *codex) say(t Turn, event bool) {
	if t.Text == "" {
		return
	}
	t = c.complete(t)
	if len(c.held) > 0 && c.event != event && c.held[0].By == t.By && strings.TrimSpace(c.held[0].Text) == strings.TrimSpace(t.Text) {
		first := c.held[0]
		if !event {
			t.Text, t.Typed = first.Text, first.Typed
		}
		if t.Prompt == "" {
			t.Prompt = first.Prompt
		}
		t.Start, t.Time = first.Start, first.Time
		c.held = []Turn{t}
		c.release()
		return
	}
	c.release()
	c.held, c.event = []Turn{t}, event
}

// person is the speaker of a message that the client counts as the person's.
func (c *codex) person(t *Turn) {
	if !c.session.Subagent && !harnessTag(t.Text) {
		t.By, t.Typed = Person, c.session.Mode == Interactive
	}
}

// readEvent reads a record of what the client showed.
func (c *codex) readEvent(t Turn, payload []byte) {
	v, _ := pick(payload, "type", "message", "turn_id", "item", "kind", "turn_attribution")
	t.Prompt = text(v[2])
	switch text(v[0]) {
	case "task_started":
		if is(at(v[5], "turn_trigger"), "exec") {
			c.session.Mode = Headless // `codex exec resume` of a session that a person began
		}
	case "user_message":
		if t.Text = text(v[1]); v[4] == nil || is(v[4], "plain") {
			c.person(&t)
		}
		c.say(t, true)
	case "agent_message":
		t.By, t.Text = Assistant, text(v[1])
		c.say(t, true)
	case "item_completed":
		c.completed(t, v[3])
	case "exec_command_end", "patch_apply_end":
		p, _ := pick(payload, "call_id", "command", "exit_code", "success", "changes")
		call := &Call{ID: text(p[0]), Command: commandLine(p[1]), Exit: -1}
		call.end(p[2], isTrue(p[3]))
		call.Files = changed(p[4])
		c.tool(t, call)
	}
}

// completed reads an event of a thing that is done.
func (c *codex) completed(t Turn, item []byte) {
	v, _ := pick(item, "type", "id", "content", "command", "exit_code", "status", "tool", "changes")
	t.ID = text(v[1])
	switch kind := text(v[0]); kind {
	case "UserMessage":
		t.Text = texts(v[2])
		c.person(&t)
		c.say(t, true)
	case "AgentMessage":
		t.By, t.Text = Assistant, texts(v[2])
		c.say(t, true)
	case "CommandExecution", "McpToolCall", "FileChange":
		call := &Call{ID: t.ID, Tool: text(v[6]), Command: commandLine(v[3]), Files: changed(v[7]), Exit: -1}
		call.end(v[4], is(v[5], "completed"))
		if is(v[5], "declined") {
			call.Status = Stopped
		}
		c.tool(t, call)
	}
}

// tool emits a call after the message before it.
func (c *codex) tool(t Turn, call *Call) {
	c.release()
	t.By, t.Call = Tool, call
	c.emit(t)
}

// item reads an item of the model's conversation.
func (c *codex) item(t Turn, item []byte) {
	v, _ := pick(item, "type", "role", "content", "call_id", "name", "arguments", "output", "input", "action", "internal_chat_message_metadata_passthrough", "id")
	t.Prompt = text(at(v[9], "turn_id"))
	switch text(v[0]) {
	case "message":
		t.ID = text(v[10])
		c.message(t, text(v[1]), v[2], at(v[9], "content_item_kinds"))
	case "function_call", "custom_tool_call", "local_shell_call":
		input := v[5]
		if input == nil {
			input = v[7]
		}
		call := newCall(text(v[3]), text(v[4]), []byte(text(input)))
		if v[8] != nil {
			call.Command = commandLine(at(v[8], "command"))
		}
		call.Files = append(call.Files, patched(text(input))...)
		c.tool(t, call)
	case "function_call_output", "custom_tool_call_output":
		c.tool(t, codexOutput(text(v[3]), v[6]))
	}
}

// codexOutput reads a tool's output. The exit status of a command is in front of its output,
// in older versions in an object behind it.
func codexOutput(id string, output []byte) *Call {
	call := &Call{ID: id, Exit: -1, Status: Passed}
	first := head(output, 250)
	n, ok := numberAfter(first, "Process exited with code ")
	if bytes.HasPrefix(output, []byte(`"{\"`)) {
		n, ok = numberAfter(tail(output, 120), `exit_code\":`)
	} else if !ok {
		n, ok = numberAfter(head(output, 30), "Exit code: ")
	}
	switch {
	case ok:
		if call.Exit = n; n != 0 {
			call.Status = Failed
		}
	case bytes.Contains(first, []byte("rejected by user")), bytes.HasPrefix(first, []byte(`"aborted by user`)):
		call.Status = Stopped
	}
	return call
}

// message reads an item that is a message. kinds, where the version has them, say of each
// part of the content where it came from.
func (c *codex) message(t Turn, role string, content, kinds []byte) {
	if role == "assistant" {
		t.By, t.Text = Assistant, texts(content)
		c.say(t, false)
		return
	}
	var parts, own []string
	elements(content, func(part []byte) { parts = append(parts, text(at(part, "text"))) })
	i := 0
	elements(kinds, func(kind []byte) {
		if i < len(parts) && is(kind, "user.text") {
			own = append(own, parts[i])
		}
		i++
	})
	if kinds == nil {
		own = parts
	}
	if role == "user" && len(own) > 0 {
		t.Text = strings.Join(own, "\n")
		c.person(&t)
		t.Typed = false // the event proves it
	} else {
		t.Text = strings.Join(parts, "\n")
	}
	c.say(t, false)
}
