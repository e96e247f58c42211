// Package door has the interfaces between the command line and the MCP server, the proxy and the page. Only memctl-full
// links these three.
package door

import (
	"context"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memory"
)

// MinToken is the least length of a bearer token, in bytes.
const MinToken = 16

// MCPServer serves MCP until its client hangs up or the context ends.
type MCPServer interface {
	// Stdio serves one client on a pair of streams.
	Stdio(ctx context.Context, in io.Reader, out io.Writer) error
	// HTTP serves clients that know the token.
	HTTP(ctx context.Context, l net.Listener, token string) error
}

// MCPEnv is what the command line hands in.
type MCPEnv struct {
	// Open opens the stores of a folder anew; "" is the folder that the process
	// was started in. It is called for every request, so that requests share
	// nothing and see what other processes wrote.
	Open func(ctx context.Context, dir string) (*store.Stores, error)
	// Transcripts are the past sessions that agents keep on this machine, for a project's folder.
	Transcripts func(root string) history.Transcripts
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

// PageEnv is what the command line hands in.
type PageEnv struct {
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

// Proxy serves one folder.
type Proxy interface {
	// Serve serves clients until the context ends.
	Serve(ctx context.Context, l net.Listener) error
	// Close stores what is still to be stored, for a bounded time.
	Close()
}

// ProxyEnv is what the command line hands in.
type ProxyEnv struct {
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
// where ProxyEnv.Extract is.
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

// Listen listens at an address. Errors: fault.NotLoopback for one that others can reach, where
// there is no token; the system's.
func Listen(addr string, token string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil || token == "" {
		return loopback.Listen(addr)
	}
	return net.Listen("tcp", addr)
}
