package proxy

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/llm"
)

// kind is a service in the table of services.
type kind int

const (
	chat      kind = iota // OpenAI's chat completions, which most servers speak
	responses             // OpenAI's responses
	messages              // Anthropic's messages
	gemini
	ollama
)

// form describes a model's service: where its requests, answers and streams have what the proxy reads and adds. A place in
// an answer is a list of members with spaces between them: "type=x" goes on only if the member type is x ("type=*x": ends in x;
// "type=": there is none), and each element of an array is looked at.
type form struct {
	path   string // of requests; * is the name of the model
	prefix string // of all its paths
	home   string // where it is without --upstream
	learn  string // the path of what the models of package llm call
	llm    string // their kind

	list    string // the member with the messages
	items   bool   // the list may be one text, and may have items that are no messages
	role    string // of a message that names none; "" refuses it
	content string // the member of a message with its texts
	part    string // a text in a list of these
	listed  bool   // a message that is one text becomes a list
	first   string // a message of the system in the list; "" for a service without
	system  string // the member with the system message, if it is not in the list
	alone   string // the value of that member

	said  []string // the text of an answer
	calls []string // calls of tools: the turn goes on
	done  []string // what ends a stream
	fails string   // an error
}

const (
	asString    = "TEXT"
	textPart    = `{"type":"text","text":TEXT}`
	openAIFails = `{"error":{"message":TEXT,"type":"TYPE","param":null,"code":null}}`
)

var services = [...]form{
	chat: {
		path: "/v1/chat/completions", home: "https://api.openai.com", learn: "/v1", llm: llm.OpenAI,
		list: "messages", content: "content", part: textPart, first: `{"role":"system","content":TEXT}`,
		said:  []string{"choices index=0 message content", "choices index=0 delta content"},
		calls: []string{"choices index=0 message tool_calls", "choices index=0 delta tool_calls"},
		done:  []string{"choices index=0 finish_reason"}, fails: openAIFails,
	},
	responses: {
		path: "/v1/responses", prefix: "/v1/responses/", home: "https://api.openai.com", learn: "/v1", llm: llm.OpenAI,
		list: "input", items: true, content: "content", part: `{"type":"input_text","text":TEXT}`, system: "instructions",
		first: `{"type":"message","role":"developer","content":[{"type":"input_text","text":TEXT}]}`,
		said:  []string{"output type=message content text", "type=response.output_item.done item type=message content text"},
		calls: []string{"output type=*_call", "type=response.output_item.done item type=*_call"},
		done:  []string{"type=response.completed"}, fails: openAIFails,
	},
	messages: {
		path: "/v1/messages", prefix: "/v1/messages/", home: "https://api.anthropic.com", learn: "/v1", llm: llm.Anthropic,
		list: "messages", content: "content", part: textPart, listed: true, system: "system", alone: asString,
		said:  []string{"content type=text text", "content_block type=text text", "delta type=text_delta text"},
		calls: []string{"content type=tool_use", "content_block type=tool_use"},
		done:  []string{"type=message_stop"}, fails: `{"type":"error","error":{"type":"TYPE","message":TEXT}}`,
	},
	gemini: {
		path: "/v1beta/models/*:[gs]*enerateContent", prefix: "/v1beta/", home: "https://generativelanguage.googleapis.com", learn: "/v1beta/openai", llm: llm.OpenAI,
		list: "contents", role: "user", content: "parts", part: `{"text":TEXT}`, system: "systemInstruction", alone: `{"parts":[{"text":TEXT}]}`,
		said:  []string{"candidates index=0 content parts thought= text"},
		calls: []string{"candidates index=0 content parts functionCall"},
		done:  []string{"candidates index=0 finishReason"}, fails: `{"error":{"code":CODE,"message":TEXT,"status":"TYPE"}}`,
	},
	ollama: {
		path: "/api/chat", prefix: "/api/", home: "http://localhost:11434", learn: "/v1", llm: llm.OpenAI,
		list: "messages", content: "content", part: textPart, first: `{"role":"system","content":TEXT}`,
		said: []string{"message content"}, calls: []string{"message tool_calls"}, done: []string{"done=true"}, fails: `{"error":TEXT}`,
	},
}

// serviceOf is the service that a request speaks to. talks reports whether it is one with messages; the proxy passes on the
// others as they are.
func serviceOf(r *http.Request) (k kind, talks bool) {
	for i, s := range services {
		if is, _ := path.Match(s.path, r.URL.Path); is {
			return kind(i), r.Method == http.MethodPost
		}
		if s.prefix != "" && strings.HasPrefix(r.URL.Path, s.prefix) {
			k = kind(i)
		}
	}
	if r.Header.Get("Anthropic-Version") != "" {
		k = messages
	}
	return k, false
}

// fillTemplate is a template with a text as a JSON string.
func fillTemplate(template, text string) string {
	return strings.Replace(template, "TEXT", quoted(text), 1)
}

// fail answers with an error in the form of the service that the client talks to.
func fail(w http.ResponseWriter, r *http.Request, status int, why string) {
	kind := "invalid_request_error"
	switch {
	case status >= http.StatusInternalServerError:
		kind = "api_error"
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status == http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	}
	k, _ := serviceOf(r)
	body := strings.NewReplacer("TYPE", kind, "CODE", strconv.Itoa(status), "TEXT", quoted("memctl proxy: "+why)).Replace(services[k].fails)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false") // the SDKs of OpenAI and Anthropic heed it
	w.WriteHeader(status)
	_, _ = w.Write(json.RawMessage(body + "\n")) // the client may be gone
}
