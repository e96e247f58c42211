//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	geminiPackage   = "@google/gemini-cli@0.61.0"
	openCodePackage = "opencode-ai@1.18.33"
	copilotPackage  = "@github/copilot@1.0.102"
)

func TestGemini(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	bin := install(t, geminiPackage, "gemini")
	s.env = append(s.env, "GOOGLE_GEMINI_BASE_URL="+m.URL, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false")
	file := filepath.Join(mkdir(t, s.home, ".gemini"), "settings.json")
	if err := os.WriteFile(file, []byte(`{"security": {"auth": {"selectedType": "gemini-api-key"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("memctl", "hooks", "install", "gemini")
	out := s.run(bin, "--model", "gemini-2.5-flash", "-p", prompt)
	if !strings.Contains(out, reply) {
		t.Errorf("the agent says %q", out)
	}
	checkFirst(t, m.requests("enerateContent"), prompt)
	checkRecord(s, "gemini", "SessionStart", "Stop", "SessionEnd")
}

func TestOpenCode(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	bin := install(t, openCodePackage, "opencode")
	config := `{"model":"local/stand-in","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"` + m.URL + `/v1","apiKey":"none"},"models":{"stand-in":{"name":"stand-in"}}}}}`
	if err := os.WriteFile(filepath.Join(s.repo, "opencode.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "OPENCODE_DISABLE_AUTOUPDATE=1")
	s.run("memctl", "hooks", "install", "opencode")
	out := s.run(bin, "run", prompt)
	if !strings.Contains(out, reply) {
		t.Errorf("the agent says %q", out)
	}
	checkFirst(t, m.requests("/chat/completions"), prompt)
	checkRecord(s, "opencode", "SessionStart")
}

func TestCopilot(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	bin := install(t, copilotPackage, "copilot")
	s.env = append(s.env, "COPILOT_PROVIDER_BASE_URL="+m.URL+"/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=stand-in", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false")
	s.run("memctl", "hooks", "install", "copilot")
	out := s.run(bin, "-p", prompt)
	if !strings.Contains(out, reply) {
		t.Errorf("the agent says %q", out)
	}
	checkFirst(t, m.requests("/chat/completions"), prompt)
	checkRecord(s, "copilot", "SessionStart", "Stop", "SessionEnd")
}
