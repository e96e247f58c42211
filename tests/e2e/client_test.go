//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// client is a coding agent at the version that docs/agents.md names, and how a test drives it.
type client struct {
	name, pkg, program string
	endpoint           string // part of the path of a request to the model
	// setup writes the agent's settings, so that it speaks to the stand-in.
	setup func(s *scratch, m *model)
	// first and again are the arguments of a new and of a resumed session.
	first, again func(prompt string) []string
	// typed are the arguments of a session in a terminal, after interactive has answered what
	// the client asks a person at its first start. ready is on the screen once it takes a
	// prompt; quit ends the session.
	typed       []string
	interactive func(s *scratch)
	ready, quit string
	// goodbye is on the screen once the session is over, of a client whose process does not always end then.
	goodbye string
	// compact makes the client compact the session that it began last; summarises is part of
	// the request in which it does.
	compact    func(r *trial)
	summarises string
	preCompact bool // it calls a hook of memctl's before that
	// shell and subagent are the tools that run a command and begin a subagent, as the model
	// calls them.
	shell    func(command string) play
	subagent []play
}

func clients() []client {
	return []client{claudeClient(), codexClient(), geminiClient(), openCodeClient(), copilotClient(), qwenClient()}
}

func claudeClient() client {
	return client{
		name: "claude", pkg: "@anthropic-ai/claude-code@2.1.332", program: "claude", endpoint: "/messages", setup: setupClaude,
		first: func(p string) []string { return []string{"-p", p, "--allowedTools", "Bash"} },
		again: func(p string) []string { return []string{"--continue", "-p", p, "--allowedTools", "Bash"} },
		typed: []string{"--permission-mode", "manual", "--allowedTools", "Bash"}, interactive: interactiveClaude, ready: "for shortcuts", quit: "/exit",
		compact: func(r *trial) { r.resume("/compact") }, summarises: "create a detailed summary of the conversation", preCompact: true,
		shell:    shell("Bash"),
		subagent: []play{{tool: "Agent", input: object{"description": "help", "prompt": errand, "subagent_type": "general-purpose"}}},
	}
}

func codexClient() client {
	flags := []string{"exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"}
	helper := regexp.MustCompile(`agent_id\\":\\"([0-9a-f-]+)`)
	return client{
		name: "codex", pkg: "@openai/codex@0.171.0", program: "codex", endpoint: "/responses", setup: setupCodex,
		first: func(p string) []string { return append(slices.Clip(flags), p) },
		again: func(p string) []string { return append(slices.Clip(flags), "resume", "--last", p) },
		typed: flags[1:], interactive: interactiveCodex, ready: "for shortcuts", quit: "/quit",
		compact: func(r *trial) { r.m.spend(codexFull); r.resume("a few more words") }, summarises: "CONTEXT CHECKPOINT COMPACTION",
		shell: func(command string) play { return play{tool: "exec_command", input: object{"cmd": command}} },
		subagent: []play{
			{tool: "multi_agent_v1.spawn_agent", input: object{"message": errand}},
			// Without this, codex exec ends before the subagent begins.
			{tool: "multi_agent_v1.wait_agent", inputOf: func(body string) object {
				id := helper.FindStringSubmatch(body)
				if id == nil {
					return object{}
				}
				return object{"targets": []string{id[1]}}
			}},
		},
	}
}

func geminiClient() client {
	flags := []string{"--model", "gemini-2.5-flash", "--yolo"}
	return client{
		name: "gemini", pkg: "@google/gemini-cli@0.61.0", program: "gemini", endpoint: "enerateContent", setup: setupGemini,
		first: func(p string) []string { return append(slices.Clip(flags), "-p", p) },
		again: func(p string) []string { return append(slices.Clip(flags), "--resume", "latest", "-p", p) },
		typed: flags, interactive: func(*scratch) {}, ready: "Type your message", quit: "/quit", goodbye: "Agent powering down",
		compact: func(r *trial) {
			r.edit(filepath.Join(r.home, ".gemini", "settings.json"), geminiRoom, "0.0001")
			r.resume("a few more words")
			r.edit(filepath.Join(r.home, ".gemini", "settings.json"), "0.0001", geminiRoom)
		}, summarises: "state_snapshot",
		shell:    shell("run_shell_command"),
		subagent: []play{{tool: "invoke_agent", input: object{"agent_name": "generalist", "prompt": errand}}},
	}
}

