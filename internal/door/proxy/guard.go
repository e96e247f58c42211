package proxy

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/loopback"
)

// HeaderToken names the header that holds the proxy's token.
const HeaderToken = "X-Memctl-Token"

// refusal is why the proxy does not take a request.
type refusal struct {
	status int
	why    string
}

// admit decides whether a request may come in, and takes the token out of it. A page in a browser
// could send requests here, or be led here by a host name of its own (DNS rebinding), and would
// then read and write memory, and use the person's key.
func (p *Proxy) admit(r *http.Request) *refusal {
	site := r.Header.Get("Sec-Fetch-Site") // a browser says that a page sent the request
	switch {
	case r.Method == http.MethodConnect || r.URL.IsAbs() || r.URL.Host != "" || r.URL.Path == "" || r.URL.Path[0] != '/':
		return &refusal{http.StatusForbidden, "this is not a proxy for other hosts; set it as the base URL"}
	case !p.isOwnHost(r.Host):
		return &refusal{http.StatusForbidden, "the Host is not this proxy's own; memctl.proxy.hosts can name it"}
	case len(r.Header.Values("Origin")) > 0 || site != "" && site != "none":
		return &refusal{http.StatusForbidden, "requests from web pages are refused"}
	}
	given := r.Header.Get(HeaderToken)
	r.Header.Del(HeaderToken)
	if rest, ok := strings.CutPrefix(r.URL.Path, door.TokenPrefix); ok {
		token, path, _ := strings.Cut(rest, "/")
		given, r.URL.Path = token, "/"+path
		_, raw, _ := strings.Cut(strings.TrimPrefix(r.URL.RawPath, door.TokenPrefix), "/")
		if r.URL.RawPath != "" {
			r.URL.RawPath = "/" + raw
		}
	}
	if p.env.Token != "" && !httpserver.EqualSecrets(given, p.env.Token) {
		return &refusal{http.StatusUnauthorized, "the proxy's token is missing or wrong (" + HeaderToken + ", or the path " + door.TokenPrefix + "TOKEN/v1)"}
	}
	if isAmbiguousPath(r) {
		return &refusal{http.StatusBadRequest, "the path is not in its plain form"}
	}
	return nil
}

// isAmbiguousPath reports whether a path could mean another one to the server behind the proxy.
func isAmbiguousPath(r *http.Request) bool {
	escaped := strings.ToLower(r.URL.EscapedPath())
	for _, sign := range []string{"//", "\\", "%2f", "%5c", "%2e", "%00", ";"} {
		if strings.Contains(escaped, sign) {
			return true
		}
	}
	parts := strings.Split(r.URL.Path, "/")
	return slices.Contains(parts, ".") || slices.Contains(parts, "..") ||
		strings.ContainsFunc(r.URL.Path, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// isOwnHost reports whether a Host header names this proxy.
func (p *Proxy) isOwnHost(host string) bool {
	host = strings.ToLower(strings.Trim(httpserver.HostName(host), "[]"))
	if loopback.IsHost(host) || host == p.ownHost || slices.Contains(p.env.Hosts, host) {
		return true
	}
	// An address is no name that somebody else could make point here.
	_, err := netip.ParseAddr(host)
	return err == nil && p.ownHost != ""
}

// refuse answers in the form of the service that the client talks to, and closes the connection
// without waiting for the rest of the request.
func refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	httpserver.CloseConnection(w)
	fail(w, r, status, why)
}
