package cmd

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/mcpserver"
	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/recall/postgres"
	"github.com/memctl/memctl/store"
)

// envMCPToken holds the bearer token of `mcp --http`.
const envMCPToken = "MEMCTL_MCP_TOKEN"

type mcpOptions struct{ http string }

func newMCP(a *app) *cobra.Command {
	o := &mcpOptions{}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory to agents over MCP",
		Long: `Mcp is a server for the Model Context Protocol on stdin and stdout. It offers tools to
remember, recall, update, forget, list and confirm, and also resources and prompts. The
agent starts it; docs/mcp.md has the settings.

With --http it serves several agents on this machine over HTTP. Each needs the bearer
token in MEMCTL_MCP_TOKEN; if that is not set, mcp prints a new token.`,
		Example: `  claude mcp add memctl -- memctl mcp
  codex mcp add memctl -- memctl mcp
  memctl mcp --http 127.0.0.1:7333`,
		RunE: a.run(needNothing, func(s *session, _ []string) error { return runMCP(s, o) }),
	}
	c.Flags().StringVar(&o.http, "http", "", "serve HTTP at `ADDRESS`, such as 127.0.0.1:7333; only loopback is allowed")
	return c
}

func runMCP(s *session, o *mcpOptions) error {
	steadyHeap()
	origin := s.getenv(envOrigin)
	if origin != "" {
		if _, err := s.origin(false); err != nil {
			return err
		}
	}
	dial, err := s.dialOfMCP()
	if err != nil {
		return err
	}
	start, _ := os.Getwd()
	env := mcpserver.Env{
		Open: func(ctx context.Context, dir string) (*store.Stores, error) {
			reenter(start)
			return s.openIn(ctx, dir)
		}, Dial: dial, Transcripts: s.pastSessions, Explain: explain, HintsOf: writeHints, Origin: origin, Version: buildVersion().Version,
	}
	defer s.readInBackground(env.Open)()
	if o.http == "" {
		if err := env.Stdio(s.ctx, s.streams.Reader(s.ctx), s.streams.Out); err != nil {
			return &fault.Error{Code: "protocol", Status: statusFault, Cause: "stdin: not a message of the Model Context Protocol: " + err.Error()}
		}
		return nil
	}
	return s.serveHTTP(env, o.http)
}

// dialOfMCP is dial with the settings of the folder of the start.
func (s *session) dialOfMCP() (postgres.Dial, error) {
	ss, err := s.openIn(s.ctx, "")
	if err != nil {
		return s.dialHere(), nil // each request reports the error
	}
	engine, err := ss.Setting(s.ctx, briefing.RecallEngine)
	if err != nil {
		return s.dialHere(), nil
	}
	return s.dial(ss, engine.Text)
}

// serveHTTP listens, says where and with which token, and serves.
func (s *session) serveHTTP(env mcpserver.Env, addr string) error {
	token := s.getenv(envMCPToken)
	if token != "" && len(token) < mcpserver.MinToken {
		return usage(envMCPToken, "use 16 characters or more", "openssl rand -hex 32")
	}
	l, err := loopback.Listen(addr)
	switch {
	case fault.Is(err, fault.NotLoopback):
		return usage("--http "+addr, "use a loopback address with a port, so that nobody else can reach your memory", "memctl mcp --http 127.0.0.1:7333")
	case err != nil:
		return &fault.Error{Code: "listen", Status: statusFault, Cause: named(addr, err.Error()), Retry: true}
	}
	s.talk("serving http://" + l.Addr().String() + "/")
	if token == "" {
		token = mcpserver.NewToken()
		s.talk("bearer token: " + token)
	}
	return env.HTTP(s.ctx, l, token)
}

// reenter goes back into the folder that the server was started in where that was away
// meanwhile: a git switch takes folders and makes them again, and the process then stands
// in one that has no name any more.
func reenter(start string) {
	if _, err := os.Getwd(); err != nil && start != "" {
		_ = os.Chdir(start) // where it is not there, what is asked for next says so
	}
}

// openIn opens the stores of a folder, "" being the process's own. What an act
// says on the way goes to stderr, which clients keep as the server's log.
func (a *app) openIn(ctx context.Context, dir string) (*store.Stores, error) {
	own, err := os.Getwd()
	if err != nil && dir == "" {
		return nil, noFolder(err)
	}
	if dir == "" {
		dir = own
	}
	folder := a.global.store
	if folder == "" {
		folder = a.getenv(envStore)
	}
	if folder != "" && !filepath.IsAbs(folder) {
		folder = filepath.Join(own, folder)
	}
	now, err := a.clock()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Env{Dir: dir, StoreDir: folder, Getenv: a.getenv, Now: now, Talk: a.talk})
}
