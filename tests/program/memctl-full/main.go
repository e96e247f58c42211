// Memctl-full is memctl-full as tests run it: it can collect notes, and the hints of commands that fail.
package main

import (
	"os"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/mcpserver"
	"github.com/memctl/memctl/mcpserver/mcpenv"
	"github.com/memctl/memctl/page"
	"github.com/memctl/memctl/page/pageenv"
	"github.com/memctl/memctl/proxy"
	"github.com/memctl/memctl/proxy/proxyenv"
	"github.com/memctl/memctl/recall/postgres/pgclient"
	"github.com/memctl/memctl/tests/program"
)

func main() {
	os.Exit(program.Run(os.Args[1:], term.Standard(os.Getenv), cmd.Parts{
		Page:  func(e pageenv.Env) pageenv.Page { return page.New(e) },
		MCP:   func(e mcpenv.Env) mcpenv.Server { return mcpserver.Env(e) },
		Proxy: func(e proxyenv.Env) proxyenv.Proxy { return proxy.New(proxy.Env(e)) },
		Dial:  new(pgclient.Pool).Connect,
	}))
}
