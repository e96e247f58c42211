// Package mcpenv is what the MCP server asks of the command line, and offers it. The server itself is linked into memctl-full
// alone.
package mcpenv

import (
	"context"
	"io"
	"net"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// MinToken is the least length of a bearer token, in bytes.
const MinToken = 16

// Server serves MCP until its client hangs up or the context ends.
type Server interface {
	// Stdio serves one client on a pair of streams.
	Stdio(ctx context.Context, in io.Reader, out io.Writer) error
	// HTTP serves clients that know the token.
	HTTP(ctx context.Context, l net.Listener, token string) error
}

// Env is what the command line hands in.
type Env struct {
	// Open opens the stores of a folder anew; "" is the folder that the process
	// was started in. It is called for every request, so that requests share
	// nothing and see what other processes wrote.
	Open func(ctx context.Context, dir string) (*store.Stores, error)
	// Transcripts are the past sessions that agents keep on this machine, for a project's folder.
	Transcripts func(root string) history.Machine
	// Explain turns any error of an act into one with a stable code and hints.
	Explain func(error) *fault.Error
	// Origin is the kind of origin that the person set outright
	// (MEMCTL_ORIGIN); "" lets each call say.
	Origin string
	// Agent is what the environment says of the agent that started the server: its session, and whether
	// any person prompts it.
	Agent memory.Origin
	// Dial connects to the server of the shared index; nil searches the index on disk alone.
	Dial postgres.Dial
	// Resources offers the briefing as a resource, to clients that no hook gives it to.
	Resources bool
	// Skills: there are skills, so the tool that finds them is offered.
	Skills bool
	// Version is memctl's, told to clients.
	Version string
}
