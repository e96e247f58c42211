package transcript

import (
	"slices"
	"strings"
	"testing"
)

const geminiHead = `{"sessionId":"g-1","projectHash":"c7","startTime":"2026-03-04T05:06:07.089Z","lastUpdated":"2026-03-04T05:06:07.089Z","kind":"main"}` + "\n"

func geminiSays(id, kind, content, more string) string {
	return `{"id":"` + id + `","timestamp":"2026-03-04T05:06:08.000Z","type":"` + kind + `","content":` + content + more + `}`
}

func TestGemini(t *testing.T) {
	call := `,"toolCalls":[{"id":"c1","name":"run_shell_command","args":{"command":"make"},"result":[{"functionResponse":{"response":{"output":"Output: Exit Code: 9, no rule\nExit Code: 2"}}}],"status":"success"},` +
		`{"id":"c2","name":"write_file","args":{"file_path":"a.go"},"status":"cancelled"}]`
	checkTraps(t, Gemini, geminiHead, 0, map[string]trap{
		"words after a hook's context": {geminiSays("m1", "user", `[{"text":"<hook_context># Memory\n- never push</hook_context>\n\nuse tabs"}]`, "") + "\n", []string{"person: use tabs"}},
		"context alone":                {geminiSays("m1", "user", `[{"text":"<session_context>\nalways</session_context>"}]`, "") + "\n", []string{"harness: <session_context>\nalways</session_context>"}},
		"a message written again": {geminiSays("m1", "user", `"use tabs"`, "") + "\n" + geminiSays("m2", "gemini", `"I try"`, "") + "\n" + geminiSays("m2", "gemini", `"I try."`, call) + "\n",
			[]string{"person: use tabs", "assistant: I try.", "c1 failed make [] 2", "c2 stopped [a.go] -1"}},
		"the first list": {`{"$set":{"messages":[` + geminiSays("m1", "user", `"use tabs"`, "") + `],"lastUpdated":"x"}}` + "\n", []string{"person: use tabs"}},
		"a later list": {geminiSays("m1", "user", `"use tabs"`, "") + "\n" + `{"$set":{"messages":[` + geminiSays("m9", "user", `"The person wants tabs."`, "") + `,` + geminiSays("m1", "user", `"use tabs"`, "") + `]}}` + "\n" + geminiSays("m2", "user", `"go on"`, "") + "\n",
			[]string{"person: use tabs", "person: go on"}},
		"a tool's answer":       {geminiSays("m1", "user", `[{"functionResponse":{"id":"c1","response":{"output":"never push"}}}]`, "") + "\n", []string{}},
		"what the client shows": {geminiSays("m1", "info", `"Update available"`, "") + "\n" + `{"$rewindTo":"m1"}` + "\n", []string{}},
	})
	turns, _ := read(strings.Replace(geminiHead, "main", "subagent", 1)+geminiSays("m1", "user", `"count"`, "")+"\n", Options{})
	if got := briefs(turns); !slices.Equal(got, []string{"harness: count"}) || !turns[0].Session.Subagent {
		t.Errorf("a subagent: %q", got)
	}
}

func TestCopilot(t *testing.T) {
	event := func(kind, data string) string {
		return `{"type":"` + kind + `","data":` + data + `,"id":"e1","timestamp":"2026-03-04T05:06:07.089Z","parentId":null}` + "\n"
	}
	head := event("session.start", `{"sessionId":"k-1","startTime":"2026-03-04T05:06:07Z","context":{"cwd":"/srv/app"}}`)
	checkTraps(t, Copilot, head, 0, map[string]trap{
		"the person's words": {event("user.message", `{"content":"use tabs","transformedContent":"<current_datetime>x</current_datetime>\n\nuse tabs","interactionId":"n1"}`), []string{"person: use tabs"}},
		"hooks repeat them":  {event("hook.start", `{"hookType":"userPromptSubmitted","input":{"prompt":"use tabs"}}`) + event("hook.end", `{"output":{"additionalContext":"never push"}}`), []string{}},
		"a skill's text":     {event("user.message", `{"content":"always so","source":"skill-x"}`), []string{"harness: always so"}},
		"a failed command": {event("assistant.message", `{"content":"I try.","toolRequests":[{"toolCallId":"c1"}]}`) + event("tool.execution_start", `{"toolCallId":"c1","toolName":"bash","arguments":{"command":"make"}}`) +
			event("tool.execution_complete", `{"toolCallId":"c1","success":true,"result":{"content":"<exited with exit code 9> no rule\n<exited with exit code 2>"}}`),
			[]string{"assistant: I try.", "c1 started make [] -1", "c1 failed [] 2"}},
		"a denied command": {event("tool.execution_complete", `{"toolCallId":"c1","success":false,"error":{"message":"m","code":"denied"}}`), []string{"c1 stopped [] -1"}},
		"a resume":         {event("session.resume", `{"resumeTime":"x","context":{"cwd":"/srv/app"}}`) + event("user.message", `{"content":"go on"}`), []string{"person: go on"}},
	})
	turns, _ := read(head+event("system.message", `{"content":"You are running in non-interactive mode."}`)+event("user.message", `{"content":"x"}`), Options{})
	if len(turns) != 1 || turns[0].Session.Mode != Headless || turns[0].Session.Folder != "/srv/app" || turns[0].Session.ID != "k-1" {
		t.Errorf("headless: %+v", turns)
	}
}

