package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MinToken is the least length of a bearer token, in bytes.
const MinToken = 16

// How long the server waits: for a request's head, for a session that nobody
// uses, and for calls under way when it ends.
const (
	headWait    = 10 * time.Second
	idleSession = 12 * time.Hour
	endWait     = 3 * time.Second
)

// NewToken is a random bearer token of 256 bits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// LoopbackError is an address that other machines could reach.
type LoopbackError struct{ Addr string }

func (e *LoopbackError) Error() string {
	return `"` + e.Addr + `": is not a loopback address with a port`
}

// Listen listens at an address of this machine alone. Errors: *LoopbackError,
// or the system's.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) {
		return nil, &LoopbackError{addr}
	}
	return net.Listen("tcp", addr)
}

// loopback reports whether a host without its port is this machine's own.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// HTTP serves clients of the streamable HTTP transport on the listener until
// the context ends. Each session has its own folder and subscriptions.
func (e Env) HTTP(ctx context.Context, l net.Listener, token string) error {
	handler, end := e.handler(token)
	defer end()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headWait}
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
func (e Env) handler(token string) (http.Handler, func()) {
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
	return guarded(protocol, token), end
}

// guarded lets through what has the token, comes to a loopback host, and does
// not come from a foreign web page. A page in a browser could be led to this
// address by its own host name (DNS rebinding), or send a request here blindly.
func guarded(next http.Handler, token string) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback(hostOf(r.Host)):
			http.Error(w, "memctl: the Host is not this machine's own", http.StatusForbidden)
		case foreign(r.Header.Values("Origin")):
			http.Error(w, "memctl: requests from other web origins are not taken", http.StatusForbidden)
		case !holds(r.Header.Values("Authorization"), want):
			w.Header().Set("WWW-Authenticate", `Bearer realm="memctl"`)
			http.Error(w, "memctl: the bearer token is missing or wrong", http.StatusUnauthorized)
		default:
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
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !loopback(u.Hostname()) {
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