func openCodeClient() client {
	return client{
		name: "opencode", pkg: "opencode-ai@1.18.33", program: "opencode", endpoint: "/chat/completions", setup: setupOpenCode,
		first:   func(p string) []string { return []string{"run", p} },
		again:   func(p string) []string { return []string{"run", "--continue", p} },
		compact: func(r *trial) { r.m.spend(openCodeFull); r.resume("a few more words") }, summarises: "context summarization agent",
		shell:    shell("bash"),
		subagent: []play{{tool: "task", input: object{"description": "help", "prompt": errand, "subagent_type": "general"}}},
	}
}

func copilotClient() client {
	return client{
		name: "copilot", pkg: "@github/copilot@1.0.102", program: "copilot", endpoint: "/chat/completions", setup: setupCopilot,
		first: func(p string) []string { return []string{"--allow-all-tools", "-p", p} },
		again: func(p string) []string { return []string{"--allow-all-tools", "--continue", "-p", p} },
		typed: []string{"--allow-all-tools"}, interactive: interactiveCopilot, ready: "/ commands", quit: "/exit",
		compact: func(r *trial) { r.resume("/compact") }, summarises: "create a detailed summary of the conversation", preCompact: true,
		shell:    shell("bash"),
		subagent: []play{{tool: "task", input: object{"description": "help", "name": "helper", "prompt": errand, "agent_type": "general-purpose"}}},
	}
}

func qwenClient() client {
	return client{
		name: "qwen", pkg: "@qwen-code/qwen-code@0.24.4", program: "qwen", endpoint: "/chat/completions", setup: setupQwen,
		first: func(p string) []string { return []string{"--yolo", "-p", p} },
		again: func(p string) []string { return []string{"--yolo", "--continue", "-p", p} },
		shell: shell("run_shell_command"),
	}
}

// shell is a tool that takes a command and a description.
func shell(tool string) func(command string) play {
	return func(command string) play {
		return play{tool: tool, input: object{"command": command, "description": "run it"}}
	}
}

// The clients compact once the model says that a request had about this many tokens.
const (
	codexFull    = 260000
	openCodeFull = 99000
)

// geminiRoom is how much of the model's context Gemini CLI fills before it compacts.
const geminiRoom = "0.5"

func setupClaude(s *scratch, m *model) {
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1")
}

// interactiveClaude answers the questions about the theme, the key and the folder.
func interactiveClaude(s *scratch) {
	s.write(filepath.Join(s.home, ".claude.json"), `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["none"],"rejected":[]},"projects":{"`+s.repo+`":{"hasTrustDialogAccepted":true}}}`)
}

func setupCodex(s *scratch, m *model) {
	s.write(filepath.Join(s.home, ".codex", "config.toml"), "model = \"stand-in\"\nmodel_provider = \"local\"\n\n[model_providers.local]\nname = \"local\"\nbase_url = \""+m.URL+"/v1\"\nwire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\n")
	s.env = append(s.env, "LOCAL_KEY=none")
}

// interactiveCodex answers the question about the folder.
func interactiveCodex(s *scratch) {
	name := filepath.Join(s.home, ".codex", "config.toml")
	s.edit(name, "[model_providers.local]", "[projects.\""+s.repo+"\"]\ntrust_level = \"trusted\"\n\n[model_providers.local]")
	s.edit(name, "model = ", "check_for_update_on_startup = false\nmodel = ")
}

