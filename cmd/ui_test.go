package cmd

import (
	"context"
	"encoding/json"
	"html"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/door/page"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/tests/storetest"
)

// TestSessionsShowWhatTheHookHandsOver compares the page with the answer of the hook itself.
func TestSessionsShowWhatTheHookHandsOver(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com"} {
		t.Setenv(name, value)
	}
	box := storetest.Git(t, storetest.WithItem("style.tone", "'be brief & kind'"))
	box.Git("config", "memctl.trust", "true")
	open := func(ctx context.Context) (*store.Stores, error) {
		return store.Open(ctx, store.Env{Dir: box.Root, Getenv: os.Getenv, Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }})
	}
	p := page.New(door.PageEnv{
		Open: open, Agents: func(*store.Stores) []door.Agent {
			return []door.Agent{{Name: "claude", Title: "Claude Code", Connected: true}}
		},
	})
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := httptest.NewRecorder()
	p.Handler(l.Addr().String()).ServeHTTP(w, httptest.NewRequest("GET", p.URL(l)+"sessions", nil))
	text := w.Body.String()
	_, shown, found := strings.Cut(text, `<pre class="text" id="briefing" tabindex="0" dir="auto">`+"\n")
	shown, _, _ = strings.Cut(shown, "</pre>")
	if !found {
		t.Fatal(text)
	}
	ss, err := open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	call, ok := agents.ParseCall(agents.ByName("claude"), "", []byte(`{"hook_event_name":"SessionStart","source":"startup","session_id":"s"}`))
	if !ok {
		t.Fatal("the event is not understood")
	}
	call.Agent = agents.ByName("claude")
	answer, err := call.Respond(context.Background(), ss)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var handed struct {
		Output struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(data, &handed); err != nil || handed.Output.Context == "" {
		t.Fatalf("%v: %s", err, data)
	}
	if got := html.UnescapeString(shown); got != handed.Output.Context {
		t.Errorf("the page shows\n%q\nand the hook hands over\n%q", got, handed.Output.Context)
	}
}
