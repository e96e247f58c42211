package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// isConversation reports whether a request is the conversation with the person, and not for a title, for a summary or the
// work of a subagent. The proxy changes no other.
func isConversation(h http.Header, r *request) bool {
	for _, header := range []string{"X-Openai-Subagent", "X-Parent-Session-Id", "X-Claude-Code-Agent-Id"} { // only requests of subagents have them
		if h.Get(header) != "" {
			return false
		}
	}
	if kind := codexKind(h); kind != "" && kind != "turn" {
		return false
	}
	system, end := r.system(), []byte(nil)
	if len(r.turns) > 0 {
		end = r.turns[len(r.turns)-1].of(r.body)
	}
	for _, m := range marks() {
		if contains(system, m.system) && contains(end, m.end...) {
			return false
		}
	}
	return true
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

// mark is what a request has that is no part of the conversation, as the clients write it.
type mark struct {
	system string   // in its system message
	end    []string // in its last message
}

func marks() []mark {
	return []mark{
		{system: "You are a title generator"},                                            // OpenCode
		{system: "context summarization agent"},                                          // OpenCode
		{system: "You are a helpful AI assistant tasked with summarizing conversations"}, // Claude Code, Copilot
		{system: "Generate a concise, sentence-case title"},                              // Claude Code
		{end: []string{"create a detailed summary of the conversation"}},                 // Claude Code, Copilot
		{end: []string{"CONTEXT CHECKPOINT COMPACTION"}},                                 // Codex
		{end: []string{"### Task:\\n", "chat_history"}},                                  // Open WebUI: titles, tags, questions to go on with
		{end: []string{"### Task:\\n", "### Chat History:"}},                             // its older versions
		{end: []string{"Create a concise, 3-5 word phrase", "Chat History"}},             // and those before
		{end: []string{"Generate a concise, sentence-case title", "<session>"}},          // Claude Code
	}
}

// system is what stands before the conversation.
func (r *request) system() []byte {
	if r.is.first != "" && len(r.turns) > 0 && isSystem(r.turns[0].role) {
		return r.turns[0].of(r.body)
	}
	return r.fields[r.is.system].of(r.body)
}
