package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/session"
)

func TestLastMessages(t *testing.T) {
	claude := `{"type":"summary","summary":"old"}
{"type":"user","message":{"role":"user","content":"first"}}
{"type":"user","isMeta":true,"message":{"role":"user","content":"caveat"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"second"},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"a file"}]}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"third"},{"type":"text","text":"line"}]}}
`
	codex := `{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"first"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","output":"a file"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"second"}]}}
`
	for name, tt := range map[string]struct {
		data string
		want []string
	}{
		"Claude Code's": {claude, []string{"first", "second", "third\nline"}},
		"Codex'":        {codex, []string{"first", "second"}},
		"Gemini CLI's, without what memctl handed in": {`{"id":"a","timestamp":"t","type":"user","content":[{"text":"<hook_context>rules</hook_context>\n\nfirst"}]}` + "\n", []string{"first"}},
		"a torn first and last line":                  {`ent":"x"}}` + "\n" + codex + `{"type":"resp`, []string{"first", "second"}},
		"what memctl handed in":                       {`{"type":"user","message":{"role":"user","content":"` + session.Preamble + ` and more"}}`, nil},
		"CRLF":                                        {strings.ReplaceAll(codex, "\n", "\r\n"), []string{"first", "second"}},
		"the last ones of many":                       {strings.Repeat(codex, 9), []string{"first", "second", "first", "second"}},
		"a long message is cut":                       {`{"type":"user","message":{"role":"user","content":"` + strings.Repeat("x", 9000) + `"}}`, []string{strings.Repeat("x", messageBytes)}},
		"no lines at all":                             {"", nil},
		"fields of other types":                       {`{"type":7,"message":[],"payload":"x"}` + "\n[]\nnull\n7\n" + `{"type":"user","message":{"role":"user","content":{"a":1}}}`, nil},
		"deep nesting":                                {strings.Repeat("[", 60000), nil},
		"a message of another person":                 {`{"type":"system","message":{"role":"system","content":"x"}}`, nil},
	} {
		if got := lastMessages([]byte(tt.data)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestTranscriptIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	line := `{"type":"user","message":{"role":"user","content":"hello"}}` + "\n"
	good := put("good.jsonl", line)
	large := put("large.jsonl", strings.Repeat("x", 10*transcriptBytes)+"\n"+line)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(good, link); err != nil {
		link = dir // where there are no links
	}
	for path, want := range map[string]int{
		good: 1, large: 1, link: 0, dir: 0, filepath.Join(dir, "gone"): 0, "": 0, "good.jsonl": 0, os.DevNull: 0, "/dev/zero": 0,
	} {
		if got := (Call{Transcript: path}).recent(); len(got) != want {
			t.Errorf("%q: %q, want %d", path, got, want)
		}
	}
}

func FuzzLastMessages(f *testing.F) {
	f.Add([]byte(`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x"}]}}` + "\n"))
	f.Add([]byte(`{"type":"response_item","payload":{"type":"message","role":"user","content":"x"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := lastMessages(data)
		if len(list) > recentMessages {
			t.Errorf("%d messages", len(list))
		}
		for _, text := range list {
			if text == "" || len(text) > messageBytes {
				t.Errorf("a message of %d bytes", len(text))
			}
		}
	})
}
