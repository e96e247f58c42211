package transcript

import (
	"bytes"
	"strings"
)

// claudeUser reads a record in the person's place: the person's words or the harness's.
func claudeUser(r *Reader, n *node, t *Turn) bool {
	source, origin := text(n.get("promptSource")), text(n.get("origin.kind"))
	switch {
	case n.fits("isMeta=true"), n.fits("isCompactSummary=true"), n.fits("isVisibleInTranscriptOnly=true"), r.session.Subagent, origin != "" && origin != "human", source == "" && claudeHarness(t.Text):
	default:
		t.By, t.Typed = Person, source == "typed" || origin == "human"
	}
	return true
}

// claudeHarness tells, in a record without promptSource, the harness's text by its form.
// Versions before promptSource have no other sign.
func claudeHarness(s string) bool {
	s = strings.TrimSpace(s)
	return harnessTag(s) || strings.HasPrefix(s, "[Request interrupted") || strings.HasPrefix(s, "Caveat: The messages below") ||
		strings.HasPrefix(s, "This session is being continued from a previous conversation")
}

// claudeQueued reads a prompt that the person typed while the agent was busy.
func claudeQueued(r *Reader, n *node, t *Turn) bool {
	if n.fits("attachment.commandMode=prompt") && !r.session.Subagent && !claudeHarness(t.Text) {
		t.By, t.Typed = Person, n.fits("attachment.promptSource=typed") || n.fits("attachment.origin.kind=human")
	}
	return true
}

// claudeResult reads a tool's result. Claude Code writes the exit status before the output of a
// command that failed.
func claudeResult(r *Reader, n *node, t *Turn) bool {
	call, content := t.Call, n.get("content")
	call.Status = Passed
	if n.fits("is_error=true") {
		call.Status = Failed
		exit, ok := numberAfter(head(content, 50), "Exit code ")
		if ok {
			call.Exit = exit
		}
		for _, phrase := range []string{"The user doesn't want to", "[Request interrupted", "requires approval", "requested permissions", "Permission to use", "hook error"} {
			if !ok && bytes.Contains(head(content, 400), []byte(phrase)) {
				call.Status = Stopped
			}
		}
	}
	if r.top.fits("toolUseResult.interrupted=true") {
		call.Status = Stopped
	}
	return true
}

// codexSession takes the session's facts from its first record. A fork repeats the record of
// the session that it came from.
func codexSession(r *Reader, n *node, _ *Turn) bool {
	s := &r.session
	if s.ID != "" {
		return false
	}
	r.describe(&facts{id: "payload.id|payload.session_id", folder: "payload.cwd", start: "payload.timestamp"}, n)
	s.Subagent = n.fits("payload.thread_source=subagent") || n.get("payload.source.subagent") != nil
	switch {
	case n.fits("payload.source=exec|mcp"), n.fits("payload.originator=codex_exec"):
		s.Mode = Headless
	case n.fits("payload.source=cli"), n.fits("payload.originator=codex-tui"): // its TUI says "vscode" as the source since 0.171
		s.Mode = Interactive
	}
	return false
}

func headless(r *Reader, _ *node, _ *Turn) bool {
	r.session.Mode = Headless
	return false
}

// codexTyped reads an event of a message that the client counts as the person's.
func codexTyped(r *Reader, n *node, t *Turn) bool {
	if kind := n.get("payload.kind"); kind != nil && !isString(kind, "plain") {
		t.By = Harness
	}
	t.Typed = t.By == Person && r.session.Mode == Interactive
	return true
}

// codexMessage reads an item that is a message. content_item_kinds, where the version has them, say of each part of the content
// where it came from.
func codexMessage(r *Reader, n *node, t *Turn) bool {
	var parts, own []string
	elements(n.get("payload.content"), func(part []byte) { parts = append(parts, text(at(part, "text"))) })
	kinds, i := n.get("payload.internal_chat_message_metadata_passthrough.content_item_kinds"), 0
	elements(kinds, func(kind []byte) {
		if i < len(parts) && isString(kind, "user.text") {
			own = append(own, parts[i])
		}
		i++
	})
	if kinds == nil {
		own = parts
	}
	t.Text = strings.Join(parts, "\n")
	if n.fits("payload.role=user") && len(own) > 0 {
		if t.Text = strings.Join(own, "\n"); !r.session.Subagent && !harnessTag(t.Text) {
			t.By = Person // the event proves that it was typed
		}
	}
	return true
}

func codexCall(_ *Reader, n *node, t *Turn) bool {
	input := text(n.get("payload.arguments|payload.input"))
	t.Call = newCall(t.Call.ID, t.Call.Tool, []byte(input))
	if n.get("payload.action") != nil {
		t.Call.Command = commandLine(n.get("payload.action.command"))
	}
	t.Call.Files = append(t.Call.Files, patched(input)...)
	return true
}

