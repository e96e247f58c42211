package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// isAside reports whether a request is none of the conversation with the person: a client asks
// for a title or a summary, or one of its subagents works. The proxy leaves such a request alone.
func isAside(h http.Header, r *request) bool {
	if kind := codexKind(h); kind != "" && kind != "turn" {
		return true
	}
	for _, header := range asideHeaders() {
		if h.Get(header) != "" {
			return true
		}
	}
	for _, mark := range systemMarks() {
		if bytes.Contains(r.system(), []byte(mark)) {
			return true
		}
	}
	if len(r.turns) == 0 {
		return false
	}
	end := r.turns[len(r.turns)-1].of(r.body)
	for _, marks := range messageMarks() {
		all := true
		for _, mark := range marks {
			all = all && bytes.Contains(end, []byte(mark))
		}
		if all {
			return true
		}
	}
	return false
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

// systemMarks are texts in the system message of requests that are no conversation with the
// person, as the clients write them.
func systemMarks() []string {
	return []string{
		"You are a title generator",   // OpenCode
		"context summarization agent", // OpenCode
		"You are a helpful AI assistant tasked with summarizing conversations", // Claude Code, Copilot
		"Generate a concise, sentence-case title",                              // Claude Code
	}
}

// messageMarks are texts that the last message has in such requests, all of one row.
func messageMarks() [][]string {
	return [][]string{
		{"create a detailed summary of the conversation"},        // Claude Code, Copilot
		{"CONTEXT CHECKPOINT COMPACTION"},                        // Codex
		{"### Task:\\n", "chat_history"},                         // Open WebUI: titles, tags, questions to go on with
		{"### Task:\\n", "### Chat History:"},                    // its older versions
		{"Create a concise, 3-5 word phrase", "Chat History"},    // and those before
		{"Generate a concise, sentence-case title", "<session>"}, // Claude Code
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
