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

func TestDocuments(t *testing.T) {
	gemini := "{\n  \"sessionId\": \"g-1\",\n  \"projectHash\": \"c7\",\n  \"startTime\": \"2026-03-04T05:06:07Z\",\n  \"messages\": [\n    " +
		geminiSays("m1", "user", `"use \" ]}"`, "") + ",\n    " + geminiSays("m2", "gemini", `"Yes."`, "") + "\n  ]\n}\n"
	part := func(more string) string { return `{"id":"p1","type":"text",` + more + `}` }
	message := func(role, parts string) string {
		return `{"info":{"id":"o1","role":"` + role + `","time":{"created":1795355360084},"path":{"cwd":"/srv/app"}},"parts":[` + parts + `]}`
	}
	export := "{\n  \"info\": {\"id\": \"ses_1\", \"directory\": \"/srv/app\", \"diffs\": [{\"a\":[]}]},\n  \"messages\": [" +
		message("user", part(`"text":"\"use tabs\""`)+","+part(`"text":"always so","synthetic":true`)) + "," +
		message("assistant", part(`"text":"Yes."`)+`,{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"make"},"metadata":{"exit":2}}}`) + "]\n}\n"
	for name, tt := range map[string]struct {
		data   string
		format Format
		want   []string
	}{
		"an older Gemini CLI":        {gemini, GeminiDocument, []string{`person: use " ]}`, "assistant: Yes."}},
		"on one line":                {strings.ReplaceAll(gemini, "\n", ""), GeminiDocument, []string{`person: use " ]}`, "assistant: Yes."}},
		"opencode export":            {export, OpenCode, []string{"person: use tabs", "harness: always so", "assistant: Yes.", "c1 failed make [] 2"}},
		"a subagent of OpenCode":     {strings.Replace(export, `"directory"`, `"parentID":"ses_0","directory"`, 1), OpenCode, []string{`harness: "use tabs"`, "harness: always so", "assistant: Yes.", "c1 failed make [] 2"}},
		"an export that is cut":      {export[:len(export)-20], OpenCode, []string{"person: use tabs", "harness: always so"}},
		"an export without messages": {`{"info":{"id":"ses_1"},"messages":[]}`, OpenCode, []string{}},
	} {
		turns, r := read(tt.data, Options{})
		if got := briefs(turns); r.Session().Format != tt.format || r.Session().ID == "" || !slices.Equal(got, tt.want) || r.Skipped() != 0 {
			t.Errorf("%s: %q, %+v, %d skipped", name, got, r.Session(), r.Skipped())
		}
		checkOffsets(t, name, tt.data, tt.format)
	}
}

