package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// claudeLine completes a record of Claude Code.
func claudeLine(members string) string {
	return `{"parentUuid":null,"isSidechain":false,` + members + `,"uuid":"u-1","timestamp":"2026-03-04T05:06:07.089Z","userType":"external","entrypoint":"cli","cwd":"/srv/app","sessionId":"s-1","version":"2.1.197","gitBranch":"main"}` + "\n"
}

// claudeSays is a record in the person's place.
func claudeSays(content, more string) string {
	return claudeLine(`"promptId":"p-1","type":"user","message":{"role":"user","content":` + content + `}` + more)
}

const typed = `,"permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed"`

func TestClaude(t *testing.T) {
	prompt := claudeSays(`"sort the imports"`, typed)
	checkTraps(t, Claude, "", 0, map[string]trap{
		"a person typed it": {prompt, []string{"person typed: sort the imports"}},
		"a script gave it":  {claudeSays(`"sort the imports"`, `,"promptSource":"sdk"`), []string{"person: sort the imports"}},
		"bookkeeping repeats the prompt": {`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-03-04T05:06:07Z","sessionId":"s-1","content":"sort the imports"}` + "\n" + prompt +
			`{"type":"last-prompt","lastPrompt":"sort the imports","leafUuid":"u-1","sessionId":"s-1"}` + "\n" + `{"type":"mode","mode":"normal","sessionId":"s-1"}` + "\n",
			[]string{"person typed: sort the imports"}},
		"a caveat is meta":       {claudeSays(`[{"type":"text","text":"Go on where you stopped."}]`, `,"isMeta":true`), []string{"harness: Go on where you stopped."}},
		"meta beats typed":       {claudeSays(`"x"`, `,"isMeta":true`+typed), []string{"harness: x"}},
		"a slash command":        {claudeSays(`"<command-name>/clear</command-name>\n<command-args>never push</command-args>"`, ``), []string{"harness: <command-name>/clear</command-name>\n<command-args>never push</command-args>"}},
		"its output":             {claudeSays(`"<local-command-stdout>always done</local-command-stdout>"`, ``), []string{"harness: <local-command-stdout>always done</local-command-stdout>"}},
		"a summary":              {claudeSays(`"The person wants tabs."`, `,"isCompactSummary":true,"isVisibleInTranscriptOnly":true`), []string{"harness: The person wants tabs."}},
		"an interrupt":           {claudeSays(`[{"type":"text","text":"[Request interrupted by user]"}]`, ``), []string{"harness: [Request interrupted by user]"}},
		"a notification":         {claudeSays(`"the task is done"`, `,"origin":{"kind":"task-notification"}`), []string{"harness: the task is done"}},
		"an old version":         {claudeSays(`"use tabs"`, ``), []string{"person: use tabs"}},
		"an order to a subagent": {strings.Replace(claudeSays(`"count the files"`, typed+`,"agentId":"a1"`), `"isSidechain":false`, `"isSidechain":true`, 1), []string{"harness: count the files"}},
		"memctl's own words": {claudeLine(`"attachment":{"type":"hook_success","hookName":"SessionStart:startup","stdout":"{\"a\":\"never push\"}","exitCode":0},"type":"attachment"`) +
			claudeLine(`"attachment":{"type":"hook_additional_context","content":["never push"],"hookEvent":"SessionStart"},"type":"attachment"`) +
			claudeLine(`"attachment":{"type":"hook_system_message","content":"noted"},"type":"attachment"`),
			[]string{`harness: {"a":"never push"}`, "harness: never push", "harness: noted"}},
		"a prompt while the agent is busy": {claudeLine(`"attachment":{"type":"queued_command","prompt":"use tabs","commandMode":"prompt","origin":{"kind":"human"}},"type":"attachment"`) +
			claudeLine(`"attachment":{"type":"queued_command","prompt":"done","commandMode":"task-notification"},"type":"attachment"`),
			[]string{"person typed: use tabs", "harness: done"}},
		"other attachments": {claudeLine(`"attachment":{"type":"skill_listing","content":"always search"},"type":"attachment"`), []string{}},
		"a compaction":      {claudeLine(`"type":"system","subtype":"compact_boundary","content":"Conversation compacted"`) + prompt, []string{"person typed: sort the imports"}},
		"a command that fails": {claudeLine(`"message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I try."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make \"all\"","description":"d"}}]},"type":"assistant"`) +
			claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"Exit code 2\nno rule","is_error":true}]`, `,"toolUseResult":"Error: Exit code 2\nno rule"`),
			[]string{"assistant: I try.", `t1 started make "all" [] -1`, "t1 failed [] 2"}},
		"an output that names a status":  {claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"Exit code 1\nthis requires approval, then again, and in the end: Exit code 5","is_error":true}]`, ``), []string{"t1 failed [] 1"}},
		"a call that the person refuses": {claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"The user doesn't want to proceed with this tool use.","is_error":true}]`, ``), []string{"t1 stopped [] -1"}},
		"an interrupted command":         {claudeSays(`[{"tool_use_id":"t1","type":"tool_result","content":"","is_error":false}]`, `,"toolUseResult":{"stdout":"","interrupted":true}`), []string{"t1 stopped [] -1"}},
		"a written file":                 {claudeLine(`"message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/srv/a.go","old_string":"x"}}]},"type":"assistant"`) + claudeSays(`[{"tool_use_id":"t2","type":"tool_result","content":[{"type":"text","text":"ok"}]}]`, ``), []string{"t2 started [/srv/a.go] -1", "t2 passed [] -1"}},
		"a read file":                    {claudeLine(`"message":{"content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/srv/a.go"}}]},"type":"assistant"`), []string{"t2 started [] -1"}},
	})
}

func TestClaudeFacts(t *testing.T) {
	resumed := claudeSays(`"one"`, typed) + strings.Replace(claudeSays(`"two"`, `,"promptSource":"sdk"`), `"cli"`, `"sdk-cli"`, 1)
	turns, r := read(resumed, Options{})
	if len(turns) != 2 || turns[0].Session.Mode != Interactive || turns[1].Session.Mode != Headless {
		t.Fatalf("a session that a script resumes: %+v", turns)
	}
	first := turns[0]
	want := Session{Format: Claude, ID: "s-1", Folder: "/srv/app", Mode: Interactive, Start: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)}
	if first.Session != want || first.Prompt != "p-1" || first.ID != "u-1" || !first.Time.Equal(want.Start) {
		t.Errorf("facts: %+v", first)
	}
	if r.Session().Mode != Headless || r.Offset() != int64(len(resumed)) {
		t.Errorf("the reader ends with %+v at %d", r.Session(), r.Offset())
	}
}

func TestBrokenRecordsAreSkipped(t *testing.T) {
	good := claudeSays(`"use tabs"`, typed)
	want := []string{"person typed: use tabs", "person typed: use tabs"}
	for name, tt := range map[string]struct {
		data    string
		skipped int
		left    int // bytes at the end that wait
	}{
		"no fault":                    {good + good, 0, 0},
		"empty lines":                 {good + "\n\r\n" + good, 0, 0},
		"a byte order mark":           {"\xEF\xBB\xBF" + good + good, 0, 0},
		"garbage":                     {good + "\x00\x00\x00\n" + good, 1, 0},
		"a torn line before a resume": {good + good[:90] + good + good, 1, 0},
		"a line over the cap":         {good + claudeSays(`"`+strings.Repeat("x", 9000)+`"`, typed) + good, 1, 0},
		"a cut last line":             {good + good + good[:200], 0, 200},
		"a last line without its end": {good + strings.TrimSuffix(good, "\n"), 0, 0},
		"lists, numbers and null":     {good + "[]\n7\nnull\n" + good, 3, 0},
		"deep nesting":                {good + strings.Repeat("[", 5000) + "\n" + good, 1, 0},
	} {
		turns, r := read(tt.data, Options{Session: Session{Format: Claude}, MaxRecord: 8000})
		if got := briefs(turns); !slices.Equal(got, want) || r.Skipped() != tt.skipped || r.Offset() != int64(len(tt.data)-tt.left) {
			t.Errorf("%s: %q, %d skipped, ends %d before the end", name, got, r.Skipped(), int64(len(tt.data))-r.Offset())
		}
	}
}

// TestLimit reads in small parts, as a hook does, and finds each turn once.
func TestLimit(t *testing.T) {
	many := func(parts ...string) string { return strings.Repeat(strings.Join(parts, ""), 80) }
	for format, data := range map[Format]string{
		Claude: many(claudeSays(`"one"`, typed), claudeSays(`"two"`, typed)),
		Codex:  codexMeta(`"cli"`, "user") + many(codexSaid("one"), codexSaid("two")),
		Gemini: geminiHead + many(geminiSays("m1", "user", `"one"`, "")+"\n", geminiSays("m2", "gemini", `"two"`, "")+"\n", geminiSays("m2", "gemini", `"two"`, `,"toolCalls":[{"id":"c"}]`)+"\n"),
	} {
		o := Options{Session: Session{Format: format}}
		all, _ := read(data, o)
		for _, limit := range []int64{700, 999, 1500, 2048} {
			o := Options{Session: Session{Format: format}, Limit: limit}
			var got []string
			parts := 0
			for ; o.Offset < int64(len(data)) && parts < 1000; parts++ {
				turns, r := read(data[o.Offset:], o)
				if read := r.Offset() - o.Offset; read <= 0 || read > limit+1000 {
					t.Fatalf("%s: read %d bytes at once", format, read)
				}
				got = append(got, briefs(turns)...)
				o.Offset, o.Session = r.Offset(), r.Session()
			}
			if !slices.Equal(got, briefs(all)) || len(all) < 40 || parts < 2 {
				t.Errorf("%s in parts of %d: %d turns, not %d", format, limit, len(got), len(all))
			}
		}
	}
}
