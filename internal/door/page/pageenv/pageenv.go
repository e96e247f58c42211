// Package pageenv is what the page of memctl ui asks of the command line, and offers it. The page itself is linked into
// memctl-full alone.
package pageenv

import (
	"context"
	"net"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
)

// IdleAfter is how long the page waits for a request before it ends.
const IdleAfter = 30 * time.Minute

// Page is a page that can be served.
type Page interface {
	// URL is the address of the page at a listener. Whoever knows it can read and change memory.
	URL(l net.Listener) string
	// OnceURL is an address that leads to URL once.
	OnceURL(l net.Listener) string
	// Serve answers until the context ends, or until nobody has used the page for IdleAfter.
	Serve(ctx context.Context, l net.Listener) (idle bool, err error)
}

// Env is what the command line hands in.
type Env struct {
	// Open opens the stores anew. It is called for every request.
	Open func(ctx context.Context) (*store.Stores, error)
	// Explain turns any error of an act into one with hints.
	Explain func(error) *fault.Error
	// Agents are the coding agents of the person.
	Agents func(*store.Stores) []Agent
	// Checks runs the checks of memctl doctor.
	Checks func(ctx context.Context) []fault.Finding
	// Fix repairs what memctl doctor --fix does, and says what it did.
	Fix func(ctx context.Context) ([]fault.Note, error)
	// Demo: the page shows made memories.
	Demo bool
	// ReadOnly: no person started the page. It then changes nothing, and hides what is
	// withheld from agents.
	ReadOnly bool
	// Now is the clock that decides when the page has been idle for too long; nil is time.Now.
	Now func() time.Time
}

// Agent is a coding agent of the person.
type Agent struct {
	Name, Title string
	Connected   bool // its hooks call memctl
	Tools       bool // it has memctl's MCP server
}
