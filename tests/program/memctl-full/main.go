// Memctl-full is memctl-full as tests run it: it can collect notes, and the hints of commands that fail.
package main

import (
	"os"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/door/mcp"
	"github.com/memctl/memctl/internal/door/page"
	"github.com/memctl/memctl/internal/door/proxy"
	"github.com/memctl/memctl/internal/recall/postgres/pgclient"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/tests/program"
)

func main() {
	os.Exit(program.Run(os.Args[1:], term.Standard(os.Getenv), cmd.FullParts{
		Page:  func(e door.PageEnv) door.Page { return page.New(e) },
		MCP:   func(e door.MCPEnv) door.MCPServer { return mcp.Env(e) },
		Proxy: func(e door.ProxyEnv) door.Proxy { return proxy.New(proxy.Env(e)) },
		Dial:  new(pgclient.Pool).Connect,
	}))
}
