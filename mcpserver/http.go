package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/httprefuse"
	"github.com/memctl/memctl/internal/loopback"
)

// How long the server waits for a new link to have a session, for a session that nobody
// uses, and for calls under way when it ends.
const (
	linkBegins  = 10 * time.Second
	idleSession = 12 * time.Hour
	endWait     = 3 * time.Second
)

// deadlines are how long a connection may take. Without them, connections that send nothing
// would use up the files that the process may open, and no other client would get in. There is
// none for answers: a stream of events stays open.
type deadlines struct {
	head time.Duration // for the head of a request
	body time.Duration // for its body
	idle time.Duration // between two requests
}

func usualDeadlines() deadlines {
	return deadlines{head: 10 * time.Second, body: 30 * time.Second, idle: 2 * time.Minute}
}

// HTTP serves clients of the streamable HTTP transport on the listener until
// the context ends. Each session has its own folder and subscriptions.
func (e Env) HTTP(ctx context.Context, l net.Listener, token string) error {
	return e.serveHTTP(ctx, l, token, usualDeadlines())
}

func (e Env) serveHTTP(ctx context.Context, l net.Listener, token string, limits deadlines) error {
	handler, end := e.handler(token, limits)
	defer end()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: limits.head, IdleTimeout: limits.idle}
	stopped := context.AfterFunc(ctx, func() {
		end() // streams that clients keep open would hold the shutdown up
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
		defer cancel()
		if server.Shutdown(bounded) != nil {
			_ = server.Close()
		}
	})
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler is the HTTP door, and what closes every session that came through.
func (e Env) handler(token string, limits deadlines) (http.Handler, func()) {
	var mu sync.Mutex
	links := map[*link]bool{}
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		l := e.link()
		mu.Lock()
		defer mu.Unlock()
		for old := range links {
			if old.begun() && old.alone() { // its session is over
				old.close()
				delete(links, old)
			}
		}
		links[l] = true
		return l.server
	}, &mcp.StreamableHTTPOptions{MaxRequestBodyBytes: maxMessage, SessionTimeout: idleSession})
	end := func() {
		mu.Lock()
		defer mu.Unlock()
		for l := range links {
			l.close()
			for session := range l.server.Sessions() {
				go session.Close()
			}
		}
	}
	return guarded(wholeBody(protocol, limits.body), token), end
}

// guarded lets through what has the token, comes to a loopback host, and does
// not come from a foreign web page. A page in a browser could be led to this
// address by its own host name (DNS rebinding), or send a request here blindly.
func guarded(next http.Handler, token string) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback.IsHost(hostOf(r.Host)):
			httprefuse.Refuse(w, http.StatusForbidden, "memctl: the Host is not this machine's own")
		case foreign(r.Header.Values("Origin")):
			httprefuse.Refuse(w, http.StatusForbidden, "memctl: requests from other web origins are rejected")
		case !holds(r.Header.Values("Authorization"), want):
			w.Header().Set("WWW-Authenticate", `Bearer realm="memctl"`)
			httprefuse.Refuse(w, http.StatusUnauthorized, "memctl: the bearer token is missing or wrong")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// wholeBody reads the body before next sees the request, and refuses one that does not arrive
// in time.
func wholeBody(next http.Handler, within time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httprefuse.ReadBody(w, r, maxMessage, within) {
			next.ServeHTTP(w, r)
		}
	})
}

func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// foreign reports whether one of the origins is not a page of this machine.
func foreign(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !loopback.IsHost(u.Hostname()) {
			return true
		}
	}
	return false
}

// holds compares digests, so that neither length nor content shows in the time
// that it takes.
func holds(headers []string, want [sha256.Size]byte) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	got := sha256.Sum256([]byte("Bearer " + strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
