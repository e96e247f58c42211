package cmd

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/recall/postgres"
)

// TestMCPAsksToBeStartedAgain has settings that do not start memctl-full with mcp. They may change while mcp runs, and recall
// then has to say why it does not ask the server.
func TestMCPAsksToBeStartedAgain(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"the engine is file":          {"MEMCTL_RECALL_ENGINE": "file"},
		"there is no shared index":    {},
		"the engine is unknown":       {"MEMCTL_RECALL_ENGINE": "paper"},
		"the stores cannot be opened": {"MEMCTL_NOW": "noon"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env["HOME"], env["XDG_DATA_HOME"] = t.TempDir(), t.TempDir()
			a, _, _ := testApp(env)
			s := &session{app: a, ctx: t.Context()}
			dial, err := s.dialOfMCP()
			if err != nil || dial == nil {
				t.Fatalf("dial is set: %v, error: %v", dial != nil, err)
			}
			if _, err = dial(t.Context(), "", 0); err == nil || !strings.Contains(err.Error(), "start it again") {
				t.Errorf("dial says %v", err)
			}

			called := errors.New("called")
			a.parts.Dial = func(context.Context, string, time.Duration) (postgres.Server, error) { return nil, called }
			if dial, err = s.dialOfMCP(); err != nil {
				t.Fatal(err)
			}
			if _, err = dial(t.Context(), "", 0); err != called {
				t.Errorf("with a client, dial says %v", err)
			}
		})
	}
}
