package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func TestTranscripts(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	digest := sha256.Sum256([]byte("/srv/app"))
	folders := map[string]string{ // the folder of each session that is to be found
		write("my [claude]/projects/-srv-app/c1.jsonl", `{"type":"user","sessionId":"c1","cwd":"/srv/app","message":{"role":"user","content":"hi"},"promptSource":"typed"}`+"\n"+
			`{"type":"user","sessionId":"c1","cwd":"/srv/later","message":{"role":"user","content":"ho"},"promptSource":"typed"}`+"\n"): "/srv/app",
		write(".codex/sessions/2026/11/12/rollout-1.jsonl", `{"timestamp":"2026-11-12T08:00:00Z","type":"session_meta","payload":{"id":"x1","cwd":"/srv/x","source":"cli","thread_source":"user"}}`+"\n"): "/srv/x",
		write(".gemini/tmp/app/chats/session-1.jsonl", `{"sessionId":"g1","projectHash":"`+hex.EncodeToString(digest[:])+`","startTime":"2026-11-12T08:00:00Z","kind":"main"}`+"\n"):                      "/srv/app",
		write(".gemini/tmp/other/chats/session-2.jsonl", `{"sessionId":"g2","projectHash":"00","startTime":"2026-11-12T08:00:00Z","kind":"main"}`+"\n"):                                                   "",
		write(".copilot/session-state/p1/events.jsonl", `{"type":"session.start","data":{"sessionId":"p1","context":{"cwd":"/srv/p"}},"id":"e1","timestamp":"2026-11-13T08:00:00Z"}`+"\n"):                "/srv/p",
	}
	write("my [claude]/projects/-srv-app/c1/subagents/agent-1.jsonl", "{}\n")
	write(".claude/projects/-srv-app/old.jsonl", "{}\n") // $CLAUDE_CONFIG_DIR is elsewhere
	m := Machine{Home: home, Getenv: func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(home, "my [claude]")}[name]
	}}
	files := Transcripts(m)
	if len(files) != len(folders) {
		t.Errorf("%d files, want %d: %v", len(files), len(folders), files)
	}
	for _, f := range files {
		s, err := SessionOf(f.Path, "/srv/app", "/srv/none")
		if want, there := folders[f.Path]; err != nil || !there || s.Folder != want {
			t.Errorf("%s: folder %q, %v, want %q", f.Path, s.Folder, err, want)
		}
	}
}
