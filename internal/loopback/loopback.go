// Package loopback has what memctl's HTTP servers share: listening where only this machine can reach them, and secrets.
package loopback

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/netip"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// IsHost reports whether a host without its port is this machine's own.
func IsHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// Listen listens at an address of this machine alone. Errors: fault.NotLoopback, or the system's.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !IsHost(host) {
		return nil, fault.New(fault.NotLoopback, addr, "is not a loopback address with a port")
	}
	return net.Listen("tcp", addr)
}

// NewSecret returns that many random bytes, as text that a URL can have.
func NewSecret(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: the program ends instead
	return base64.RawURLEncoding.EncodeToString(b)
}
