package project

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// scriptedModel answers each request with the number of its messages, and keeps the system
// messages.
type scriptedModel struct {
	mutex   sync.Mutex
	systems []string
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, "a bad request", http.StatusBadRequest)
		return
	}
	m.mutex.Lock()
	m.systems = append(m.systems, body.Messages[0].Content)
	m.mutex.Unlock()
	text := fmt.Sprintf("message %d to \"you\"", len(body.Messages))
	if strings.Contains(body.Messages[len(body.Messages)-1].Content, "silent") {
		text = "NO_REPLY"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": text}}}})
}

// TestBotsInTheDocs runs the bot of docs/examples against a model server.
func TestBotsInTheDocs(t *testing.T) {
	code, err := os.ReadFile("docs/examples/bot.sh")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(code), "\n"); lines > 40 {
		t.Errorf("the bot has %d lines", lines)
	}
	for _, program := range []string{"sh", "jq", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	talkToBot(t, programs, "bot.sh", string(code), []string{"sh", "bot.sh"})
}

// talkToBot runs a bot in a repository of its own, says three lines to it, and checks its answers and its prompts.
func talkToBot(t *testing.T, bin, file, code string, run []string) {
	t.Helper()
	model := &scriptedModel{}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	server := httptest.NewServer(model)
	defer server.Close()
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + home + "/data", "XDG_CONFIG_HOME=" + home + "/config", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"PATH=" + os.Getenv("PATH"), "MODEL_URL=" + server.URL + "/v1", "GOFLAGS=-mod=mod", "GOPATH=" + os.Getenv("GOPATH")}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	repo := filepath.Join(home, "repo")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	do := func(input string, args ...string) string {
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env, c.Stdin = repo, env, strings.NewReader(input)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	do("", "git", "init", "-q")
	do("", "memctl", "init", "-q")
	do("", "memctl", "add", "-q", "deploy.day", "never on a Friday")
	if err := os.WriteFile(filepath.Join(repo, file), []byte(code+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := do("may I deploy today?\nbe silent\nand now?\n", run...)
	if want := "message 2 to \"you\"\nmessage 6 to \"you\"\n"; got != want {
		t.Errorf("the bot said %q, want %q", got, want)
	}
	if len(model.systems) != 3 {
		t.Fatalf("%d requests", len(model.systems))
	}
	for _, word := range []string{"## First Run", "<context_file", "# Character", "deploy.day: never on a Friday", "<extra_context>"} {
		if !strings.Contains(model.systems[0], word) {
			t.Errorf("no %q in the prompt\n%s", word, model.systems[0])
		}
	}
}