func TestOpenCodeRows(t *testing.T) {
	row := func(table, row string) string { return `{"table":"` + table + `","row":{` + row + `}}` + "\n" }
	data := row("session", `"id":"ses_1","parent_id":null,"directory":"/srv/app","time_created":1795355359878`) +
		row("session", `"id":"ses_2","parent_id":"ses_1","directory":"/srv/app"`) +
		row("message", `"id":"o1","session_id":"ses_1","data":{"role":"user"}`) +
		row("message", `"id":"o2","session_id":"ses_1","data":{"role":"assistant"}`) +
		row("message", `"id":"o3","session_id":"ses_2","data":{"role":"user"}`) +
		row("part", `"id":"p1","message_id":"o1","session_id":"ses_1","time_created":1795355359878,"data":{"type":"text","text":"\"use tabs\""}`) +
		row("part", `"id":"p2","message_id":"o2","session_id":"ses_1","data":{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"make"},"metadata":{"exit":0}}}`) +
		row("part", `"id":"p3","message_id":"o2","session_id":"ses_1","data":{"type":"patch","files":["/srv/a.go"]}`) +
		row("part", `"id":"p4","message_id":"o2","session_id":"ses_1","data":{"type":"step-start"}`) +
		row("part", `"id":"p5","message_id":"o3","session_id":"ses_2","data":{"type":"text","text":"count files"}`)
	turns, r := read(data, Options{})
	want := []string{"person: use tabs", "c1 passed make [] 0", "p3 passed [/srv/a.go] -1", "harness: count files"}
	if got := briefs(turns); !slices.Equal(got, want) || r.Session().Format != OpenCodeRows {
		t.Errorf("%q", got)
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

func TestSpecStory(t *testing.T) {
	head := "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2026-03-04 05:06:07Z\n\n<!-- Claude Code Session s-1 (2026-03-04 05:06:07Z) -->\n\n"
	checkTraps(t, SpecStory, head, 0, map[string]trap{
		"messages with times": {"_**User (2026-03-04 05:06:07Z)**_\n\nuse tabs\n\nand _**bold**_\n\n---\n\n_**Agent (model-x 2026-03-04 05:06:09Z)**_\n\nYes.\n\n---\n\n_**Agent (model-x 2026-03-04 05:06:10Z)**_\n\nDone.\n",
			[]string{"person: use tabs\n\nand _**bold**_", "assistant: Yes.", "assistant: Done."}},
		"messages of an editor": {"_**User**_\n\nuse tabs\n\n---\n\n_**Assistant**_\n\nYes.\n\n---\n", []string{"person: use tabs", "assistant: Yes."}},
		"an agent's mode":       {"_**Agent (model x, mode Agent)**_\n\n<think>always</think>\n", []string{"assistant: <think>always</think>"}},
		"a subagent's order":    {"_**User (2026-03-04 05:06:07Z sidechain)**_\n\ncount\n", []string{"harness: count"}},
		"a slash command":       {"_**User**_\n\n<command-name>/x</command-name>\n", []string{"harness: <command-name>/x</command-name>"}},
	})
	turns, _ := read(head+"_**User (2026-03-04 05:06:07Z)**_\n\nuse tabs\n", Options{})
	if len(turns) != 1 || turns[0].Session.ID != "s-1" || turns[0].Time.IsZero() || turns[0].Typed {
		t.Errorf("facts: %+v", turns)
	}
}

func TestAider(t *testing.T) {
	plan := "Put the parser into parse.go, and let main call it with the arguments that it got from the shell."
	checkTraps(t, Aider, "\n# aider chat started at 2026-03-04 05:06:07\n\n> Aider v0.80  \n> Main model: x  \n\n", 0, map[string]trap{
		"a message of two lines": {"#### use tabs  \n####   \n#### and never spaces  \n\nYes.\n\n#### A heading of the model\n\nMore.\n\n> Applied edit to a.go  \n> Commit 1a2b3c style: use tabs  \n\n#### go on  \n",
			[]string{"person: use tabs\n\nand never spaces", "assistant: Yes.\n\n#### A heading of the model\n\nMore.", "passed [a.go] -1", "passed git commit -m 'style: use tabs' [] -1", "person: go on"}},
		"the architect's words as the person's": {"#### add a parser  \n\n" + plan + "\n\n> Edit the files? (Y)es/(N)o [Yes]: y  \n\n#### " + plan + "  \n\nDone.\n\n#### thanks  \n",
			[]string{"person: add a parser", "assistant: " + plan, "harness: " + plan, "assistant: Done.", "person: thanks"}},
		"the person repeats a word": {"#### shall I?  \n\nyes, do it\n\n#### yes  \n", []string{"person: shall I?", "assistant: yes, do it", "person: yes"}},
		"commands":                  {"#### /add a.go  \n\n> Added a.go to the chat  \n\n#### /ask use tabs?  \n", []string{"harness: /add a.go", "person: use tabs?"}},
		"another session":           {"#### one  \n\nYes.\n\n# aider chat started at 2026-03-05 05:06:07\n\n#### two  \n", []string{"person: one", "assistant: Yes.", "person: two"}},
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
		"rows of OpenCode":            {`{"table":"session","row":{}}`, OpenCodeRows},
		"SpecStory of an old version": {"# title\n\n_**User**_\n\nx\n", SpecStory},
		"Aider":                       {"\n# aider chat started at 2026-03-04 05:06:07\n", Aider},
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