func TestPlainLines(t *testing.T) {
	checkTraps(t, Lines, "", 0, map[string]trap{
		"roles": {`{"role":"user","content":"use tabs","timestamp":"2026-03-04T05:06:07Z","session":"s"}` + "\n" + `{"role":"assistant","text":"Yes."}` + "\n" + `{"role":"system","content":"never"}` + "\n" + `{"role":"tool","content":"out"}` + "\n",
			[]string{"person: use tabs", "assistant: Yes.", "harness: never", "passed [] -1"}},
		"parts":                    {`{"role":"user","content":[{"type":"text","text":"use"},{"type":"image"},"tabs"]}` + "\n", []string{"person: use\ntabs"}},
		"escapes":                  {`{"role":"user","content":"caf\u00e9 \ud83d\ude00 \"x\" \\"}` + "\n", []string{`person: café 😀 "x" \`}},
		"a harness's text":         {`{"role":"user","content":"<system-reminder>x</system-reminder>"}` + "\n", []string{"harness: <system-reminder>x</system-reminder>"}},
		"the last of equal names":  {`{"role":"user","text":"a","text":"b"}` + "\n", []string{"person: b"}},
		"a name inside of a value": {`{"more":{"role":"user"},"role":"system","x":"\"role\":\"user\"","text":"a"}` + "\n", []string{"harness: a"}},
	})
}

func TestDetect(t *testing.T) {
	for name, tt := range map[string]struct {
		head string
		want Format
	}{
		"a prompt of Claude Code":     {claudeSays(`"x"`, typed), Claude},
		"a headless session":          {`{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`, Claude},
		"a snapshot of files":         {`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`, Claude},
		"Codex":                       {codexMeta(`"cli"`, "user"), Codex},
		"Codex without a time":        {`{"type":"response_item","payload":{"type":"message"}}`, Codex},
		"Codex, cut":                  {codexMeta(`"cli"`, "user")[:150], Codex},
		"Gemini CLI":                  {geminiHead, Gemini},
		"a message of Gemini CLI":     {geminiSays("m", "user", `"x"`, ""), Gemini},
		"Copilot CLI":                 {`{"type":"session.start","data":{},"id":"e","timestamp":"t","parentId":null}`, Copilot},
		"an older Gemini CLI":         {"{\n  \"sessionId\": \"g-1\",\n  \"startTime\": \"2026-03-04T05:06:07Z\",\n  \"messages\": [\n    {}]}", Unsupported},
		"an export of OpenCode":       {`{"info": {"id": "ses_1"}, "messages": [{"info":{"role":"user"}`, Unsupported},
		"rows of OpenCode":            {`{"table":"session","row":{}}`, Unsupported},
		"SpecStory":                   {"<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# x\n", Unsupported},
		"SpecStory of an old version": {"# title\n\n_**User**_\n\nx\n", Unsupported},
		"Aider":                       {"\n# aider chat started at 2026-03-04 05:06:07\n", Unsupported},
		"turns":                       {`{"role":"user","content":"x"}`, Lines},
		"a torn first line":           {`ng":1}}` + "\n" + claudeSays(`"x"`, ""), Claude},
		"a byte order mark":           {"\xEF\xBB\xBF" + `{"role":"user","text":"x"}`, Lines},
		"another file":                {"# Notes\n\nuse tabs\n{\"a\":1}\n", Unknown},
		"nothing":                     {"", Unknown},
	} {
		if got := Detect([]byte(tt.head)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
