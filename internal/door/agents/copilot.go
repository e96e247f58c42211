package agents

import (
	"path/filepath"

	"github.com/memctl/memctl/internal/jsontext"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// copilot is the GitHub Copilot CLI. Tried with 1.0.102. Its input
// does not say which event it is, so the command does.
type copilot struct{}

// Its events at a person's prompt and before a tool runs.
const (
	copilotPrompt  = "userPromptSubmitted"
	copilotPreTool = "preToolUse"
)

func (copilot) Name() string  { return "copilot" }
func (copilot) Title() string { return "Copilot CLI" }

func (copilot) Settings(m Machine) string { return m.settingsFolder("COPILOT_HOME", ".copilot") }

func (c copilot) Files(m Machine, scope string) ([]File, error) {
	path, mode, err := place(m, scope, c.Settings(m), []string{"hooks", "memctl.json"}, []string{".github", "hooks", "memctl.json"})
	if err != nil {
		return nil, err
	}
	h := hookSettings{
		agent: c.Name(), scope: scope, named: true,
		events:   []string{"sessionStart", copilotPrompt, "subagentStart", "preCompact", "agentStop", "sessionEnd", copilotPreTool},
		matchers: map[string]string{copilotPreTool: "bash|create|edit"},
		version:  true, typed: true, field: "bash", timeout: limit("timeoutSec", "5"),
	}
	return withServer([]File{{Path: path, What: "hooks", Mode: mode, Editor: h}}, scope, filepath.Join(c.Settings(m), "mcp-config.json"), copilotServer()), nil
}

func copilotServer() jsonServer {
	return stdioServer(
		jsontext.Member{Name: "type", Value: jsontext.Item{Raw: `"local"`}},
		jsontext.Member{Name: "tools", Value: jsontext.Item{Items: []jsontext.Item{{Raw: `"*"`}}}},
	)
}

func (c copilot) Servers(m Machine) []File {
	return servers(copilotServer(), c.Settings(m), "mcp-config.json", "", "")
}

func (copilot) Remark(string) string {
	return "Copilot CLI 1.0.8 and older run this hook and ignore its answer; update it"
}

func (copilot) Event(own string) string {
	switch own {
	case "sessionStart":
		return briefing.EventSessionStart
	case copilotPrompt:
		return briefing.EventPrompt
	case "subagentStart":
		return briefing.EventSubagentStart
	case copilotPreTool:
		return briefing.EventPreTool
	case "preCompact":
		return EventPreCompact
	case "agentStop":
		return EventStop
	case "sessionEnd":
		return EventSessionEnd
	}
	return ""
}

func (copilot) Answer(own, text string) any {
	switch own {
	case "sessionStart", copilotPrompt, "subagentStart", copilotPreTool:
	default:
		return nil
	}
	return struct {
		Context string `json:"additionalContext"`
	}{text}
}