// codexOutput reads a tool's output. The exit status of a command is in front of its output,
// in older versions in an object behind it.
func codexOutput(_ *Reader, n *node, t *Turn) bool {
	output := n.get("payload.output")
	first := head(output, 250)
	exit, ok := numberAfter(first, "Process exited with code ")
	if bytes.HasPrefix(output, []byte(`"{\"`)) {
		exit, ok = numberAfter(tail(output, 120), `exit_code\":`)
	} else if !ok {
		exit, ok = numberAfter(head(output, 30), "Exit code: ")
	}
	t.Call.Status = Passed
	if !t.Call.exited(exit, ok) && (bytes.Contains(first, []byte("rejected by user")) || bytes.HasPrefix(first, []byte(`"aborted by user`))) {
		t.Call.Status = Stopped
	}
	return true
}

// exited sets the exit status, if it is known.
func (c *Call) exited(exit int, known bool) bool {
	if known {
		c.Exit, c.Status = exit, Passed
		if exit != 0 {
			c.Status = Failed
		}
	}
	return known
}

// holdTwin holds a message until the next turn, or joins it with the same message that is held.
func holdTwin(r *Reader, s *shape, t Turn) {
	t = r.complete(t)
	twin := t.Call == nil && len(r.held) > 0 && r.heldEvent != s.shown && r.held[0].By == t.By && strings.TrimSpace(r.held[0].Text) == strings.TrimSpace(t.Text)
	if twin {
		first := r.held[0]
		if !s.shown {
			t.Text, t.Typed = first.Text, first.Typed
		}
		if t.Prompt == "" {
			t.Prompt = first.Prompt
		}
		t.Start, t.Time = first.Start, first.Time
		r.held = nil
	}
	r.release()
	if twin || t.Call != nil {
		r.queue = append(r.queue, t)
		return
	}
	r.held, r.heldEvent = []Turn{t}, s.shown
}

// geminiMessage begins a message, of which the last version counts.
func geminiMessage(r *Reader, _ *node, t *Turn) bool {
	r.heldStart = r.record.start
	if len(r.held) > 0 && t.ID != "" && t.ID == r.heldID {
		r.heldStart = r.held[0].Start
		r.held = nil
	}
	r.release()
	r.heldID, r.begun = t.ID, true
	return true
}

// holdMessage holds a turn until another message begins.
func holdMessage(r *Reader, _ *shape, t Turn) {
	t = r.complete(t)
	t.Start = r.heldStart
	r.held = append(r.held, t)
}

// geminiPatch reads a patch of the list of messages. Only the first list of a file has messages of its own.
func geminiPatch(r *Reader, n *node, _ *Turn) bool {
	if !r.begun {
		elements(n.get("$set.messages"), func(message []byte) {
			n := &node{raw: message}
			r.readAs(r.layout.shapes, n, r.layout.turn(n))
		})
	}
	return false
}

// geminiEnd sets how a call ended. A shell command that fails is a success of the tool.
func geminiEnd(_ *Reader, n *node, t *Turn) bool {
	c := t.Call
	switch text(n.get("status")) {
	case "success":
		c.Status = Passed
	case "error":
		c.Status = Failed
	case "cancelled":
		c.Status = Stopped
	}
	if exit, ok := numberAfter(n.get("result"), "Exit Code: "); ok && c.Command != "" && c.Status == Passed {
		c.exited(exit, true)
	}
	return true
}

// cutHookContext removes the context that hooks put in front of the person's words.
func cutHookContext(s string) string {
	if rest, ok := strings.CutPrefix(s, "<hook_context>"); ok {
		if _, own, closed := strings.Cut(rest, "</hook_context>"); closed && strings.TrimSpace(own) != "" {
			return strings.TrimLeft(own, "\r\n")
		}
	}
	return s
}

// copilotBegins tells from the system's message whether a person is there.
func copilotBegins(r *Reader, n *node, _ *Turn) bool {
	if !n.fits("type=system.message") {
		r.session.Mode = ModeUnknown
	} else if bytes.Contains(n.get("data"), []byte("running in non-interactive mode")) {
		r.session.Mode = Headless
	}
	return false
}

func copilotUser(_ *Reader, n *node, t *Turn) bool {
	if source := text(n.get("data.source")); source != "" && source != "user" {
		t.By = Harness
	}
	return true
}

func copilotEnd(_ *Reader, n *node, t *Turn) bool {
	exit, ok := numberAfter(tail(n.get("data.result.content"), 60), "<exited with exit code ")
	t.Call.exited(exit, ok)
	return true
}
