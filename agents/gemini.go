package agents

import "github.com/memctl/memctl/memory"

// gemini is the Gemini CLI. Tried with 0.61.0. Its hooks have the form of Claude
// Code's, and other names for some events.
type gemini struct{}

func (gemini) Name() string  { return "gemini" }
func (gemini) Title() string { return "Gemini CLI" }

func (gemini) Settings(m Machine) string { return m.settingsFolder("", ".gemini") }

func (g gemini) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, g.Settings(m), []string{"settings.json"}, []string{".gemini", "settings.json"})
	if err != nil {
		return nil, err
	}
	hooks := grouped(g.Name(), scope, memory.EventSessionStart, "BeforeAgent", "PreCompress", "AfterAgent", EventSessionEnd)
	if scope == ForUser {
		return []File{{Path: path, What: "hooks, mcp server", Mode: mode, Editor: both{hooks, stdioServer()}}}, nil
	}
	return []File{{Path: path, What: "hooks", Mode: mode, Editor: hooks}}, nil
}

func (g gemini) Servers(m Machine) []File {
	return servers(stdioServer(), g.Settings(m), "settings.json", m.Root, ".gemini/settings.json")
}

func (gemini) Remark(string) string { return "" }

func (gemini) Event(own string) string {
	switch own {
	case "BeforeAgent":
		return memory.EventPrompt
	case "PreCompress":
		return "" // it comes before every request of the model, compaction or not
	case "AfterAgent":
		return EventStop
	}
	return known(own)
}

func (gemini) Answer(own, text string) any { return contextAnswer(own, text) }
