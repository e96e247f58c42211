package transcript

import "strings"

// gemini reads Gemini CLI's JSON lines. A message is written again whenever something is added to it, so it is held until
// another one comes.
type gemini struct {
	*Reader
	id    string // of the message that is held
	begun bool   // a message was read before
}

func (g *gemini) decode(data []byte) bool {
	v, ok := pick(data, "sessionId", "startTime", "kind", "$set", "type")
	if !ok {
		return false
	}
	switch {
	case v[4] != nil:
		g.message(data)
	case v[3] != nil:
		// A patch of the list repeats what was written before, or, after a compaction, what
		// is left of it. Only the first list of a file has messages of its own.
		if !g.begun {
			elements(at(v[3], "messages"), g.message)
		}
	case v[0] != nil:
		g.session.ID, g.session.Subagent = text(v[0]), is(v[2], "subagent")
		g.session.Start = stamp(v[1])
	}
	return true
}

// message reads one message with its tool calls.
func (g *gemini) message(data []byte) {
	v, _ := pick(data, "id", "timestamp", "type", "content", "toolCalls")
	t := Turn{ID: text(v[0]), Time: stamp(v[1]), Text: texts(v[3])}
	start := g.record.start
	if len(g.held) > 0 && t.ID != "" && t.ID == g.id {
		start = g.held[0].Start // the same message again: the last one counts
		g.held = nil
	}
	g.release()
	g.id, g.begun = t.ID, true
	hold := func(t Turn) {
		t = g.complete(t)
		t.Start = start
		g.held = append(g.held, t)
	}
	switch {
	case is(v[2], "gemini"):
		t.By = Assistant
	case is(v[2], "user"):
		if t.Text = cutHookContext(t.Text); !g.session.Subagent && !harnessTag(t.Text) {
			t.By = Person
		}
	default:
		return // what the client tells the person
	}
	if strings.TrimSpace(t.Text) != "" {
		hold(t)
	}
	elements(v[4], func(call []byte) {
		c, _ := pick(call, "id", "name", "args", "status", "result")
		turn := Turn{By: Tool, ID: t.ID, Time: t.Time, Call: newCall(text(c[0]), text(c[1]), c[2])}
		turn.Call.endGemini(text(c[3]), c[4])
		hold(turn)
	})
}

// endGemini sets how a call ended. A shell command that fails is a success of the tool.
func (c *Call) endGemini(status string, result []byte) {
	switch status {
	case "success":
		c.Status = Passed
	case "error":
		c.Status = Failed
	case "cancelled":
		c.Status = Stopped
	}
	if n, ok := numberAfter(result, "Exit Code: "); ok && c.Command != "" && c.Status == Passed {
		if c.Exit = n; n != 0 {
			c.Status = Failed
		}
	}
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
