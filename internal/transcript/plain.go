package transcript

// plain reads JSON lines of turns: {"role","content"} or {"role","text"}, and if they are
// known "timestamp", "session", "cwd" and "id".
type plain struct{ *Reader }

func (p plain) decode(line []byte) bool {
	v, ok := pick(line, "role", "content", "text", "timestamp", "session", "session_id", "cwd", "id")
	if !ok || v[0] == nil {
		return false
	}
	for _, id := range v[4:6] {
		if id := text(id); id != "" {
			p.session.ID = id
		}
	}
	if folder := text(v[6]); folder != "" {
		p.session.Folder = folder
	}
	t := Turn{ID: text(v[7]), Time: stamp(v[3]), Text: texts(v[1])}
	if t.Text == "" {
		t.Text = text(v[2])
	}
	switch text(v[0]) {
	case "user", "human", "person":
		if !harnessTag(t.Text) {
			t.By = Person
		}
	case "assistant", "ai", "model":
		t.By = Assistant
	case "tool", "function":
		t.By, t.Text, t.Call = Tool, "", &Call{Exit: -1, Status: Passed}
	}
	if t.Text != "" || t.Call != nil {
		p.emit(t)
	}
	return true
}
