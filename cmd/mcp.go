package cmd

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/sharing"
)

// envMCPToken holds the bearer token of `mcp --http`.
const envMCPToken = "MEMCTL_MCP_TOKEN"

// tokenBytes is the length of a new bearer token.
const tokenBytes = 32

func newMCP(a *app) *cobra.Command {
	address, resources := "", false
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory to agents over MCP",
		Long: `Mcp is a server for the Model Context Protocol on stdin and stdout. It offers tools to
remember, recall, update, forget and list, and to find skills where there are any. The agent
starts it; docs/mcp.md has the settings. With --resources the briefing of a session is a
resource, for clients without hooks.

With --http it serves several agents on this machine over HTTP. Each needs the bearer
token in MEMCTL_MCP_TOKEN; if that is not set, mcp prints a new token.`,
		Example: `  claude mcp add memctl -- memctl mcp
  codex mcp add memctl -- memctl mcp
  memctl mcp --http 127.0.0.1:7333`,
		RunE: a.needsFull(a.runner(needNothing, func(s *session, _ []string) error { return runMCP(s, address, resources) })),
	}
	c.Flags().StringVar(&address, "http", "", "serve HTTP at `ADDRESS`, such as 127.0.0.1:7333; only loopback is allowed")
	c.Flags().BoolVar(&resources, "resources", false, "offer the briefing as a resource")
	return c
}

func runMCP(s *session, address string, resources bool) error {
	setPace(steadyHeap)
	origin := s.getenv(envOrigin)
	if origin != "" {
		if _, err := s.origin(false); err != nil {
			return err
		}
	}
	hasSkills := false
	if ss, err := s.openIn(s.ctx, ""); err == nil { // else each request reports the error
		hasSkills = briefing.HasSkills(s.ctx, ss)
		go sharing.Renew(s.ctx, ss, s.parts.Dial) // a client does not wait for the copy of the shared index
	}
	var agent memory.Origin // clients of an address are nobody's children
	if address == "" {
		agent = agents.OriginFromEnv(s.getenv)
	}
	env := door.MCPEnv{
		Open: s.serverStores(), Dial: s.parts.Dial, Transcripts: s.pastSessions, Explain: explain, Origin: origin, Agent: agent, Resources: resources, Skills: hasSkills,
		Version: buildVersion().Version,
	}
	defer s.readInBackground(env.Open)()
	server := s.parts.MCP(env)
	if address == "" {
		if err := server.Stdio(s.ctx, s.streams.Reader(s.ctx), s.streams.Out); err != nil {
			return broken("protocol", "stdin: not a message of the Model Context Protocol: "+err.Error())
		}
		return nil
	}
	return s.serveHTTP(server, address)
}

// serveHTTP listens, says where and with which token, and serves.
func (s *session) serveHTTP(server door.MCPServer, addr string) error {
	token := s.getenv(envMCPToken)
	if token != "" && len(token) < door.MinToken {
		return usage(envMCPToken, "use 16 characters or more", "openssl rand -hex 32")
	}
	l, err := loopback.Listen(addr)
	switch {
	case fault.Is(err, fault.NotLoopback):
		return usage("--http "+addr, "use a loopback address with a port, so that nobody else can reach your memory", "memctl mcp --http 127.0.0.1:7333")
	case err != nil:
		return cannotListen(addr, err)
	}
	s.talk("serving http://" + l.Addr().String() + "/")
	if token == "" {
		token = loopback.NewSecret(tokenBytes)
		s.talk("bearer token: " + token)
	}
	return server.HTTP(s.ctx, l, token)
}

// cannotListen is the error of an address that another program may have.
func cannotListen(address string, err error) error {
	return &fault.Error{Code: "listen", Status: statusFault, Cause: named(address, err.Error()), Retry: true}
}

// serverStores opens the stores of a folder for each request; "" is the folder in which the server was started. A git switch
// can remove that folder and make it again. The process is then in a folder without a name, so it changes to the new one.
func (s *session) serverStores() func(context.Context, string) (*store.Stores, error) {
	start, _ := os.Getwd()
	return func(ctx context.Context, dir string) (*store.Stores, error) {
		if _, err := os.Getwd(); err != nil && start != "" {
			_ = os.Chdir(start) // if that fails, opening says so
		}
		return s.openIn(ctx, dir)
	}
}

// openIn opens the stores of a folder, "" being the process's own. What an act
// says on the way goes to stderr, which clients keep as the server's log.
func (a *app) openIn(ctx context.Context, dir string) (*store.Stores, error) {
	env, err := a.env(dir)
	if err != nil {
		return nil, err
	}
	env.Talk = a.talk
	return store.Open(ctx, env)
}
