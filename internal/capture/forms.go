package capture

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

// indexName is the file that marks Claude Code's auto-memory folder.
const indexName = "MEMORY.md"

// The scopes of a person's own: for every project, and for one.
const (
	userScope    = "user"
	privateScope = "private"
)

// cut says how a file becomes records.
type cut uint8

const (
	byRecord  cut = iota // JSON: each record is a fact
	byBlock              // Markdown: each paragraph and each list item is a fact
	byType               // Markdown: a file whose front matter has a type is one fact, any other as by block
	byTime               // Markdown: by block, and each is a note of the day that the file is named after, and of the time above it
	asEntries            // a file is an entry in memctl's own form
)

// form is one file of another tool's memory: where its records are, and which fields are what. A
// field is a name, or name=value, which counts only with this value.
type form struct {
	format     string
	file       string   // a pattern for the name or the path; a folder ends with a slash
	leave      string   // why nothing of the file is read
	by         cut      // how it is cut
	marks      []string // fields that tell the first record from others
	in         string   // the member that has the records; "*": each member is one
	each       string   // a list of texts, of which each is a fact
	text       string   // the fact, with fields in braces; a record without one of them has no text
	more       []string // fields that are told after it
	category   string
	tags       []string
	topic      string
	created    string
	expires    string
	weight     string
	confidence string   // a number; below a half the fact is low
	start      []string // fields that say that each session begins with it
	skip       []string // headings and members that say nothing to remember
	title      string   // what the first heading begins with
	user       string   // the field that says that it counts in every project; "*": always
	low        bool     // an agent wrote it unasked
	sure       string   // the field of what the person told it all the same
}

// forms is the table of the memories of other tools. Of a format, the first form counts that fits.
func forms() []form {
	return []form{
		{format: MCPMemory, marks: []string{"type=entity"}, in: "entities", each: "observations", text: "{name}: {observations}", tags: []string{"entityType"}, topic: "name", low: true, user: "name=default_user"},
		{format: MCPMemory, marks: []string{"type=relation"}, in: "relations", text: "{from} {relationType} {to}", low: true},
		{
			format: Mememory, marks: []string{"content", "type"}, in: "memories", text: "{content}", category: "type", tags: []string{"project", "tags"},
			created: "created_at", expires: "ttl", weight: "weight", start: []string{"delivery=bootstrap", "delivery=pinned"}, user: "scope=global",
		},
		{format: ChatCLI, file: "memory_index.json", marks: []string{"content", "category"}, in: "facts", text: "{content}", category: "category", tags: []string{"tags"}, created: "created_at", confidence: "confidence"},
		{format: ChatCLI, file: "user_profile.json", in: "*", text: "user {@name}: {@value}", skip: []string{"last_updated"}, user: "*"},
		{format: ChatCLI, file: "topics.json", text: "{name}: {summary}", topic: "name", created: "last_seen"},
		{format: ChatCLI, file: "projects.json", text: "{name}", more: []string{"path", "description", "status", "technologies"}, user: "*"},
		{format: ChatCLI, file: indexName, leave: whyCopy},
		{format: ChatCLI, file: "20??????.md", by: byTime},
		{format: CodexMemory, file: "memory_summary.md", leave: whyCopy},
		{format: CodexMemory, file: "raw_memories.md", leave: whyCopy},
		{format: CodexMemory, file: "rollout_summaries/", leave: whyCopy},
		{format: CodexMemory, file: indexName, by: byBlock, title: "Task Group:", skip: []string{"keywords", "rollout"}, user: "*"},
		{format: AgentCLI, file: "entries/", by: asEntries},
		{format: ClaudeMemory, file: "*", by: byType, low: true, sure: "type=feedback", user: "type=user"},
		{format: MemoryMD, file: "*", by: byBlock},
	}
}

// matchesName reports whether a file has the form's name.
func (f form) matchesName(name string) bool {
	if strings.HasSuffix(f.file, "/") {
		return strings.HasPrefix(name, f.file)
	}
	match, _ := path.Match(f.file, path.Base(name))
	return match || f.file == ""
}

// formsOf are the forms of a format that a file may have: by its name, or all for a file by itself.
func formsOf(format, name string, many bool) (list []form) {
	all := slices.DeleteFunc(forms(), func(f form) bool { return f.format != format })
	if list = slices.DeleteFunc(slices.Clone(all), func(f form) bool { return !f.matchesName(name) }); len(list) == 0 && !many {
		return slices.DeleteFunc(all, func(f form) bool { return f.leave != "" })
	}
	return list
}

// folderOf is the format of a folder that is the memory of one tool, or "".
func folderOf(files []File) string {
	for _, mark := range [...][2]string{
		{ChatCLI, "memory_index.json"}, {ChatCLI, "user_profile.json"}, {CodexMemory, "memory_summary.md"}, {CodexMemory, "raw_memories.md"}, {AgentCLI, "entries/"}, {ClaudeMemory, indexName},
	} {
		if slices.ContainsFunc(files, func(f File) bool { return form{file: mark[1]}.matchesName(f.Name) }) {
			return mark[0]
		}
	}
	return ""
}

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
	case base == "memory.md":
		if slices.ContainsFunc(forms(), func(f form) bool { return f.title != "" && bytes.HasPrefix(data, []byte("# "+f.title)) }) {
			return CodexMemory
		}
		return MemoryMD
	case base == "memory_index.json", base == "user_profile.json":
		return ChatCLI
	}
	switch trimmed := bytes.TrimSpace(data); {
	case memfile.HasTraces(data) && (len(trimmed) == 0 || trimmed[0] != '{'):
		return Memctl
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		return detectJSON(trimmed)
	}
	return Markdown
}

// detectJSON looks at the first record of JSON, or of JSON Lines. What it
// cannot read counts as JSON Lines, whose reader says what is wrong.
func detectJSON(data []byte) string {
	first := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("[")))
	var r object
	if json.NewDecoder(bytes.NewReader(first)).Decode(&r) != nil {
		return JSONLines
	}
	for _, f := range forms() {
		if _, whole := r[f.in]; f.in != "" && whole || len(f.marks) > 0 && !slices.ContainsFunc(f.marks, func(mark string) bool { return r.text(mark) == "" }) {
			return f.format
		}
	}
	return JSONLines
}
