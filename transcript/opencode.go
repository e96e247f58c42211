package transcript

import "strings"

// openCode reads what `opencode export` prints: one document with the session's facts and a
// list of messages with their parts.
type openCode struct{ *Reader }

func (openCode) waiting() int64 { return -1 }
func (openCode) finish()        {}

func (o openCode) decode(data []byte) bool {
	v, ok := pick(data, "info", "parts", "messages")
	if !ok {
		return false
	}
	if v[2] != nil {
		o.describe(v[0])
		return true
	}
	info, _ := pick(v[0], "id", "role", "time", "path")
	if folder := text(at(info[3], "cwd")); folder != "" {
		o.session.Folder = folder
	}
	t := Turn{Prompt: text(info[0]), Time: stamp(at(info[2], "created"))}
	elements(v[1], func(part []byte) { o.part(t, text(info[1]), part) })
	return true
}

// describe takes the session's facts. Sessions with a parent are those of subagents.
func (r *Reader) describe(info []byte) {
	v, _ := pick(info, "id", "parentID", "parent_id", "directory", "time", "time_created")
	s := &r.session
	s.ID, s.Folder = text(v[0]), text(v[3])
	s.Subagent = text(v[1]) != "" || text(v[2]) != ""
	if s.Start = stamp(v[5]); s.Start.IsZero() {
		s.Start = stamp(at(v[4], "created"))
	}
}

// part reads a part of a message.
func (r *Reader) part(t Turn, role string, part []byte) {
	v, _ := pick(part, "type", "id", "text", "synthetic", "tool", "callID", "state", "files")
	if id := text(v[1]); id != "" {
		t.ID = id
	}
	switch {
	case is(v[0], "text"):
		t.Text = text(v[2])
		switch {
		case role == "assistant":
			t.By = Assistant
		case role == "user" && !isTrue(v[3]) && !r.session.Subagent && !harnessTag(t.Text):
			t.By, t.Text = Person, unquoted(t.Text)
		}
		if t.Text != "" {
			r.emit(t)
		}
	case is(v[0], "tool"):
		s, _ := pick(v[6], "status", "input", "metadata")
		t.By, t.Call = Tool, newCall(text(v[5]), text(v[4]), s[1])
		switch text(s[0]) {
		case "completed":
			t.Call.end(at(s[2], "exit"), true)
		case "error":
			t.Call.end(at(s[2], "exit"), false)
		}
		r.emit(t)
	case is(v[0], "patch"):
		t.By, t.Call = Tool, &Call{ID: t.ID, Tool: "patch", Status: Passed, Exit: -1}
		elements(v[7], func(file []byte) { t.Call.Files = append(t.Call.Files, text(file)) })
		r.emit(t)
	}
}

// unquoted removes the quotes that `opencode run` puts around the prompt.
func unquoted(s string) string {
	if len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' && !strings.Contains(s[1:len(s)-1], `"`) {
		return s[1 : len(s)-1]
	}
	return s
}

// openCodeRows reads rows of OpenCode's database as JSON lines, {"table","row"}, messages
// before their parts. Only the message says who wrote a part, so a reading that goes on from
// an offset knows only the messages after it.
type openCodeRows struct {
	*Reader
	roles     map[string]string // by message
	subagents map[string]bool   // by session
}

func (*openCodeRows) waiting() int64 { return -1 }
func (*openCodeRows) finish()        {}

func (o *openCodeRows) decode(line []byte) bool {
	v, ok := pick(line, "table", "row")
	if !ok {
		return false
	}
	row, _ := pick(v[1], "id", "session_id", "message_id", "time_created", "data")
	switch text(v[0]) {
	case "session":
		o.describe(v[1])
		o.subagents[o.session.ID] = o.session.Subagent
	case "message":
		o.roles[text(row[0])] = text(at(row[4], "role"))
	case "part":
		o.session.ID = text(row[1])
		o.session.Subagent = o.subagents[o.session.ID]
		o.part(Turn{ID: text(row[0]), Prompt: text(row[2]), Time: stamp(row[3])}, o.roles[text(row[2])], row[4])
	}
	return true
}
