package page

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/loopback"
)

// The limits of a request. A value is a few hundred bytes.
const (
	maxBody    = 1 << 20
	maxHeader  = 16 << 10
	answerWait = time.Minute
	endWait    = 2 * time.Second
)

// idleTick is how often Serve looks whether the page is idle.
const idleTick = 30 * time.Second

// newSecret returns 192 random bits, for a path.
func newSecret() string { return loopback.NewSecret(24) }

// Serve answers on the listener until the context ends, or until nobody has used the page for
// door.IdleAfter. It reports whether it ended because it was idle.
func (p *Page) Serve(ctx context.Context, l net.Listener) (idle bool, err error) {
	tick := time.NewTicker(idleTick)
	defer tick.Stop()
	return p.serveUntil(ctx, l, tick.C)
}

func (p *Page) serveUntil(ctx context.Context, l net.Listener, ticks <-chan time.Time) (idle bool, err error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		for {
			select {
			case <-ticks:
				if p.idle() {
					end(errIdle)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	err = httpserver.Serve(ctx, l, &http.Server{
		Handler: p.Handler(l.Addr().String()), ReadHeaderTimeout: p.limits.Header, IdleTimeout: p.limits.Idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}, endWait)
	return context.Cause(ctx) == errIdle, err
}

// errIdle ends a page that nobody has used.
var errIdle = errors.New("idle")

// touch notes that somebody uses the page.
func (p *Page) touch() {
	p.mu.Lock()
	p.used = p.env.Now()
	p.mu.Unlock()
}

// idle reports whether nobody has used the page for door.IdleAfter. To ask for the stamp is no use: a tab that somebody
// forgot must not keep memory open for ever.
func (p *Page) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Without the monotonic clock, which stands still while the machine sleeps.
	return p.env.Now().Round(0).Sub(p.used.Round(0)) >= door.IdleAfter
}

// contentPolicy lets the page load its own files and nothing else. There is no inline script and
// no inline style.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Handler answers requests to the page at the address host, such as 127.0.0.1:7000.
func (p *Page) Handler(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret, path, below := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if below && r.Host == host && r.Method == http.MethodGet && p.useOnceSecret(secret) {
			secure(w.Header())
			http.Redirect(w, r, "/"+p.secret+"/", http.StatusSeeOther)
			return
		}
		if !below || !httpserver.EqualSecrets(secret, p.secret) {
			httpserver.Refuse(w, http.StatusNotFound, "")
			return
		}
		secure(w.Header())
		switch {
		case r.Host != host: // another name that leads here (DNS rebinding)
			httpserver.Refuse(w, http.StatusForbidden, "memctl: the Host is not this page's address")
		case r.Method == http.MethodPost:
			p.guardPost(w, r, host, path)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			if path != "stamp" {
				p.touch()
			}
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerWait))
			p.serve(w, r, path)
		default:
			w.Header().Set("Allow", "GET, HEAD, POST")
			httpserver.Refuse(w, http.StatusMethodNotAllowed, "memctl: only GET and POST are allowed")
		}
	})
}

// secure sets the headers of every answer.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// guardPost lets through what a form of the page itself sends.
func (p *Page) guardPost(w http.ResponseWriter, r *http.Request, host, path string) {
	switch {
	case !fromPage(r.Header, "http://"+host):
		httpserver.Refuse(w, http.StatusForbidden, "memctl: the request does not come from this page")
		return
	case p.env.ReadOnly:
		httpserver.Refuse(w, http.StatusForbidden, "memctl: an agent started this page, so it changes nothing")
		return
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded"):
		httpserver.Refuse(w, http.StatusUnsupportedMediaType, "memctl: only forms are accepted")
		return
	}
	if _, status, why := httpserver.ReadBody(w, r, maxBody, p.limits.Body); status != 0 {
		httpserver.Refuse(w, status, "memctl: "+why)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerWait))
	if r.ParseForm() != nil {
		httpserver.Refuse(w, http.StatusBadRequest, "memctl: the form cannot be read")
		return
	}
	p.touch()
	p.serve(w, r, path)
}

// fromPage reports whether the browser says that a request comes from the page. Because of the
// page's Referrer-Policy, browsers send "Origin: null" for a form that they submit without the
// page's script. No page can set Sec-Fetch-Site, so it decides there.
func fromPage(h http.Header, own string) bool {
	origins := h.Values("Origin")
	if len(origins) != 1 {
		return false
	}
	return origins[0] == own || origins[0] == "null" && h.Get("Sec-Fetch-Site") == "same-origin"
}
