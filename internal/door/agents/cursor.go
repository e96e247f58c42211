package agents

import (
	"path/filepath"

	"github.com/memctl/memctl/memory/reading/briefing"
)

// cursor is Cursor. Built from its documentation.
type cursor struct{}

func (cursor) Name() string  { return "cursor" }
func (cursor) Title() string { return "Cursor" }

func (cursor) Settings(m Machine) string { return m.settingsFolder("", ".cursor") }

func (c cursor) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, c.Settings(m), []string{"hooks.json"}, []string{".cursor", "hooks.json"})
	if err != nil {
		return nil, err
	}
	h := grouped(c.Name(), scope, "sessionStart", "preCompact", "stop", "sessionEnd")
	h.nested, h.typed, h.version = false, false, true
	return withServer([]File{{Path: path, What: "hooks", Mode: mode, Editor: h}}, scope, filepath.Join(filepath.Dir(path), "mcp.json"), stdioServer()), nil
}

func (c cursor) Servers(m Machine) []File {
	return servers(stdioServer(), c.Settings(m), "mcp.json", m.Root, ".cursor/mcp.json")
}

func (cursor) Remark(string) string { return "" }

func (cursor) Event(own string) string {
	switch own {
	case "sessionStart":
		return briefing.EventSessionStart
	case "preCompact":
		return EventPreCompact
	case "stop":
		return EventStop
	case "sessionEnd":
		return EventSessionEnd
	}
	return ""
}

// Answer: Cursor takes context at the start of a session alone.
func (cursor) Answer(own, text string) any {
	if own != "sessionStart" {
		return nil
	}
	return struct {
		Context string `json:"additional_context"`
	}{text}
}
