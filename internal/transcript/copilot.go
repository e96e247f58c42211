package transcript

import "bytes"

// copilot reads Copilot CLI's events.
type copilot struct{ *Reader }

func (c copilot) decode(line []byte) bool {
	v, ok := pick(line, "type", "data", "id", "timestamp")
	if !ok {
		return false
	}
	t := Turn{ID: text(v[2]), Time: stamp(v[3])}
	switch text(v[0]) {
	case "session.start", "session.resume":
		d, _ := pick(v[1], "sessionId", "startTime", "context")
		if id := text(d[0]); id != "" {
			c.session.ID, c.session.Start = id, stamp(d[1])
		}
		c.session.Folder, c.session.Mode = text(at(d[2], "cwd")), ModeUnknown
	case "system.message":
		if bytes.Contains(v[1], []byte("running in non-interactive mode")) {
			c.session.Mode = Headless
		}
	case "user.message":
		// transformedContent is the same with the harness's words around it.
		d, _ := pick(v[1], "content", "source", "interactionId")
		t.Text, t.Prompt = text(d[0]), text(d[2])
		if source := text(d[1]); (source == "" || source == "user") && !harnessTag(t.Text) {
			t.By = Person
		}
		c.say(t)
	case "assistant.message":
		t.By, t.Text, t.Prompt = Assistant, text(at(v[1], "content")), text(at(v[1], "interactionId"))
		c.say(t)
	case "tool.execution_start":
		d, _ := pick(v[1], "toolCallId", "toolName", "arguments")
		t.By, t.Call = Tool, newCall(text(d[0]), text(d[1]), d[2])
		c.emit(t)
	case "tool.execution_complete":
		d, _ := pick(v[1], "toolCallId", "success", "result", "error")
		t.By, t.Call = Tool, &Call{ID: text(d[0]), Exit: -1}
		n, ok := numberAfter(tail(at(d[2], "content"), 60), "<exited with exit code ")
		switch t.Call.end(nil, isTrue(d[1])); {
		case ok:
			t.Call.Exit = n
			if n != 0 {
				t.Call.Status = Failed
			}
		case is(at(d[3], "code"), "denied"), is(at(d[3], "code"), "rejected"):
			t.Call.Status = Stopped
		}
		c.emit(t)
	}
	return true
}

func (c copilot) say(t Turn) {
	if t.Text != "" {
		c.emit(t)
	}
}
