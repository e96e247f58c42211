package edit_test

import (
	"github.com/memctl/memctl/tests/memorytest"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/policy"
)

// arrivals are inputs of each format, with HERE where a string becomes part of a key or a
// tag.
var arrivals = map[string][]capture.File{
	capture.Claude:   {{Name: "CLAUDE.md", Data: []byte("# Shop\n\n## HERE\n\n- Use tabs, never spaces\n")}},
	capture.Agents:   {{Name: "AGENTS.md", Data: []byte("# HERE\n\n- Use tabs, never spaces\n")}},
	capture.Gemini:   {{Name: "GEMINI.md", Data: []byte("# Shop\n\n### **HERE**\n\nUse tabs, never spaces.\n")}},
	capture.Cursor:   {{Name: ".cursorrules", Data: []byte("# Shop\n\nHERE\n----\n\n- Use tabs, never spaces\n")}},
	capture.Copilot:  {{Name: "copilot-instructions.md", Data: []byte("## 1. HERE\n\n1. Use tabs, never spaces\n")}},
	capture.Markdown: {{Name: "notes.md", Data: []byte("## HERE\n\n- Use tabs, never spaces\n")}},
	capture.MemoryMD: {{Name: "MEMORY.md", Data: []byte("## HERE\n\n- Use tabs, never spaces\n")}},
	capture.ClaudeMemory + ", the name": {
		{Name: "MEMORY.md", Data: []byte("- [a](a.md)\n")}, {Name: "a.md", Data: []byte("---\ntype: feedback\nname: HERE\n---\nUse tabs, never spaces\n")},
	},
	capture.ClaudeMemory + ", the type": {
		{Name: "MEMORY.md", Data: []byte("- [a](a.md)\n")}, {Name: "a.md", Data: []byte("---\nname: indent\ntype: HERE\n---\nUse tabs, never spaces\n")},
	},
	capture.ClaudeMemory + ", the file's name": {
		{Name: "MEMORY.md", Data: []byte("- [a](a.md)\n")}, {Name: "HERE.md", Data: []byte("---\ntype: feedback\n---\nUse tabs, never spaces\n")},
	},
	capture.ClaudeMemory + ", a topic without a type": {
		{Name: "MEMORY.md", Data: []byte("- [a](a.md)\n")}, {Name: "HERE.md", Data: []byte("- Use tabs, never spaces\n")},
	},
	capture.CodexMemory: {{Name: "MEMORY.md", Data: []byte("# Task Group: HERE\n\n## Knowledge\n\n- Use tabs, never spaces\n")}},
	capture.AgentCLI: {
		{Name: "entries/chat/facts/1.md", Data: []byte("---\nid: \"1\"\nrole: memory\nconversation_id: \"HERE\"\n---\n\nUse tabs, never spaces\n")},
	},
	capture.ChatCLI + ", a project":                     {{Name: "projects.json", Data: []byte(`[{"name":"HERE","path":"/src/shop"}]`)}},
	capture.ChatCLI + ", a topic":                       {{Name: "topics.json", Data: []byte(`[{"name":"HERE","summary":"Use tabs, never spaces"}]`)}},
	capture.Mememory + ", the project of a pinned rule": {{Name: "memories.json", Data: []byte(`[{"content":"Use tabs, never spaces","type":"rule","delivery":"pinned","project":"HERE"}]`)}},
	capture.MCPMemory + ", the entity":                  {{Name: "memory.jsonl", Data: []byte(`{"type":"entity","name":"HERE","entityType":"rule","observations":["Use tabs, never spaces"]}`)}},
	capture.MCPMemory + ", its type":                    {{Name: "memory.jsonl", Data: []byte(`{"type":"entity","name":"Shop","entityType":"HERE","observations":["Use tabs, never spaces"]}`)}},
	capture.MCPMemory + ", the relation":                {{Name: "memory.jsonl", Data: []byte(`{"type":"relation","from":"the shop","to":"the database","relationType":"HERE"}`)}},
	capture.ChatCLI + ", the category":                  {{Name: "memory_index.json", Data: []byte(`[{"content":"Use tabs, never spaces","category":"HERE"}]`)}},
	capture.ChatCLI + ", a tag":                         {{Name: "memory_index.json", Data: []byte(`[{"content":"Use tabs, never spaces","category":"style","tags":["HERE"]}]`)}},
	capture.Mememory + ", the type":                     {{Name: "memories.json", Data: []byte(`[{"content":"Use tabs, never spaces","type":"HERE"}]`)}},
	capture.Mememory + ", the project":                  {{Name: "memories.json", Data: []byte(`[{"content":"Use tabs, never spaces","type":"rule","project":"HERE"}]`)}},
	capture.Mememory + ", a tag":                        {{Name: "memories.json", Data: []byte(`[{"content":"Use tabs, never spaces","type":"rule","tags":["HERE"]}]`)}},
	capture.JSONLines + ", a tag":                       {{Name: "x.jsonl", Data: []byte(`{"key":"style.indent","value":"Use tabs, never spaces","tags":["HERE"]}`)}},
	capture.JSONLines + ", the category":                {{Name: "x.jsonl", Data: []byte(`{"text":"Use tabs, never spaces","category":"HERE"}`)}},
	capture.JSONLines + ", an entry's":                  {{Name: "x.jsonl", Data: []byte(`{"text":"Use tabs, never spaces","topics":["HERE"]}`)}},
	capture.Memctl: {{Name: "memories.md", Data: []byte(strings.Replace(memfile.Template, "items: []",
		"items:\n    - key: style.indent\n      value: Use tabs, never spaces\n      added: 2026-11-21\n      source: a person\n      confidence: high\n      tags: [\"HERE\"]", 1))}},
}

// A secret in a heading, a name, a category or a tag does not come in as part of a key or a
// tag, where it would not look like one any more.
func TestImportJudgesStringsAsTheyArrived(t *testing.T) {
	for _, format := range capture.Formats() {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(arrivals)), func(name string) bool { return name == format || strings.HasPrefix(name, format+", ") }) {
			t.Errorf("%s: has no row", format)
		}
	}
	for name, files := range arrivals {
		format, _, _ := strings.Cut(name, ", ")
		bring := func(t *testing.T, here string) edit.ImportResult {
			var list []capture.File
			for _, f := range files {
				list = append(list, capture.File{Name: strings.ReplaceAll(f.Name, "HERE", here), Data: []byte(strings.ReplaceAll(string(f.Data), "HERE", here))})
			}
			in, err := capture.Read(format, list)
			if err != nil {
				t.Fatal(err)
			}
			b := memorytest.Repository(t, memfile.Template)
			res, err := edit.Import(t.Context(), b.Open(), edit.ImportRequest{
				Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}, Scope: "project"}, Name: "input", Format: format, Input: in,
			})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		t.Run(name, func(t *testing.T) {
			if res := bring(t, "Code style"); res.AddedCount != 1 || res.RefusedCount != 0 {
				t.Errorf("harmless: %v", outcomes(res))
			}
			for what, secret := range map[string]string{"password": "password: hunter2-Tr0ub4dor", "token": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"} {
				res := bring(t, secret)
				if res.AddedCount != 0 || res.RefusedCount != 1 {
					t.Errorf("%s: %+v", what, res.Rows)
				}
				for _, row := range res.Rows {
					if row.Outcome == "refused" && row.Findings[0].Rule != policy.RuleSecret || strings.Contains(strings.ToLower(row.Key+row.Why), "hunter2") {
						t.Errorf("%s: another rule, or the answer repeats it: %+v", what, row)
					}
				}
			}
		})
	}
}
