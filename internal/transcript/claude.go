package transcript

import (
	"bytes"
	"strings"
)

// claude reads Claude Code's JSON lines. No line depends on another one.
type claude struct{ *Reader }

func (c claude) decode(line []byte) bool {
	v, ok := pick(line, "type", "timestamp", "sessionId", "cwd", "entrypoint", "isSidechain", "uuid", "promptId", "message", "attachment")
	if !ok {
		return false
	}
	kind, message := v[0], v[8]
	if !is(kind, "user") && !is(kind, "assistant") && !is(kind, "attachment") {
		return true // bookkeeping, some of which repeats the prompt
	}
	c.describe(v)
	t := Turn{Time: stamp(v[1]), ID: text(v[6]), Prompt: text(v[7])}
	switch {
	case is(kind, "attachment"):
		c.attachment(t, v[9])
	case is(kind, "assistant"):
		c.assistant(t, message)
	default:
		c.user(t, line, at(message, "content"))
	}
	return true
}

// describe takes what each record of a conversation says about the session.
func (c claude) describe(v [][]byte) {
	s := &c.session
	if s.Start.IsZero() {
		s.Start = stamp(v[1])
	}
	if id := text(v[2]); id != "" {
		s.ID = id
	}
	if folder := text(v[3]); folder != "" {
		s.Folder = folder
	}
	switch entry := text(v[4]); entry {
	case "":
	case "cli":
		s.Mode = Interactive
	case "sdk-cli":
		s.Mode = Headless
	default:
		s.Mode = ModeUnknown // a program, which may have a person at its window
	}
	s.Subagent = isTrue(v[5])
}

// user reads a record in the person's place: the person's words, the harness's, or the
// results of tools.
func (c claude) user(t Turn, line, content []byte) {
	v, _ := pick(line, "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "promptSource", "origin", "toolUseResult")
	elements(content, func(part []byte) {
		p, _ := pick(part, "type", "tool_use_id", "is_error", "content")
		if is(p[0], "tool_result") {
			result := t
			result.By, result.Call = Tool, claudeResult(text(p[1]), isTrue(p[2]), p[3])
			if isTrue(at(v[5], "interrupted")) {
				result.Call.Status = Stopped
			}
			c.emit(result)
		}
	})
	if t.Text = texts(content); strings.TrimSpace(t.Text) == "" {
		return
	}
	source, origin := text(v[3]), text(at(v[4], "kind"))
	switch {
	case isTrue(v[0]), isTrue(v[1]), isTrue(v[2]), c.session.Subagent, origin != "" && origin != "human", source == "" && claudeHarness(t.Text):
	default:
		t.By, t.Typed = Person, source == "typed" || origin == "human"
	}
	c.emit(t)
}

// claudeHarness tells, in a record without promptSource, the harness's text by its form.
// Versions before promptSource have no other sign.
func claudeHarness(s string) bool {
	s = strings.TrimSpace(s)
	return harnessTag(s) || strings.HasPrefix(s, "[Request interrupted") || strings.HasPrefix(s, "Caveat: The messages below") ||
		strings.HasPrefix(s, "This session is being continued from a previous conversation")
}

// claudeResult reads a tool's result. Claude Code writes the exit status before the output of a
// command that failed.
func claudeResult(id string, failed bool, content []byte) *Call {
	call := &Call{ID: id, Status: Passed, Exit: -1}
	if !failed {
		return call
	}
	call.Status = Failed
	if n, ok := numberAfter(head(content, 50), "Exit code "); ok {
		call.Exit = n
		return call
	}
	for _, phrase := range []string{"The user doesn't want to", "[Request interrupted", "requires approval", "requested permissions", "Permission to use", "hook error"} {
		if bytes.Contains(head(content, 400), []byte(phrase)) {
			call.Status = Stopped
		}
	}
	return call
}

// assistant reads a record of the model: one block of its answer.
func (c claude) assistant(t Turn, message []byte) {
	elements(at(message, "content"), func(block []byte) {
		v, _ := pick(block, "type", "text", "id", "name", "input")
		turn := t
		switch {
		case is(v[0], "text"):
			if turn.By, turn.Text = Assistant, text(v[1]); turn.Text != "" {
				c.emit(turn)
			}
		case is(v[0], "tool_use"):
			turn.By, turn.Call = Tool, newCall(text(v[2]), text(v[3]), v[4])
			c.emit(turn)
		}
	})
}

// attachment reads what the harness attached to a prompt. A prompt that the person typed
// while the agent was busy comes as an attachment, too.
func (c claude) attachment(t Turn, attachment []byte) {
	v, _ := pick(attachment, "type", "content", "stdout", "prompt", "commandMode", "origin", "promptSource")
	switch kind := text(v[0]); kind {
	case "hook_additional_context", "hook_system_message":
		t.Text = texts(v[1])
	case "hook_success":
		t.Text = text(v[2])
	case "queued_command":
		t.Text = texts(v[3])
		if is(v[4], "prompt") && !c.session.Subagent && !claudeHarness(t.Text) {
			t.By, t.Typed = Person, is(v[6], "typed") || is(at(v[5], "kind"), "human")
		}
	}
	if t.Text != "" {
		c.emit(t)
	}
}
