//go:build e2e

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pushing is the command that the stand-in's model runs, once in a session.
const pushing = "git -C . push --dry-run nowhere"

// atPush is what the memory says of it.
const atPush = "git.push: ask before pushing"

// newPusher is a model that answers the first request of a conversation by running
// pushing, and the next by saying its reply.
func newPusher(t *testing.T) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		if !strings.Contains(text, prompt) || strings.Contains(text, "function_call_output") || strings.Contains(text, `"tool_result"`) {
			r.Body = io.NopCloser(strings.NewReader(text))
			m.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.HasSuffix(r.URL.Path, "/messages"):
			input, _ := json.Marshal(map[string]string{"command": pushing, "description": "push"})
			message := map[string]any{"id": "msg_0", "type": "message", "role": "assistant", "model": "stand-in", "stop_sequence": nil, "stop_reason": nil,
				"content": []any{}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}
			events(w, []map[string]any{
				{"type": "message_start", "message": message},
				{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{}}},
				{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "input_json_delta", "partial_json": string(input)}},
				{"type": "content_block_stop", "index": 0},
				{"type": "message_delta", "delta": map[string]any{"stop_reason": "tool_use", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
				{"type": "message_stop"},
			})
		case strings.HasSuffix(r.URL.Path, "/responses"):
			args, _ := json.Marshal(map[string]string{"cmd": pushing})
			item := map[string]any{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command", "arguments": string(args), "status": "completed"}
			events(w, []map[string]any{
				{"type": "response.created", "response": map[string]any{"id": "resp_0"}},
				{"type": "response.output_item.done", "output_index": 0, "item": item},
				{"type": "response.completed", "response": map[string]any{"id": "resp_0", "object": "response", "status": "completed", "output": []any{item},
					"usage": map[string]any{"input_tokens": 1, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 1,
						"output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 2}}},
			})
		default:
			r.Body = io.NopCloser(strings.NewReader(text))
			m.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// checkPush looks for the memory in the request that follows the command, once more than in
// the one before.
func checkPush(t *testing.T, requests []string) {
	t.Helper()
	for _, body := range requests {
		if strings.Contains(body, "function_call_output") || strings.Contains(body, `"tool_result"`) {
			if !strings.Contains(body, "fatal: ") {
				t.Errorf("the command did not run\n%s", body)
			}
			if n := strings.Count(body, "From memory, about this action"); n != 1 || !strings.Contains(body, atPush) {
				t.Errorf("the request after the command holds the memory %d times\n%s", n, body)
			}
			return
		}
	}
	t.Errorf("no request of %d follows the command", len(requests))
}

func TestClaudeCodeBeforeATool(t *testing.T) {
	s, m := newScratch(t), newPusher(t)
	bin := install(t, claudePackage, "claude")
	s.env = append(s.env, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1")
	s.run("memctl", "hooks", "install", "claude")
	s.run("memctl", "add", "-q", "git.push", "ask before pushing", "--command", "git push*", "--ask")
	s.run(bin, "-p", prompt, "--allowedTools", "Bash(git:*)") // headless: context, and the command runs
	checkPush(t, m.requests("/messages"))
	checkRecord(s, "claude", "PreToolUse")
}

func TestCodexBeforeATool(t *testing.T) {
	s, m := newScratch(t), newPusher(t)
	bin := install(t, codexPackage, "codex")
	config := "model = \"stand-in\"\nmodel_provider = \"local\"\n\n[model_providers.local]\nname = \"local\"\nbase_url = \"" + m.URL + "/v1\"\nwire_api = \"responses\"\nenv_key = \"LOCAL_KEY\"\n"
	if err := os.WriteFile(filepath.Join(mkdir(t, s.home, ".codex"), "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "LOCAL_KEY=none")
	s.run("memctl", "hooks", "install", "codex")
	s.run("memctl", "add", "-q", "git.push", "ask before pushing", "--command", "git push*", "--ask")
	s.run(bin, "exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt)
	checkPush(t, m.requests("/responses"))
	checkRecord(s, "codex", "PreToolUse")
}
