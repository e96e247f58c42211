package transcript

import (
	"bytes"

	"github.com/memctl/memctl/internal/jsontext"
)

// layoutOf is the layout of a format; nil for one that is not read.
func layoutOf(f Format) *layout {
	switch f {
	case Claude:
		return &claude
	case Codex:
		return &codex
	case Gemini:
		return &gemini
	case Copilot:
		return &copilot
	case Lines:
		return &plain
	}
	return nil
}

// claude are Claude Code's JSON lines. No line depends on another one. Others than these are bookkeeping, some of which repeats
// the prompt.
var claude = layout{
	time: "timestamp", id: "uuid", prompt: "promptId",
	shapes: []shape{
		{when: "type=user", session: &claudeFacts, text: "message.content", more: claudeUser, list: "message.content", parts: []shape{
			{when: "type=tool_result", by: Tool, call: "tool_use_id", more: claudeResult},
		}},
		{when: "type=assistant", session: &claudeFacts, list: "message.content", parts: []shape{
			{when: "type=text", by: Assistant, text: "text"},
			{when: "type=tool_use", by: Tool, call: "id", tool: "name", input: "input"},
		}},
		{when: "type=attachment attachment.type=hook_additional_context|hook_system_message", session: &claudeFacts, text: "attachment.content"},
		{when: "type=attachment attachment.type=hook_success", session: &claudeFacts, text: "attachment.stdout"},
		{when: "type=attachment attachment.type=queued_command", session: &claudeFacts, text: "attachment.prompt", more: claudeQueued},
		{when: "type=attachment", session: &claudeFacts},
	},
}

var claudeFacts = facts{id: "sessionId", folder: "cwd", start: "timestamp", subagent: "isSidechain=true", entry: "entrypoint"}

// codex are Codex' rollout files. A message is there twice, as the model's item and as an event for the person's eyes; which of
// them comes first, and whether there is an event at all, depends on the version. The first versions had no payload around an item.
var codex = layout{
	only: "type=session_meta|event_msg|response_item|message|function_call|function_call_output|local_shell_call",
	body: "payload", time: "timestamp", prompt: "payload.turn_id", put: holdTwin,
	shapes: []shape{
		{when: "type=session_meta", more: codexSession},
		{when: "payload.type=task_started payload.turn_attribution.turn_trigger=exec", more: headless}, // `codex exec resume` of a person's session
		{when: "payload.type=user_message", by: Person, text: "payload.message", shown: true, more: codexTyped},
		{when: "payload.type=agent_message", by: Assistant, text: "payload.message", shown: true},
		{when: "payload.type=item_completed payload.item.type=UserMessage", by: Person, text: "payload.item.content", id: "payload.item.id", shown: true, more: codexTyped},
		{when: "payload.type=item_completed payload.item.type=AgentMessage", by: Assistant, text: "payload.item.content", id: "payload.item.id", shown: true},
		{
			when: "payload.type=item_completed payload.item.type=CommandExecution|McpToolCall|FileChange", by: Tool, id: "payload.item.id",
			call: "payload.item.id", tool: "payload.item.tool", command: "payload.item.command", changes: "payload.item.changes",
			exit: "payload.item.exit_code", passed: "payload.item.status=completed", stopped: "payload.item.status=declined",
		},
		{
			when: "payload.type=exec_command_end|patch_apply_end", by: Tool, call: "payload.call_id",
			command: "payload.command", changes: "payload.changes", exit: "payload.exit_code", passed: "payload.success=true",
		},
		{when: "payload.type=message payload.role=assistant", by: Assistant, text: "payload.content", id: "payload.id", prompt: codexTurn},
		{when: "payload.type=message", id: "payload.id", prompt: codexTurn, more: codexMessage},
		{
			when: "payload.type=function_call|custom_tool_call|local_shell_call", by: Tool, prompt: codexTurn,
			call: "payload.call_id", tool: "payload.name", more: codexCall,
		},
		{when: "payload.type=function_call_output|custom_tool_call_output", by: Tool, prompt: codexTurn, call: "payload.call_id", more: codexOutput},
	},
}

const codexTurn = "payload.internal_chat_message_metadata_passthrough.turn_id"

