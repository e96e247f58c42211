// Package proxy is the door for clients that talk to a model's service over HTTP: it stands
// between the two, adds what memory knows to a person's messages, and stores what they say. It
// changes memory only through the acts of package memory, and passes on everything else as it is.
//
// Words. The upstream is the model's service. A block is a text that the proxy adds to a request:
// the profile once, and what fits a message after that message. A conversation is what turns and
// the summary belong to; a session is one run of a client, whose requests repeat its history.
package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/loopback"
)

// Env is what the command line hands in.
type Env door.ProxyEnv

const (
	// maxBody bounds the body of a request that is changed; Anthropic's own limit is 32 MB.
	maxBody = 32 << 20
	// endWait bounds the wait for requests under way when the proxy ends.
	endWait = 3 * time.Second
)

// Proxy serves one folder. Make it with New, and end it with Close.
type Proxy struct {
	env     Env
	limits  httpserver.Timeouts
	ownHost string // of the address that it listens at; "" for loopback alone
	relay   *httputil.ReverseProxy
	memory  *reader
	writer  *writer
	live    sessions
}

// New makes a proxy.
func New(env Env) *Proxy { return newProxy(env, memoryTime) }

func newProxy(env Env, wait time.Duration) *Proxy {
	if env.Say == nil {
		env.Say = func(string) {}
	}
	if env.Conversation == "" {
		env.Conversation = door.DefaultConversation
	}
	limits := httpserver.Timeouts{Header: 10 * time.Second, Body: 2 * time.Minute, Idle: 2 * time.Minute}
	p := &Proxy{env: env, limits: limits, live: sessions{byKey: map[string]*session{}}}
	say := p.sayOnce()
	p.memory = newReader(env.Open, say, wait)
	p.writer = newWriter(env, say)
	p.relay = &httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      newTransport(),
		FlushInterval:  -1, // each chunk at once
		ErrorLog:       log.New(io.Discard, "", 0),
		ErrorHandler:   unreachable,
		ModifyResponse: p.listen,
	}
	return p
}

// Close stores what is still to be stored, for a bounded time.
func (p *Proxy) Close() {
	p.memory.close()
	p.writer.close()
}

// Serve serves clients until the context ends.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil && !loopback.IsHost(host) {
		p.ownHost = host
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: p.limits.Header, IdleTimeout: p.limits.Idle, ErrorLog: log.New(io.Discard, "", 0)}
	return httpserver.Serve(ctx, l, server, endWait)
}

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if no := p.admit(r); no != nil {
		refuse(w, r, no.status, no.why)
		return
	}
	k, talks := serviceOf(r)
	if !talks {
		// Else the server takes the rest of the body away once the answer begins, and the answer is cut.
		_ = http.NewResponseController(w).EnableFullDuplex()
		p.relay.ServeHTTP(w, r)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, r, http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
		return
	}
	body, status, why := httpserver.ReadBody(w, r, maxBody, p.limits.Body)
	if status != 0 {
		refuse(w, r, status, why)
		return
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		p.send(w, r, [][]byte{body}, len(body)) // it cannot be read, so nothing is added
		return
	}
	req, problem := parse(k, body)
	if problem != "" {
		fail(w, r, http.StatusBadRequest, problem)
		return
	}
	parts, size, said := p.remember(r, req)
	if said != nil {
		r = r.WithContext(context.WithValue(r.Context(), saidKey{}, said))
	}
	p.send(w, r, parts, size)
}

// send passes the request on with the parts as its body.
func (p *Proxy) send(w http.ResponseWriter, r *http.Request, parts [][]byte, size int) {
	var readers []io.Reader
	for _, part := range parts {
		readers = append(readers, bytes.NewReader(part))
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(io.MultiReader(readers...)), int64(size), nil
	r.Header.Del("Content-Length")
	p.relay.ServeHTTP(w, r)
}

// newTransport is the client of the upstream. It asks for no compression of its own, so that the
// answer's bytes are the upstream's.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 100,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true,
	}
}

// rewrite directs a request to the upstream.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	to := p.upstreamOf(r.In)
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, to.Host
	r.Out.URL.Path, r.Out.URL.RawPath = joined(to.Path, r.In.URL.Path), ""
	r.Out.URL.RawQuery = r.In.URL.RawQuery // ReverseProxy puts it in an order of its own
	if to.User != nil && r.Out.Header.Get("Authorization") == "" {
		password, _ := to.User.Password()
		r.Out.SetBasicAuth(to.User.Username(), password)
	}
	if messageOf(r.In.Context()) != nil && p.env.Turns {
		r.Out.Header.Set("Accept-Encoding", "identity") // the answer is read
	}
}

func (p *Proxy) upstreamOf(r *http.Request) *url.URL {
	if p.env.Upstream != nil {
		return p.env.Upstream
	}
	k, _ := serviceOf(r)
	u, _ := url.Parse(services[k].home) // a constant
	return u
}

// joined is the path of a request below the upstream's: that may end in /v1, as OPENAI_BASE_URL
// does, or not, as ANTHROPIC_BASE_URL does.
func joined(base, path string) string {
	base = strings.TrimSuffix(base, "/")
	if short, ok := strings.CutSuffix(base, "/v1"); ok {
		return short + path
	}
	if rest, ok := strings.CutPrefix(path+"/", "/v1/"); ok && base != "" && !strings.HasPrefix(path, "/v1/messages") {
		path = strings.TrimSuffix("/"+rest, "/") // an address such as …/v1beta/openai stands for /v1
	}
	return base + path
}

// unreachable answers where the upstream did not. Clients try again for minutes unless they are
// told not to.
func unreachable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	why := "the upstream cannot be reached"
	var dns *net.DNSError
	if errors.As(err, &dns) {
		why += ": its name is unknown"
	}
	fail(w, r, http.StatusBadGateway, why)
}

// sayEvery is how often the person is told of the same failure.
const sayEvery = 10 * time.Minute

// sayOnce tells the person of failures of memory, each only now and then.
func (p *Proxy) sayOnce() func(string) {
	var mu sync.Mutex
	said := map[string]time.Time{}
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(said[line]) > sayEvery && len(said) < 1000 {
			said[line] = now
			p.env.Say(line)
		}
	}
}
