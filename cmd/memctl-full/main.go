// Memctl-full is memctl with the page and the client of PostgreSQL, which would be a quarter of memctl. Memctl starts it for
// the commands that need them.
package main

import (
	"os"

	"github.com/memctl/memctl/cmd"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/page"
	"github.com/memctl/memctl/page/pageenv"
	"github.com/memctl/memctl/recall/postgres/pgclient"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], term.Standard(os.Getenv), cmd.Parts{
		Page: func(e pageenv.Env) pageenv.Page { return page.New(e) },
		Dial: pgclient.Connect,
	}))
}
