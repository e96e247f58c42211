package agents

import "path/filepath"

// windsurf is Windsurf. Its hooks can stop an action and hand in no text, so
// it gets instructions. Built from its documentation.
type windsurf struct{}

func (windsurf) Name() string  { return "windsurf" }
func (windsurf) Title() string { return "Windsurf" }

func (windsurf) Settings(m Machine) string { return m.settingsFolder("", ".codeium", "windsurf") }

func (w windsurf) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, w.Settings(m), []string{"memories", "global_rules.md"}, []string{"AGENTS.md"})
	if err != nil {
		return nil, err
	}
	files := []File{{Path: path, What: "instructions", Mode: mode, Editor: marked{instructions()}}}
	return withServer(files, scope, filepath.Join(w.Settings(m), "mcp_config.json"), stdioServer()), nil
}

func (w windsurf) Servers(m Machine) []File {
	return servers(stdioServer(), w.Settings(m), "mcp_config.json", "", "")
}

func (windsurf) Remark(string) string { return "" }

func (windsurf) Event(string) string { return "" }

func (windsurf) Answer(string, string) any { return nil }
