// Package proxyenv is what the proxy asks of the command line, and offers it. The proxy itself is linked into memctl-full
// alone.
package proxyenv

import (
	"context"
	"net"
	"net/url"

	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
)

// Proxy serves one folder.
type Proxy interface {
	// Serve serves clients until the context ends.
	Serve(ctx context.Context, l net.Listener) error
	// Close stores what is still to be stored, for a bounded time.
	Close()
}

// Env is what the command line hands in.
type Env struct {
	// Open opens the stores of the folder that the proxy serves.
	Open func(context.Context) (*store.Stores, error)
	// Upstream is the model's service; nil for the one whose form a request has.
	Upstream     *url.URL
	Conversation string   // where the client names none; "" is DefaultConversation
	Scope        string   // the store of turns; "" takes the private one, outside a repository the user's
	Turns        bool     // store what is said, word for word
	NoSummaries  bool     // neither write summaries of conversations nor hand them out
	Token        string   // what each request needs, "" for nothing
	Hosts        []string // names of this machine that a Host header may have
	Say          func(string)
	// Extract, if set, finds facts in a person's messages with the model and the key of the request
	// that carried them. It runs in the background.
	Extract func(context.Context, Exchange) error
}

// Exchange is what a person says in a message, and the service that the request with it went to. Base and Key are set only
// where Env.Extract is.
type Exchange struct {
	Conversation string
	Session      string
	Text         string // of the person
	Model        string // as the request names it
	Kind         string // of the service, as package llm names it
	Base         string // its address for package llm
	Key          string // of the request, "" for none; not to be kept or logged
}

// DefaultConversation is the conversation of clients that name none.
const DefaultConversation = "default"

// TokenPrefix begins a path that holds the token, for clients that can set only an address:
// /t/TOKEN/v1/chat/completions.
const TokenPrefix = "/t/"

// MinToken is the least length of a token, in bytes.
const MinToken = 16

// Listen listens at an address. Errors: fault.NotLoopback for one that others can reach, where
// there is no token; the system's.
func Listen(addr string, token string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil || token == "" {
		return loopback.Listen(addr)
	}
	return net.Listen("tcp", addr)
}
