package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
)

const token = "a-token-of-sufficient-length"

// raw sends a request as it is written and returns the status.
func (s *setup) raw(request string) int {
	s.t.Helper()
	u, err := url.Parse(s.at.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, strings.ReplaceAll(request, "PORT", u.Port())); err != nil {
		s.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		s.t.Fatalf("%q: %v", request, err)
	}
	res.Body.Close()
	return res.StatusCode
}

// posted is a request as it is written, with further headers.
func posted(path, host string, headers ...string) string {
	body := talk("remember that my bank is example.com")
	kind := "Content-Type: application/json\r\n"
	for _, h := range headers {
		if strings.HasPrefix(strings.ToLower(h), "content-type") {
			kind = ""
		}
	}
	head := strings.Join(headers, "\r\n")
	if head != "" {
		head += "\r\n"
	}
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\n%s%sContent-Length: %d\r\n\r\n%s", path, host, kind, head, len(body), body)
}

// TestHostileRequests has what a web page, or somebody on the network, could send.
func TestHostileRequests(t *testing.T) {
	const own = "127.0.0.1:PORT"
	hostile := map[string]string{}
	for _, origin := range []string{"https://evil.example", "http://localhost", "http://localhost:3000", "http://127.0.0.1:PORT", "null", "", "chrome-extension://abc", "file://", "vscode-webview://x"} {
		hostile["Origin "+origin] = posted(chatPath, own, "Origin: "+origin)
	}
	for _, host := range []string{"evil.example", "evil.example:PORT", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "evil.example:80:80", "0x7f.1.evil", "localhost.", "memctl", "192.168.0.7", "[2001:db8::1]:PORT", "0.0.0.0", "169.254.169.254"} {
		hostile["Host "+host] = posted(chatPath, host)
	}
	for _, kind := range []string{"text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "text/json", "*/*", "application/json, text/plain"} {
		hostile["Content-Type "+kind] = posted(chatPath, own, "Content-Type: "+kind)
	}
	hostile["no Content-Type"] = strings.Replace(posted(chatPath, own), "Content-Type: application/json\r\n", "", 1)
	for _, site := range []string{"cross-site", "same-site", "same-origin"} {
		hostile["Sec-Fetch-Site "+site] = posted(chatPath, own, "Sec-Fetch-Site: "+site)
	}
	for _, path := range []string{
		"//v1/chat/completions", "/v1//chat/completions", "/v1/../v1/chat/completions", "/./v1/chat/completions", "/v1/chat%2fcompletions", "/v1/%2e%2e/v1/chat/completions", "/v1\\chat\\completions",
		"/v1/chat/completions;x", "http://evil.example/v1/chat/completions", "http://127.0.0.1:PORT/v1/chat/completions", "/v1/chat/completions%00", "/t/x//v1/chat/completions",
	} {
		hostile["path "+path] = posted(path, own)
	}
	hostile["CONNECT"] = "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"
	if len(hostile) < 40 {
		t.Fatalf("only %d requests", len(hostile))
	}
	s := newSetup(t, nil)
	for name, request := range hostile {
		if status := s.raw(request); status < 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	for name, request := range map[string]string{
		"a wrong token": posted(chatPath, own, "X-Memctl-Token: "+token+"x"), "no token": posted(chatPath, own), "a token in a query": posted(chatPath+"?token="+token, own),
		"a token as a key": posted(chatPath, own, "Authorization: Bearer "+token), "a wrong token in the path": posted("/t/x"+token+chatPath, own), "an empty token": posted("/t/"+chatPath, own),
		"the token of another path": posted("/v1/t/"+token+chatPath, own), "a page with the token": posted(chatPath, own, "X-Memctl-Token: "+token, "Origin: https://evil.example"),
	} {
		s.p.env.Token = token
		if status := s.raw(request); status != http.StatusUnauthorized && status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if n := s.up.count(); n > 0 {
		t.Errorf("%d requests reached the service: %q", n, s.up.paths)
	}
	for _, request := range []string{posted(chatPath, own, "X-Memctl-Token: "+token), posted("/t/"+token+chatPath, "localhost:PORT"), posted("/t/"+token+chatPath, "[::1]")} {
		if status := s.raw(request); status != http.StatusOK {
			t.Errorf("a person's own request: %d", status)
		}
	}
	for i, head := range s.up.heads {
		if head.Get(HeaderToken) != "" || s.up.paths[i] != chatPath {
			t.Errorf("the service was told the token: %s %v", s.up.paths[i], head)
		}
	}
	s.stop()
	if got := s.turns(); len(got) != 6 {
		t.Errorf("stored: %q", got)
	}
}

func TestHostsOfOtherAddresses(t *testing.T) {
	s := newSetup(t, func(e *Env) { e.Token, e.Hosts = token, []string{"host.docker.internal"} })
	s.p.ownHost = "0.0.0.0"
	for host, want := range map[string]int{"host.docker.internal:8100": 200, "192.168.0.7:8100": 200, "evil.example": 403} {
		if status := s.raw(posted("/t/"+token+chatPath, host)); status != want {
			t.Errorf("%s: %d", host, status)
		}
	}
}

func TestListen(t *testing.T) {
	for addr, fine := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "0.0.0.0:0": false, ":0": false, "127.0.0.1": false} {
		l, err := door.Listen(addr, "")
		if err == nil {
			l.Close()
		}
		if (err == nil) != fine || !fine && !fault.Is(err, fault.NotLoopback) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	l, err := door.Listen("0.0.0.0:0", token)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestUpstreamPaths(t *testing.T) {
	for _, test := range [][3]string{
		{"", "/v1/chat/completions", "/v1/chat/completions"}, {"/v1", "/v1/chat/completions", "/v1/chat/completions"}, {"/v1/", "/v1/models", "/v1/models"}, {"/api/v1", "/v1/responses", "/api/v1/responses"},
		{"/v1beta/openai", "/v1/chat/completions", "/v1beta/openai/chat/completions"}, {"/anthropic", "/v1/messages", "/anthropic/v1/messages"}, {"/", "/", "/"},
	} {
		if got := joined(test[0], test[1]); got != test[2] {
			t.Errorf("%s below %s is %s", test[1], test[0], got)
		}
	}
}
