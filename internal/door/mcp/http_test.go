package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/loopback"
)

const token = "a-token-of-sufficient-length"

// serve starts the HTTP door and returns its address and what ends it.
func (b *bench) serve() (addr string, end func() error) { return b.serveWithin(usualLimits()) }

// serveWithin is serve with other limits.
func (b *bench) serveWithin(limits httpserver.Timeouts) (addr string, end func() error) {
	b.t.Helper()
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.env.serveHTTP(ctx, l, token, limits) }()
	var err2 error
	ended := false
	end = func() error {
		if cancel(); !ended {
			ended = true
			select {
			case err2 = <-done:
			case <-time.After(10 * time.Second):
				err2 = errors.New("the server does not end")
			}
		}
		return err2
	}
	b.t.Cleanup(func() { _ = end() })
	return l.Addr().String(), end
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func TestTheDoorIsGuarded(t *testing.T) {
	addr, _ := repository(t).serve()
	_, port, _ := net.SplitHostPort(addr)
	tests := map[string]struct {
		header map[string]string
		host   string
		want   int
	}{
		"the right token":             {map[string]string{"Authorization": "Bearer " + token}, "", 200},
		"in other letters":            {map[string]string{"Authorization": "bearer " + token}, "", 200},
		"by the name localhost":       {map[string]string{"Authorization": "Bearer " + token}, "localhost:" + port, 200},
		"from a page of this machine": {map[string]string{"Authorization": "Bearer " + token, "Origin": "http://localhost:6274"}, "", 200},
		"no token":                    {nil, "", 401},
		"an empty token":              {map[string]string{"Authorization": "Bearer "}, "", 401},
		"a wrong token":               {map[string]string{"Authorization": "Bearer " + token + "x"}, "", 401},
		"the beginning of the token":  {map[string]string{"Authorization": "Bearer " + token[:20]}, "", 401},
		"the token by another scheme": {map[string]string{"Authorization": "Basic " + token}, "", 401},
		"a host of another name":      {map[string]string{"Authorization": "Bearer " + token}, "evil.example:" + port, 403},
		"a host like localhost":       {map[string]string{"Authorization": "Bearer " + token}, "localhost.evil.example", 403},
		"a page from elsewhere":       {map[string]string{"Authorization": "Bearer " + token, "Origin": "https://evil.example"}, "", 403},
		"a page without an origin":    {map[string]string{"Authorization": "Bearer " + token, "Origin": "null"}, "", 403},
		"a page of a name like ours":  {map[string]string{"Authorization": "Bearer " + token, "Origin": "http://127.0.0.1.evil.example"}, "", 403},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest("POST", "http://"+addr+"/", strings.NewReader(hello))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			for k, v := range test.header {
				req.Header.Set(k, v)
			}
			if test.host != "" {
				req.Host = test.host
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != test.want || bytes.Contains(body, []byte(`"serverInfo"`)) != (test.want == 200) {
				t.Errorf("status %d, want %d: %s", res.StatusCode, test.want, body)
			}
			if test.want != 200 && !bytes.HasPrefix(body, []byte("memctl: ")) {
				t.Errorf("it was not our guard that refused: %s", body)
			}
			if test.want == 401 && res.Header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
		})
	}
}

// bearer adds the token to every request.
type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

func TestClientsOverHTTP(t *testing.T) {
	b := repository(t)
	addr, end := b.serve()
	var clients []*client
	for range 2 {
		c := &client{t: t}
		c.sdk = sdk.NewClient(&sdk.Implementation{Name: "http-agent"}, &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return says("accept", true)(), nil
			},
		})
		var err error
		c.session, err = c.sdk.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: "http://" + addr + "/", HTTPClient: &http.Client{Transport: bearer{}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.session.Close()
		clients = append(clients, c)
	}
	clients[0].ok("remember", args{"key": "build.tool", "value": "use make for all steps"})
	if got := clients[1].ok("update", args{"confirm": true, "key": "build.tool"}); field(got, "confidence") != "high" {
		t.Errorf("confirm: %v", got)
	}
	if got := keys(clients[1].ok("list", nil), "items"); !slices.Equal(got, []string{"build.tool"}) {
		t.Errorf("list: %v", got)
	}
	if err := end(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// dial sends bytes, and gives the connection.
func dial(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	// It bounds a test that fails; none that passes comes near it.
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// post is a request with half of its body; head are more lines of its head.
func post(addr, head string) string {
	return "POST / HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\n" + head + "Content-Length: 100\r\n\r\n{\"half\":"
}

// TestARefusedConnectionIsClosed: who has no token keeps no connection.
func TestARefusedConnectionIsClosed(t *testing.T) {
	addr, _ := repository(t).serve()
	for name, test := range map[string]struct {
		request string
		want    string
	}{
		"no token":     {post(addr, ""), "HTTP/1.1 401 "},
		"another host": {post("evil.example", ""), "HTTP/1.1 403 "},
		"another page": {post(addr, "Origin: https://evil.example\r\n"), "HTTP/1.1 403 "},
	} {
		answer, err := io.ReadAll(dial(t, addr, test.request))
		if err != nil || !bytes.HasPrefix(answer, []byte(test.want)) || !bytes.Contains(answer, []byte("\r\nConnection: close\r\n")) {
			t.Errorf("%s: %v\n%s", name, err, answer)
		}
	}
}

// TestAStalledConnectionIsClosed: one that stops in the middle of a head or a body, or says no
// more, ends at its deadline. A stream of events, which began before, does not.
func TestAStalledConnectionIsClosed(t *testing.T) {
	b := repository(t)
	addr, _ := b.serveWithin(httpserver.Timeouts{Header: 200 * time.Millisecond, Body: 200 * time.Millisecond, Idle: 200 * time.Millisecond})
	listener := &client{t: t}
	listener.sdk = sdk.NewClient(&sdk.Implementation{Name: "http-agent"}, nil)
	var err error
	listener.session, err = listener.sdk.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: "http://" + addr + "/", MaxRetries: -1, HTTPClient: &http.Client{Transport: bearer{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.session.Close()
	allowed := "Authorization: Bearer " + token + "\r\n"
	for name, test := range map[string]struct {
		request string
		want    string
	}{
		"half a head": {"POST / HTTP/1.1\r\nHost:", ""},
		"half a body": {post(addr, allowed), "HTTP/1.1 408 "},
		"no more":     {"GET / HTTP/1.1\r\nHost: " + addr + "\r\n" + allowed + "\r\n", "HTTP/1.1 400 "},
	} {
		answer, err := io.ReadAll(dial(t, addr, test.request))
		if err != nil || !bytes.HasPrefix(answer, []byte(test.want)) {
			t.Errorf("%s: %v\n%s", name, err, answer)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- listener.session.Wait() }()
	select {
	case err := <-ended:
		t.Errorf("the stream of events ended: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	listener.ok("remember", args{"key": "build.tool", "value": "use make for all steps"})
}

func TestListenIsForThisMachineAlone(t *testing.T) {
	for addr, fine := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true,
		"0.0.0.0:0": false, ":0": false, "192.168.1.1:0": false, "example.com:0": false, "127.0.0.1": false, "": false, "[::]:0": false,
	} {
		l, err := loopback.Listen(addr)
		if l != nil {
			l.Close()
		}
		if fine != (err == nil) || !fine && !fault.Is(err, fault.NotLoopback) {
			t.Errorf("%q: %v", addr, err)
		}
	}
}
