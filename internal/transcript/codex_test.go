package transcript

import (
	"fmt"
	"strings"
	"testing"
)

// codexLine is a record of Codex.
func codexLine(kind, payload string) string {
	return `{"timestamp":"2026-03-04T05:06:07.089Z","ordinal":3,"type":"` + kind + `","payload":` + payload + `}` + "\n"
}

// codexMeta is the first record of a session.
func codexMeta(source, thread string) string {
	return codexLine("session_meta", `{"session_id":"t-0","id":"t-1","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/srv/app","originator":"codex","cli_version":"0.169.0","source":`+source+`,"thread_source":"`+thread+`","base_instructions":"always be brief"}`)
}

// codexItem is a message among the model's items. kind is that of its one part.
func codexItem(role, kind, text string) string {
	return codexLine("response_item", fmt.Sprintf(`{"type":"message","id":"m-1","role":%q,"content":[{"type":"input_text","text":%q}],"internal_chat_message_metadata_passthrough":{"turn_id":"r-1","content_item_kinds":[%q],"content_item_metadata":[{"provenance":{"type":"x"}}]}}`, role, text, kind))
}

func codexEvent(item string) string {
	return codexLine("event_msg", `{"type":"item_completed","thread_id":"t-1","turn_id":"r-1","item":`+item+`}`)
}

func codexSaid(text string) string {
	return codexItem("user", "user.text", text) + codexEvent(fmt.Sprintf(`{"type":"UserMessage","id":"i-1","content":[{"type":"text","text":%q,"text_elements":[]}]}`, text))
}

func TestCodex(t *testing.T) {
	checkTraps(t, Codex, codexMeta(`"cli"`, "user"), 0, map[string]trap{
		"a message is there twice": {codexSaid("use tabs"), []string{"person typed: use tabs"}},
		"the answer, too": {codexEvent(`{"type":"AgentMessage","id":"m-2","content":[{"type":"Text","text":"Yes."}]}`) + codexLine("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes."}]}`),
			[]string{"assistant: Yes."}},
		"twice the same prompt":                   {codexSaid("go on") + codexSaid("go on"), []string{"person typed: go on", "person typed: go on"}},
		"twice the same older event":              {codexLine("event_msg", `{"type":"user_message","message":"go on"}`) + codexLine("event_msg", `{"type":"user_message","message":"go on"}`), []string{"person typed: go on", "person typed: go on"}},
		"an event before its item":                {codexLine("event_msg", `{"type":"user_message","message":"go on"}`) + codexLine("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}`), []string{"person typed: go on"}},
		"the answer repeats the words":            {codexItem("user", "user.text", "yes") + codexEvent(`{"type":"AgentMessage","id":"m-2","content":[{"type":"Text","text":"yes"}]}`), []string{"person: yes", "assistant: yes"}},
		"a fork repeats the record of its origin": {codexMeta(`"exec"`, "user") + codexSaid("use tabs"), []string{"person typed: use tabs"}},
		"a hook's context":                        {codexItem("developer", "hooks.additional_context", "never push"), []string{"harness: never push"}},
		"the environment":                         {codexItem("user", "environments.environment_context", "<environment_context>x</environment_context>"), []string{"harness: <environment_context>x</environment_context>"}},
		"an aborted turn":                         {codexItem("user", "generic.turn_aborted", "always so"), []string{"harness: always so"}},
		"a summary":                               {codexItem("user", "compaction.summary", "They want tabs."), []string{"harness: They want tabs."}},
		"a compaction":                            {codexLine("compacted", `{"message":"sum","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"use tabs"}]}]}`), []string{}},
		"a script resumes it":                     {codexLine("event_msg", `{"type":"task_started","turn_id":"r-1","turn_attribution":{"turn_trigger":"exec"}}`) + codexSaid("use tabs"), []string{"person: use tabs"}},
		"an item without event":                   {codexLine("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"use tabs"}]}`), []string{"person: use tabs"}},
		"instructions as a person":                {codexLine("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"<user_instructions>always</user_instructions>"}]}`), []string{"harness: <user_instructions>always</user_instructions>"}},
		"an older event":                          {codexLine("event_msg", `{"type":"user_message","message":"use tabs","images":[]}`), []string{"person typed: use tabs"}},
		"an older context event":                  {codexLine("event_msg", `{"type":"user_message","message":"never","kind":"user_instructions"}`), []string{"harness: never"}},
		"a command in three records": {codexLine("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\": \"make 'all'\"}","call_id":"c1"}`) +
			codexEvent(`{"type":"CommandExecution","id":"c1","command":["/bin/bash","-lc","make 'all'"],"status":"failed","exit_code":2}`) +
			codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n"}`),
			[]string{"c1 started make 'all' [] -1", "c1 failed make 'all' [] 2", "c1 failed [] 2"}},
		"an older output":               {codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}`), []string{"c1 failed [] 1"}},
		"an older output that is long":  {codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"`+strings.Repeat("Exit code: 7 ", 500)+`\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"}`), []string{"c1 failed [] 1"}},
		"an output that names a status": {codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"Process exited with code 0\nOutput:\n`+strings.Repeat("x", 300)+`Process exited with code 9, rejected by user"}`), []string{"c1 passed [] 0"}},
		"a refused command":             {codexLine("response_item", `{"type":"function_call_output","call_id":"c1","output":"exec command rejected by user"}`), []string{"c1 stopped [] -1"}},
		"a patch":                       {codexLine("response_item", `{"type":"custom_tool_call","name":"apply_patch","call_id":"c2","input":"*** Begin Patch\n*** Update File: a.go\n@@\n*** Add File: b.go\n*** End Patch"}`), []string{"c2 started [a.go b.go] -1"}},
		"a tool of a server":            {codexEvent(`{"type":"McpToolCall","id":"c3","server":"memctl","tool":"remember","status":"completed","result":{}}`), []string{"c3 passed [] -1"}},
	})
	for name, tt := range map[string]struct{ meta, want string }{
		"a subagent":       {codexMeta(`{"subagent":{"thread_spawn":{"parent_thread_id":"t-0"}}}`, "subagent"), "harness: use tabs"},
		"codex exec":       {codexMeta(`"exec"`, "user"), "person: use tabs"},
		"an editor":        {codexMeta(`"vscode"`, "user"), "person: use tabs"},
		"an offset alone":  {"", "person: use tabs"},
		"the first format": {`{"id":"t-1","timestamp":"2025-05-06T07:08:09Z","instructions":null}` + "\n", "person: use tabs"},
	} {
		turns, _ := read(tt.meta+codexSaid("use tabs"), Options{Session: Session{Format: Codex}})
		if len(turns) != 1 || brief(turns[0]) != tt.want || turns[0].Prompt != "r-1" || (turns[0].Session.Mode == Headless) != (name == "codex exec") {
			t.Errorf("%s: %q, want %q", name, briefs(turns), tt.want)
		}
	}
}
