//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// answer is what the stand-in says, in the forms of four services: a text, or the call of a
// tool.
type answer struct {
	text   string
	tool   string // "" for none
	input  map[string]any
	usage  int // tokens of the request
	id     string
	stream bool
}

// object is a JSON object.
type object = map[string]any

func (a answer) arguments() string {
	data, _ := json.Marshal(a.input)
	return string(data)
}

// anthropic answers as Anthropic's service does.
func (a answer) anthropic(w http.ResponseWriter) {
	message := object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": "stand-in", "stop_sequence": nil,
		"usage": object{"input_tokens": a.usage, "output_tokens": 1},
	}
	reason := "end_turn"
	whole := object{"type": "text", "text": a.text}
	block, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.text}
	if a.tool != "" {
		reason = "tool_use"
		whole = object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.tool, "input": a.input}
		block = object{"type": "tool_use", "id": "toolu_" + a.id, "name": a.tool, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": a.arguments()}
	}
	if !a.stream {
		message["content"], message["stop_reason"] = []any{whole}, reason
		writeJSON(w, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	events(w, []object{
		{"type": "message_start", "message": message},
		{"type": "content_block_start", "index": 0, "content_block": block},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}},
		{"type": "message_stop"},
	})
}

// openAI answers as OpenAI's service does.
func (a answer) openAI(w http.ResponseWriter) {
	item := object{
		"type": "message", "id": "item_" + a.id, "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}},
	}
	if a.tool != "" {
		item = object{"type": "function_call", "id": "fc_" + a.id, "call_id": "call_" + a.id, "name": a.tool, "arguments": a.arguments(), "status": "completed"}
		if space, name, ok := strings.Cut(a.tool, "."); ok { // Codex sorts some tools into namespaces
			item["namespace"], item["name"] = space, name
		}
	}
	done := object{
		"id": "resp_" + a.id, "object": "response", "status": "completed", "output": []any{item},
		"usage": object{
			"input_tokens": a.usage, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.usage + 1,
		},
	}
	events(w, []object{
		{"type": "response.created", "response": object{"id": "resp_" + a.id}},
		{"type": "response.output_item.done", "output_index": 0, "item": item},
		{"type": "response.completed", "response": done},
	})
}

// completions answers as the many services do that copied OpenAI's first one.
func (a answer) completions(w http.ResponseWriter) {
	said := object{"role": "assistant", "content": a.text}
	reason := "stop"
	if a.tool != "" {
		reason = "tool_calls"
		said = object{"role": "assistant", "tool_calls": []any{object{
			"index": 0, "id": "call_" + a.id, "type": "function", "function": object{"name": a.tool, "arguments": a.arguments()},
		}}}
	}
	chunk := object{
		"id": "c" + a.id, "object": "chat.completion", "created": 1, "model": "stand-in",
		"usage": object{"prompt_tokens": a.usage, "completion_tokens": 1, "total_tokens": a.usage + 1},
	}
	if !a.stream {
		chunk["choices"] = []any{object{"index": 0, "finish_reason": reason, "message": said}}
		writeJSON(w, chunk)
		return
	}
	chunk["object"] = "chat.completion.chunk"
	chunk["choices"] = []any{object{"index": 0, "finish_reason": reason, "delta": said}}
	data, _ := json.Marshal(chunk)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
}

// several answers with several choices.
func several(w http.ResponseWriter, texts []string) {
	var choices []any
	for i, text := range texts {
		choices = append(choices, object{"index": i, "finish_reason": "stop", "message": object{"role": "assistant", "content": text}})
	}
	writeJSON(w, object{"id": "c", "object": "chat.completion", "created": 1, "model": "stand-in", "choices": choices})
}

// google answers as Google's service does.
func (a answer) google(w http.ResponseWriter) {
	part := object{"text": a.text}
	if a.tool != "" {
		part = object{"functionCall": object{"name": a.tool, "args": a.input}}
	}
	whole := object{
		"candidates":    []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": a.usage, "candidatesTokenCount": 1, "totalTokenCount": a.usage + 1},
	}
	if !a.stream {
		writeJSON(w, whole)
		return
	}
	data, _ := json.Marshal(whole)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", data)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func events(w http.ResponseWriter, list []object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}
