// Memctl-full is memctl with the page, the MCP server, the proxy and the client of PostgreSQL. Memctl starts it for the
// commands that need them.
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
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], term.Standard(os.Getenv), cmd.FullParts{
		Page:  func(e door.PageEnv) door.Page { return page.New(e) },
		MCP:   func(e door.MCPEnv) door.MCPServer { return mcp.Env(e) },
		Proxy: func(e door.ProxyEnv) door.Proxy { return proxy.New(proxy.Env(e)) },
		Dial:  new(pgclient.Pool).Connect,
	}))
}
