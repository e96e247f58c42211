//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// model stands in for a model service: it keeps what it was asked, and always
// says the same.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	asked []request
}

// request is one that was sent to the model.
type request struct {
	path string
	body string
}

// reply is all that the model ever says.
const reply = "hello from the stand-in"

func newModel(t *testing.T) *model {
	m := &model{}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.asked = append(m.asked, request{r.URL.Path, string(body)})
	m.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		_, _ = io.WriteString(w, `{"input_tokens":1}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		messages(w, strings.Contains(string(body), `"stream":true`))
	case strings.HasSuffix(r.URL.Path, "/responses"):
		responses(w)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		completions(w, strings.Contains(string(body), `"stream":true`))
	case strings.Contains(r.URL.Path, "enerateContent"):
		contents(w, strings.Contains(r.URL.Path, ":stream"))
	case strings.HasSuffix(r.URL.Path, "/models"):
		_, _ = io.WriteString(w, `{"object":"list","data":[],"models":[]}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// requests are those that went to a path with this part.
func (m *model) requests(part string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, r := range m.asked {
		if strings.Contains(r.path, part) {
			list = append(list, r.body)
		}
	}
	return list
}

// messages answers as Anthropic's service does.
func messages(w http.ResponseWriter, stream bool) {
	message := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "stand-in", "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 1, "output_tokens": 1},
	}
	if !stream {
		message["content"] = []any{map[string]any{"type": "text", "text": reply}}
		message["stop_reason"] = "end_turn"
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	w.Header().Set("Content-Type", "text/event-stream")
	events(w, []map[string]any{
		{"type": "message_start", "message": message},
		{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}},
		{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": reply}},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
		{"type": "message_stop"},
	})
}

// responses answers as OpenAI's service does.
func responses(w http.ResponseWriter) {
	item := map[string]any{
		"type": "message", "id": "item_1", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": reply, "annotations": []any{}}},
	}
	done := map[string]any{
		"id": "resp_1", "object": "response", "status": "completed", "output": []any{item},
		"usage": map[string]any{
			"input_tokens": 1, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": 1, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 2,
		},
	}
	w.Header().Set("Content-Type", "text/event-stream")
	events(w, []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "resp_1"}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": done},
	})
}

// completions answers as the many services do that copied OpenAI's first one.
func completions(w http.ResponseWriter, stream bool) {
	said := map[string]any{"role": "assistant", "content": reply}
	chunk := map[string]any{"id": "c1", "object": "chat.completion", "created": 1, "model": "stand-in", "usage": map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
	choice := map[string]any{"index": 0, "finish_reason": "stop", "message": said}
	if stream {
		chunk["object"] = "chat.completion.chunk"
		choice = map[string]any{"index": 0, "finish_reason": "stop", "delta": said}
	}
	chunk["choices"] = []any{choice}
	data, _ := json.Marshal(chunk)
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
}

// contents answers as Google's service does.
func contents(w http.ResponseWriter, stream bool) {
	data, _ := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": reply}}},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", data)
}

func events(w io.Writer, list []map[string]any) {
	for _, e := range list {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}
