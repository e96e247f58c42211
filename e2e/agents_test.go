//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The agents, at the versions that docs/agents.md says they were tried in.
const (
	claudePackage = "@anthropic-ai/claude-code@2.1.197"
	codexPackage  = "@openai/codex@0.169.0"
)

// scratch is a home folder and a repository with a memory, made for one test.
type scratch struct {
	t    *testing.T
	home string
	repo string
	env  []string
}

// fact is what the memory says, and what the agent's first request must hold.
const fact = "project.e2e: the magpie sits on the fourth fence post"

func newScratch(t *testing.T) *scratch {
	t.Helper()
	// Codex refuses to work below the system's folder for temporary files.
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(mkdir(t, base, "memctl-e2e"), "run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &scratch{t: t, home: mkdir(t, dir, "home"), repo: mkdir(t, dir, "repo")}
	bin := mkdir(t, dir, "bin")
	s.env = []string{
		"HOME=" + s.home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"XDG_DATA_HOME=" + filepath.Join(s.home, "data"), "XDG_CONFIG_HOME=" + filepath.Join(s.home, "config"),
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1",
	}
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "memctl"), "./cmd/memctl")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.run("git", "config", "--global", "user.name", "Ada")
	s.run("git", "config", "--global", "user.email", "ada@example.com")
	s.run("git", "init", "-q")
	s.run("memctl", "init", "-q")
	key, value, _ := strings.Cut(fact, ": ")
	s.run("memctl", "add", "-q", key, value)
	return s
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs a program in the repository and returns what it prints.
func (s *scratch) run(name string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if !filepath.IsAbs(name) {
		for _, e := range s.env {
			for _, dir := range filepath.SplitList(strings.TrimPrefix(e, "PATH=")) {
				if file := filepath.Join(dir, name); strings.HasPrefix(e, "PATH=") && !filepath.IsAbs(name) && isFile(file) {
					name = file
				}
			}
		}
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = s.repo, s.env
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// install fetches an agent from npm, once, and returns its program.
func install(t *testing.T, pkg, program string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := mkdir(t, cache, "memctl-e2e", strings.NewReplacer("/", "_", "@", "_").Replace(pkg))
	bin := filepath.Join(dir, "node_modules", ".bin", program)
	if runtime.GOOS == "windows" {
		bin += ".cmd"
	}
	if !isFile(bin) {
		c := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, pkg)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("npm install %s: %v\n%s", pkg, err, out)
		}
	}
	return bin
}

// checkFirst looks for the fact in the first request, where it must stand once.
func checkFirst(t *testing.T, requests []string, prompt string) {
	t.Helper()
	for _, body := range requests {
		if !strings.Contains(body, prompt) {
			continue // a request about something else, such as a title
		}
		if n := strings.Count(body, fact); n != 1 {
			t.Errorf("the first request holds the fact %d times\n%s", n, body)
		}
		return
	}
	t.Errorf("no request of %d holds the prompt", len(requests))
}

const prompt = "which bird sits where?"

func TestClaudeCode(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	bin := install(t, claudePackage, "claude")
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1")
	s.run("memctl", "hooks", "install", "claude")
	mcp := `{"mcpServers":{"memctl":{"command":"memctl","args":["mcp"]}}}`
	out := s.run(bin, "-p", prompt, "--mcp-config", mcp, "--strict-mcp-config")
	if !strings.Contains(out, reply) {
		t.Errorf("the agent says %q", out)
	}
	asked := m.requests("/messages")
	checkFirst(t, asked, prompt)
	checkTools(t, asked, "mcp__memctl__recall")
	checkRecord(s, "claude", "SessionStart", "Stop", "SessionEnd")
}

func TestCodex(t *testing.T) {
	s, m := newScratch(t), newModel(t)
	bin := install(t, codexPackage, "codex")
	config := "model = \"stand-in\"\nmodel_provider = \"local\"\n\n[model_providers.local]\nname = \"local\"\nbase_url = \"" + m.URL + "/v1\"\nwire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\n"
	file := filepath.Join(mkdir(t, s.home, ".codex"), "config.toml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "LOCAL_KEY=none")
	s.run("memctl", "hooks", "install", "codex")
	out := s.run(bin, "exec", "--dangerously-bypass-hook-trust", prompt)
	if !strings.Contains(out, reply) {
		t.Errorf("the agent says %q", out)
	}
	asked := m.requests("/responses")
	checkFirst(t, asked, prompt)
	checkTools(t, asked, "recall")
	checkRecord(s, "codex", "SessionStart", "Stop")
	s.run("memctl", "hooks", "uninstall", "codex")
	after, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(after), "memctl") || !strings.HasPrefix(string(after), config) {
		t.Errorf("Codex' settings after uninstalling (%v):\n%s", err, after)
	}
}

// checkTools looks for a tool of the MCP server in the requests.
func checkTools(t *testing.T, requests []string, tool string) {
	t.Helper()
	for _, body := range requests {
		if strings.Contains(body, `"`+tool+`"`) {
			return
		}
	}
	t.Errorf("the tool %s is in none of %d requests", tool, len(requests))
}

// checkRecord looks for the events in the record of sessions.
func checkRecord(s *scratch, agent string, events ...string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.repo, ".git", "memctl", "sessions.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, event := range events {
		if !strings.Contains(string(data), `"agent":"`+agent+`"`) || !strings.Contains(string(data), `"event":"`+event+`"`) {
			s.t.Errorf("%s is not recorded\n%s", event, data)
		}
	}
}