func setupGemini(s *scratch, m *model) {
	s.env = append(s.env, "GOOGLE_GEMINI_BASE_URL="+m.URL, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false")
	s.write(filepath.Join(s.home, ".gemini", "settings.json"), `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "model": {"compressionThreshold": `+geminiRoom+`}}`)
}

func setupOpenCode(s *scratch, m *model) {
	s.write(filepath.Join(s.home, "config", "opencode", "opencode.json"), `{"model":"local/stand-in","permission":"allow","provider":{"local":{"npm":"@ai-sdk/openai-compatible","name":"local","options":{"baseURL":"`+m.URL+`/v1","apiKey":"none"},"models":{"stand-in":{"name":"stand-in","limit":{"context":100000,"output":1000}}}}}}`)
	s.env = append(s.env, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
}

func setupCopilot(s *scratch, m *model) {
	s.env = append(s.env, "COPILOT_PROVIDER_BASE_URL="+m.URL+"/v1", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=stand-in", "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false")
}

func setupQwen(s *scratch, m *model) {
	s.write(filepath.Join(s.home, ".qwen", "settings.json"), `{"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "stand-in"}, "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false}}`)
	s.env = append(s.env, "OPENAI_BASE_URL="+m.URL+"/v1", "OPENAI_API_KEY=none", "OPENAI_MODEL=stand-in")
}

// interactiveCopilot answers the question about the folder.
func interactiveCopilot(s *scratch) {
	s.write(filepath.Join(s.home, ".copilot", "config.json"), `{"trusted_folders":["`+s.repo+`"],"trustedFolders":["`+s.repo+`"]}`)
}

// trial is one client at work in a scratch repository.
type trial struct {
	*scratch
	c   client
	m   *model
	bin string
	out string // what the client printed last
	// compactOut is what it printed as it compacted.
	compactOut string
}

func newTrial(t *testing.T, c client) *trial {
	t.Helper()
	r := unconnected(t, c)
	r.scratch.run("memctl", "hooks", "install", c.name)
	return r
}

// unconnected is a client without memctl's hooks.
func unconnected(t *testing.T, c client) *trial {
	t.Helper()
	r := &trial{scratch: newScratch(t), c: c, m: newModel(t), bin: install(t, c.program, c.pkg)}
	c.setup(r.scratch, r.m)
	return r
}

// eachTyped plays with each client that takes prompts in a terminal.
func eachTyped(t *testing.T, play func(r *trial)) {
	for _, c := range clients() {
		if c.typed == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			r := newTrial(t, c)
			c.interactive(r.scratch)
			play(r)
		})
	}
}

// in is the same client at work in another folder.
func (r *trial) in(folder string) *trial {
	other := *r
	s := *r.scratch
	s.repo, other.scratch = folder, &s
	return &other
}

// session plays a new session of one prompt, and returns its requests.
func (r *trial) session(prompt string) []request { return r.play(r.c.first(prompt)) }

// resume plays one more prompt of the last session, and returns the requests.
func (r *trial) resume(prompt string) []request { return r.play(r.c.again(prompt)) }

func (r *trial) play(args []string) []request {
	r.t.Helper()
	before := len(r.m.requests(r.c.endpoint))
	r.out = r.run(r.bin, args...)
	return r.m.requests(r.c.endpoint)[before:]
}

// answer makes the model answer a request that has the words with these tools, one after the
// other.
func (r *trial) answer(words string, tools ...play) {
	for i, p := range tools {
		p.words, p.after = words, i
		r.m.plays = append(r.m.plays, p)
	}
}

// record is what the hooks recorded of sessions here, event by event.
func (r *trial) record() (events []string) {
	r.t.Helper()
	for line := range strings.Lines(r.run("cat", filepath.Join(strings.TrimSpace(r.run("git", "rev-parse", "--git-dir")), "memctl", "sessions.jsonl"))) {
		var rec struct{ Agent, Event string }
		if json.Unmarshal([]byte(line), &rec) == nil && rec.Agent == r.c.name {
			events = append(events, rec.Event)
		}
	}
	return events
}

// checkRecord looks for events in the record of sessions.
func (r *trial) checkRecord(events ...string) {
	r.t.Helper()
	record := r.record()
	for _, event := range events {
		if !slices.Contains(record, event) {
			r.t.Errorf("%s is not among the recorded events: %s", event, record)
		}
	}
}