// gemini are Gemini CLI's JSON lines. A message is written again whenever something is added to it. A patch of the list
// ($set) repeats what was written before, or, after a compaction, what is left of it.
var gemini = layout{
	time: "timestamp", id: "id", put: holdMessage,
	shapes: []shape{
		{when: "type=user", by: Person, text: "content", more: geminiMessage, list: "toolCalls", parts: geminiCalls},
		{when: "type=gemini", by: Assistant, text: "content", more: geminiMessage, list: "toolCalls", parts: geminiCalls},
		{when: "type", more: geminiMessage}, // what the client tells the person
		{when: "$set", more: geminiPatch},
		{when: "sessionId", session: &facts{id: "sessionId", start: "startTime", subagent: "kind=subagent"}},
	},
}

var geminiCalls = []shape{{by: Tool, call: "id", tool: "name", input: "args", more: geminiEnd}}

// copilot are Copilot CLI's events. The transformedContent of a message is its content with the harness's words around it.
var copilot = layout{
	time: "timestamp", id: "id",
	shapes: []shape{
		{when: "type=session.start|session.resume", session: &facts{id: "data.sessionId", folder: "data.context.cwd", start: "data.startTime"}, more: copilotBegins},
		{when: "type=system.message", more: copilotBegins},
		{when: "type=user.message", by: Person, text: "data.content", prompt: "data.interactionId", more: copilotUser},
		{when: "type=assistant.message", by: Assistant, text: "data.content", prompt: "data.interactionId"},
		{when: "type=tool.execution_start", by: Tool, call: "data.toolCallId", tool: "data.toolName", input: "data.arguments"},
		{when: "type=tool.execution_complete", by: Tool, call: "data.toolCallId", passed: "data.success=true", stopped: "data.error.code=denied|rejected", more: copilotEnd},
	},
}

// plain are JSON lines of turns: {"role","content"} or {"role","text"}, and if they are known "timestamp", "session", "cwd" and "id".
var plain = layout{
	needs: "role", time: "timestamp", id: "id",
	shapes: []shape{
		{when: "role=user|human|person", session: &plainFacts, by: Person, text: "content|text"},
		{when: "role=assistant|ai|model", session: &plainFacts, by: Assistant, text: "content|text"},
		{when: "role=tool|function", session: &plainFacts, by: Tool, passed: "role"},
		{session: &plainFacts, text: "content|text"},
	},
}

var plainFacts = facts{id: "session_id|session", folder: "cwd"}

// Detect tells the format from the first bytes of a file, or from any whole line of it;
// Unknown where no line tells. 64 KiB are enough.
//
// Unsupported are what `opencode export` prints, rows of OpenCode's database, the one document of older versions of
// Gemini CLI, and the histories of SpecStory and Aider.
func Detect(head []byte) Format {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if f := detectRecord(head); f != Unknown {
		return f
	}
	for line := range bytes.Lines(head) {
		switch f := detectRecord(line); {
		case f != Unknown:
			return f
		case bytes.HasPrefix(line, []byte("<!-- Generated by SpecStory")), bytes.HasPrefix(line, []byte("_**User")), bytes.HasPrefix(line, []byte("# aider chat started at ")):
			return Unsupported
		}
	}
	return Unknown
}

// detectRecord tells the format from the record that data begins with. Its end may be cut
// off, and other records may follow it.
func detectRecord(data []byte) Format {
	n := &node{raw: data}
	n.parseMembers()
	// The list of messages of a long document is no member yet: its end is not in data.
	list := n.fits("messages") || jsontext.ValueEnd(data, 0) < 0 && bytes.Contains(data, []byte(`"messages"`))
	for _, row := range []struct {
		when   string
		format Format
		also   bool
	}{
		{"info", Unsupported, list}, {"sessionId startTime", Unsupported, list}, {"table row", Unsupported, true},
		{"sessionId projectHash", Gemini, true}, {"$set", Gemini, true}, {"id timestamp content type=user|gemini", Gemini, true},
		{"sessionId type", Claude, true}, {"type message", Claude, true}, {"type messageId snapshot", Claude, true},
		{"type data id timestamp", Copilot, true},
		{"type payload", Codex, true}, {"timestamp type", Codex, !n.fits("uuid") && bytes.Contains(data, []byte(`"payload"`))},
		{"role content|text", Lines, true},
	} {
		if row.also && n.fits(row.when) {
			return row.format
		}
	}
	return Unknown
}
