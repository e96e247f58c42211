package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// purpose is what a client wants with a request.
type purpose int

const (
	talking    purpose = iota // the conversation with the person
	aside                     // a title, or the work of a subagent
	compaction                // a summary that will replace the conversation
)

// purposeOf is the purpose of a request. The proxy changes none but those of the conversation.
func purposeOf(h http.Header, r *request) purpose {
	for _, header := range asideHeaders() {
		if h.Get(header) != "" {
			return aside
		}
	}
	switch kind := codexKind(h); kind {
	case "", "turn":
	case "compaction":
		return compaction
	default:
		return aside
	}
	system, end := r.system(), []byte(nil)
	if len(r.turns) > 0 {
		end = r.turns[len(r.turns)-1].of(r.body)
	}
	for _, m := range marks() {
		if contains(system, m.system) && contains(end, m.end...) {
			return m.purpose
		}
	}
	return talking
}

// contains reports whether a text has all of the parts.
func contains(text []byte, parts ...string) bool {
	for _, part := range parts {
		if !bytes.Contains(text, []byte(part)) {
			return false
		}
	}
	return true
}

// codexKind is what Codex says that a request is for, "" where it is not Codex.
func codexKind(h http.Header) string {
	var said struct {
		Kind   string `json:"request_kind"`
		Source string `json:"thread_source"`
	}
	if json.Unmarshal([]byte(h.Get("X-Codex-Turn-Metadata")), &said) != nil {
		return ""
	}
	if said.Source == "subagent" {
		return said.Source
	}
	return said.Kind
}

// asideHeaders are headers that only requests of subagents have.
func asideHeaders() []string {
	return []string{"X-Openai-Subagent", "X-Parent-Session-Id", "X-Claude-Code-Agent-Id"}
}

// mark is what a request has that is no part of the conversation, as the clients write it.
type mark struct {
	purpose purpose
	system  string   // in its system message
	end     []string // in its last message
}

func marks() []mark {
	return []mark{
		{purpose: aside, system: "You are a title generator"},                                                 // OpenCode
		{purpose: compaction, system: "context summarization agent"},                                          // OpenCode
		{purpose: compaction, system: "You are a helpful AI assistant tasked with summarizing conversations"}, // Claude Code, Copilot
		{purpose: aside, system: "Generate a concise, sentence-case title"},                                   // Claude Code
		{purpose: compaction, end: []string{"create a detailed summary of the conversation"}},                 // Claude Code, Copilot
		{purpose: compaction, end: []string{"CONTEXT CHECKPOINT COMPACTION"}},                                 // Codex
		{purpose: aside, end: []string{"### Task:\\n", "chat_history"}},                                       // Open WebUI: titles, tags, questions to go on with
		{purpose: aside, end: []string{"### Task:\\n", "### Chat History:"}},                                  // its older versions
		{purpose: aside, end: []string{"Create a concise, 3-5 word phrase", "Chat History"}},                  // and those before
		{purpose: aside, end: []string{"Generate a concise, sentence-case title", "<session>"}},               // Claude Code
	}
}

// system is what stands before the conversation.
func (r *request) system() []byte {
	if system := r.fields["system"]; system.to > 0 {
		return system.of(r.body)
	}
	if len(r.turns) > 0 && isSystem(r.turns[0].role) {
		return r.turns[0].of(r.body)
	}
	return r.fields["instructions"].of(r.body)
}
