package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/transcript"
)

func TestALongCallTellsHowFarItIs(t *testing.T) {
	b := repository(t)
	t.Setenv("GIT_CONFIG_GLOBAL", b.root+"/.git/global") // only the person's own settings turn it on
	b.git("config", "--global", "memctl.recall.history", "on")
	for _, name := range []string{"a", "b", "c", "d"} {
		b.write(name+".jsonl", "{}\n")
	}
	b.env.Transcripts = func(root string) history.Transcripts {
		return history.Transcripts{
			Files:       []string{root + "/a.jsonl", root + "/b.jsonl", root + "/c.jsonl", root + "/d.jsonl"},
			ReadSession: func(string) (transcript.Session, error) { time.Sleep(progressPause); return transcript.Session{}, nil },
		}
	}
	server, client := sdk.NewInMemoryTransports()
	l := b.env.link()
	if _, err := l.server.Connect(t.Context(), server, nil); err != nil {
		t.Fatal(err)
	}
	told := make(chan float64, 100)
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			if r.Params.ProgressToken == "one" && r.Params.Total == 4 {
				told <- r.Params.Progress
			}
		},
	})
	session, err := c.Connect(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := &sdk.CallToolParams{Name: "recall", Arguments: args{"query": "redis", "history": true}}
	if _, err := session.CallTool(t.Context(), call); err != nil || len(told) > 0 {
		t.Fatalf("unasked: %d notifications, %v", len(told), err)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		b.write(name+".jsonl", strings.Repeat("{}\n", 2)) // they are read again
	}
	call.SetProgressToken("one")
	if res, err := session.CallTool(t.Context(), call); err != nil || res.IsError {
		t.Fatalf("%+v, %v", res.Content[0], err)
	}
	for last := 0.0; last < 3; {
		select {
		case now := <-told:
			if now <= last {
				t.Errorf("progress %v after %v", now, last)
			}
			last = now
		case <-time.After(5 * time.Second):
			t.Fatalf("no progress after %v", last)
		}
	}
}
