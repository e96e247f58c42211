package mcp

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/loopback"
)

// How long the server waits for a new link to have a session, for a session that nobody
// uses, and for calls under way when it ends.
const (
	linkBegins  = 10 * time.Second
	idleSession = 12 * time.Hour
	endWait     = 3 * time.Second
)

func usualLimits() httpserver.Timeouts {
	return httpserver.Timeouts{Header: 10 * time.Second, Body: 30 * time.Second, Idle: 2 * time.Minute}
}

// HTTP serves clients of the streamable HTTP transport on the listener until
// the context ends. Each session has its own folder.
func (e Env) HTTP(ctx context.Context, l net.Listener, token string) error {
	return e.serveHTTP(ctx, l, token, usualLimits())
}

func (e Env) serveHTTP(ctx context.Context, l net.Listener, token string, limits httpserver.Timeouts) error {
	handler, end := e.handler(token, limits)
	defer end()
	defer context.AfterFunc(ctx, end)() // streams that clients keep open would hold the shutdown up
	return httpserver.Serve(ctx, l, &http.Server{Handler: handler, ReadHeaderTimeout: limits.Header, IdleTimeout: limits.Idle}, endWait)
}

// handler returns the HTTP handler, and a function that closes its sessions.
func (e Env) handler(token string, limits httpserver.Timeouts) (http.Handler, func()) {
	var mu sync.Mutex
	links := map[*link]bool{}
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		l := e.link()
		mu.Lock()
		defer mu.Unlock()
		for old := range links {
			if time.Since(old.made) > linkBegins && len(slices.Collect(old.server.Sessions())) == 0 { // its session is over
				old.close()
				delete(links, old)
			}
		}
		links[l] = true
		return l.server
	}, &sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxMessage, SessionTimeout: idleSession})
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
	return requireToken(wholeBody(protocol, limits.Body), token), end
}

// requireToken lets through what has the token, comes to a loopback host, and does
// not come from a foreign web page. A page in a browser could be led to this
// address by its own host name (DNS rebinding), or send a request here blindly.
func requireToken(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback.IsHost(httpserver.HostName(r.Host)):
			httpserver.Refuse(w, http.StatusForbidden, "memctl: the Host is not this machine's own")
		case foreign(r.Header.Values("Origin")):
			httpserver.Refuse(w, http.StatusForbidden, "memctl: requests from other web origins are rejected")
		case !hasToken(r.Header.Values("Authorization"), token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="memctl"`)
			httpserver.Refuse(w, http.StatusUnauthorized, "memctl: the bearer token is missing or wrong")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// wholeBody reads the body before next sees the request, and refuses one that does not arrive
// in time.
func wholeBody(next http.Handler, within time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, status, why := httpserver.ReadBody(w, r, maxMessage, within); status != 0 {
			httpserver.Refuse(w, status, "memctl: "+why)
			return
		}
		next.ServeHTTP(w, r)
	})
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

// hasToken reports whether the only header has the bearer token.
func hasToken(headers []string, token string) bool {
	if len(headers) != 1 {
		return false
	}
	scheme, given, _ := strings.Cut(headers[0], " ")
	return strings.EqualFold(scheme, "Bearer") && httpserver.EqualSecrets(strings.TrimSpace(given), token)
}
