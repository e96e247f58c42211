package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// changed is the body with the profile P and the block B after the person's new message.
func changed(t *testing.T, k kind, body string) string {
	t.Helper()
	r, problem := parse(k, []byte(body))
	if problem != "" {
		return problem
	}
	var edits []splice
	if e, ok := r.without("memory_id"); ok {
		edits = append(edits, e)
	}
	edits = append(edits, r.afterSystem("P")...)
	if r.last >= 0 {
		edits = append(edits, r.appendTo(r.turns[r.last], "B")...)
	}
	parts, size := edited(r.body, edits)
	out := bytes.Join(parts, nil)
	if len(out) != size {
		t.Errorf("the size is %d, the parts have %d bytes", size, len(out))
	}
	if !json.Valid(out) {
		t.Errorf("no JSON: %s", out)
	}
	return string(out)
}

func TestWhereMemoryGoes(t *testing.T) {
	tests := map[string]struct {
		kind     kind
		body     string
		expected string
	}{
		"a chat without a system message gets one": {chat,
			`{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
			`{"model":"m","messages":[{"role":"system","content":"P"},{"role":"user","content":"hi\n\nB"}]}`},
		"a chat's own system message goes on": {chat,
			`{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi"}]}`,
			`{"messages":[{"role":"system","content":"be kind\n\nP"},{"role":"user","content":"hi\n\nB"}]}`},
		"lists of parts get a part, and the image stays": {chat,
			`{"messages":[{"role":"developer","content":[{"type":"text","text":"s"}]},{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"data:x"}}]}]}`,
			`{"messages":[{"role":"developer","content":[{"type":"text","text":"s"},{"type":"text","text":"P"}]},{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"data:x"}},{"type":"text","text":"B"}]}]}`},
		"nothing is added after a tool's output": {chat,
			`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[]},{"role":"tool","content":"out"}]}`,
			`{"messages":[{"role":"system","content":"s\n\nP"},{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[]},{"role":"tool","content":"out"}]}`},
		"spaces, order and numbers stay as they are": {chat,
			"{ \"temperature\" : 1.0,\n \"messages\" : [ { \"content\" : \"a \\\"b\\\"\" , \"role\" : \"user\" } ] }\n",
			"{ \"temperature\" : 1.0,\n \"messages\" : [{\"role\":\"system\",\"content\":\"P\"}, { \"content\" : \"a \\\"b\\\"\\n\\nB\" , \"role\" : \"user\" } ] }\n"},
		"memory_id is taken out at the beginning": {chat,
			`{"memory_id":"a","messages":[{"role":"user","content":"hi"}]}`,
			`{"messages":[{"role":"system","content":"P"},{"role":"user","content":"hi\n\nB"}]}`},
		"memory_id is taken out at the end": {chat,
			`{"messages":[{"role":"user","content":"hi"}], "memory_id" : "a"}`,
			`{"messages":[{"role":"system","content":"P"},{"role":"user","content":"hi\n\nB"}]}`},
		"Claude Code's first block comes before the profile, and its bill before both": {messages,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: v"},{"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two"}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},{"role":"system","content":"note"}]}`,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: v"},{"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"P"},{"type":"text","text":"two"}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}},{"type":"text","text":"B"}]},{"role":"system","content":"note"}]}`},
		"a text of Anthropic's form becomes the list that it was": {messages,
			`{"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`,
			`{"system":"P","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"B"}]}]}`},
		"a tool's result in Anthropic's form is none of the person's": {messages,
			`{"system":"s","messages":[{"role":"user","content":[{"type":"tool_result","content":"x"},{"type":"text","text":"<system-reminder>y</system-reminder>"}]}]}`,
			`{"system":"s\n\nP","messages":[{"role":"user","content":[{"type":"tool_result","content":"x"},{"type":"text","text":"<system-reminder>y</system-reminder>"}]}]}`},
		"one text is the whole input": {responses,
			`{"input":"hi"}`, `{"instructions":"P","input":"hi\n\nB"}`},
		"instructions go on": {responses,
			`{"instructions":"s","input":"hi"}`, `{"instructions":"s\n\nP","input":"hi\n\nB"}`},
		"a list of items: the developer's item goes on": {responses,
			`{"instructions":"s","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"d"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`,
			`{"instructions":"s","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"d"},{"type":"input_text","text":"P"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"},{"type":"input_text","text":"B"}]}]}`},
		"a request that goes on from an answer has the profile": {responses,
			`{"previous_response_id":"r","input":"hi"}`, `{"previous_response_id":"r","input":"hi\n\nB"}`},
		"a function's output is none of the person's": {responses,
			`{"input":[{"role":"user","content":"hi"},{"type":"function_call","name":"f"},{"type":"function_call_output","output":"x"}]}`,
			`{"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"P"}]},{"role":"user","content":"hi"},{"type":"function_call","name":"f"},{"type":"function_call_output","output":"x"}]}`},
		"Gemini's form has parts without a type, and an object for the system": {gemini,
			`{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
			`{"systemInstruction":{"parts":[{"text":"s"},{"text":"P"}]},"contents":[{"role":"user","parts":[{"text":"hi"},{"text":"B"}]}]}`},
		"a message of Gemini's form without a role is the person's": {gemini,
			`{"contents":[{"parts":[{"text":"hi"}]}]}`, `{"systemInstruction":{"parts":[{"text":"P"}]},"contents":[{"parts":[{"text":"hi"},{"text":"B"}]}]}`},
		"a function's response in Gemini's form is none of the person's": {gemini,
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}]}`,
			`{"systemInstruction":{"parts":[{"text":"P"}]},"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}]}`},
		"Ollama's form has texts": {ollama,
			`{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"hi","images":["x"]}]}`,
			`{"model":"m","messages":[{"role":"system","content":"s\n\nP"},{"role":"user","content":"hi\n\nB","images":["x"]}]}`},
		"no JSON":              {chat, `{"messages":[`, "the body is not a JSON object"},
		"no object":            {chat, `[]`, "the body is not a JSON object"},
		"two values":           {chat, `{} {}`, "the body is not a JSON object"},
		"no messages":          {chat, `{"model":"m"}`, `"messages" must be an array`},
		"a message without":    {messages, `{"messages":[{"content":"x"}]}`, `each of "messages" must be an object with a role`},
		"a member twice":       {chat, `{"messages":[],"messages":[]}`, "the body is not a JSON object, or has a member twice"},
		"an unfinished string": {chat, `{"messages":[{"role":"us`, "the body is not a JSON object"},
	}
	for name, test := range tests {
		if got := changed(t, test.kind, test.body); !strings.HasPrefix(test.body, "{") || !strings.Contains(test.expected, "{") {
			if got != test.expected {
				t.Errorf("%s: %s", name, got)
			}
		} else if got != test.expected {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.expected)
		}
	}
}

func TestAsides(t *testing.T) {
	talk := `{"messages":[{"role":"user","content":"hi"}]}`
	tests := map[string]struct {
		kind   kind
		header map[string]string
		body   string
		want   bool
	}{
		"a plain chat is none":           {chat, nil, talk, true},
		"Codex' turn is none":            {responses, map[string]string{"X-Codex-Turn-Metadata": `{"request_kind":"turn","thread_source":"user"}`}, `{"input":"hi"}`, true},
		"Codex compacts":                 {responses, map[string]string{"X-Codex-Turn-Metadata": `{"request_kind":"compaction"}`}, `{"input":"hi"}`, false},
		"Codex' subagent works":          {responses, map[string]string{"X-Codex-Turn-Metadata": `{"request_kind":"turn","thread_source":"subagent"}`}, `{"input":"hi"}`, false},
		"Claude Code compacts":           {messages, nil, `{"messages":[{"role":"user","content":"Your task is to create a detailed summary of the conversation so far"}]}`, false},
		"OpenCode asks for a title":      {chat, nil, `{"messages":[{"role":"system","content":"You are a title generator. You output"},{"role":"user","content":"hi"}]}`, false},
		"Open WebUI asks for a title":    {chat, nil, `{"messages":[{"role":"user","content":"### Task:\nGenerate a concise title\n<chat_history>\nhi\n</chat_history>"}]}`, false},
		"a person writes of such things": {chat, nil, `{"messages":[{"role":"user","content":"what is a title generator?"}]}`, true},
	}
	for name, test := range tests {
		r, problem := parse(test.kind, []byte(test.body))
		if problem != "" {
			t.Fatalf("%s: %s", name, problem)
		}
		h := http.Header{}
		for k, v := range test.header {
			h.Set(k, v)
		}
		if got := isConversation(h, r); got != test.want {
			t.Errorf("%s: it is the conversation: %v, want %v", name, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"hi\\\""}],"system":[{"type":"text","text":"x"}],"memory_id":"a"}`,
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}],"instructions":null}`, `{"input":"x"}`, `{"a":[[{}]],"messages":[]}`,
	} {
		f.Add(byte(1), []byte(seed))
		f.Add(byte(2), []byte(seed))
		f.Add(byte(3), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, k byte, body []byte) {
		r, problem := parse(kind(k%3)+1, body)
		if problem != "" {
			return
		}
		var edits []splice
		if e, ok := r.without("memory_id"); ok {
			edits = append(edits, e)
		}
		edits = append(edits, r.afterSystem("P")...)
		for i := range r.names() {
			edits = append(edits, r.appendTo(r.turns[i], "B")...)
		}
		isConversation(http.Header{}, r)
		parts, _ := edited(r.body, edits)
		if json.Valid(body) && len(r.turns) > 0 && !json.Valid(bytes.Join(parts, nil)) {
			t.Errorf("%s became %s", body, bytes.Join(parts, nil))
		}
	})
}

// TestWhatAPersonSaid: what a client puts before a prompt is no part of it.
func TestWhatAPersonSaid(t *testing.T) {
	for content, want := range map[string]string{
		"<current_datetime>2026-11-23T10:00:00Z</current_datetime>\n\nwho guards the north gate?": "who guards the north gate?",
		"<div>hello</div> is wrong":                  "<div>hello</div> is wrong",
		"<system-reminder>be kind</system-reminder>": "",
	} {
		body, _ := json.Marshal(map[string]any{"messages": []any{map[string]string{"role": "user", "content": content}}})
		r, problem := parse(chat, body)
		if problem != "" {
			t.Fatal(problem)
		}
		if got := r.said(r.turns[0]); got != want {
			t.Errorf("%q: said %q, want %q", content, got, want)
		}
	}
}
