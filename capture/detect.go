package capture

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// indexName is the file that marks Claude Code's auto-memory folder.
const indexName = "MEMORY.md"

// Detect finds the format from the file's name, or where that says nothing,
// from its content. Text that is none of the others is Markdown.
func Detect(name string, data []byte) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "claude.local.md", base == "claude.md", strings.HasSuffix(base, ".claude.md"):
		return Claude
	case base == "agents.md", base == "agent.md", base == "qwen.md", base == "qwen.local.md":
		return Agents
	case base == "gemini.md":
		return Gemini
	case base == ".cursorrules", strings.HasSuffix(base, ".mdc"):
		return Cursor
	case base == "copilot-instructions.md", strings.HasSuffix(base, ".instructions.md"):
		return Copilot
	case base == "memory.md" && isCodexMemory(data):
		return CodexMemory
	case base == "memory.md":
		return MemoryMD
	case base == chatFacts, base == chatProfile:
		return ChatCLI
	}
	switch trimmed := bytes.TrimSpace(data); {
	case memfile.Traces(data) && (len(trimmed) == 0 || trimmed[0] != '{'):
		return Memctl
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		return detectJSON(trimmed)
	}
	return Markdown
}

// shape is what tells the JSON formats apart: which fields stand in the first
// entry.
type shape struct {
	Type      json.RawMessage `json:"type"`
	Content   json.RawMessage `json:"content"`
	Category  json.RawMessage `json:"category"`
	Delivery  json.RawMessage `json:"delivery"`
	Scope     json.RawMessage `json:"scope"`
	Key       json.RawMessage `json:"key"`
	Text      json.RawMessage `json:"text"`
	Entities  json.RawMessage `json:"entities"`
	Relations json.RawMessage `json:"relations"`
	Facts     json.RawMessage `json:"facts"`
	Memories  json.RawMessage `json:"memories"`
}

// detectJSON looks at the first entry of JSON, or of JSON Lines. What it
// cannot read counts as JSON Lines, whose reader says what is wrong.
func detectJSON(data []byte) string {
	first := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("[")))
	var s shape
	if json.NewDecoder(bytes.NewReader(first)).Decode(&s) != nil {
		return JSONLines
	}
	kind := strings.Trim(string(s.Type), `"`)
	switch {
	case s.Entities != nil, s.Relations != nil, kind == "entity", kind == "relation":
		return MCPMemory
	case s.Facts != nil:
		return ChatCLI
	case s.Memories != nil:
		return Mememory
	case s.Content != nil && (s.Delivery != nil || s.Type != nil):
		return Mememory
	case s.Content != nil && s.Category != nil:
		return ChatCLI
	}
	return JSONLines
}
