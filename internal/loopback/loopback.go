// Package loopback has what memctl's HTTP servers share: listening where only this machine can reach them, secrets,
// and refusing requests of clients that send too much or nothing.
package loopback

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

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

// Refuse answers with a message, or without one where it is "", and closes the connection without waiting for the rest
// of the request.
func Refuse(w http.ResponseWriter, status int, message string) {
	HangUp(w)
	if message == "" {
		w.WriteHeader(status)
		return
	}
	http.Error(w, message, status)
}

// HangUp makes the server close the connection after the answer. It would read on, to use the connection again.
func HangUp(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
}

// ReadBody reads the whole body, and puts it in the place of the one that it read. It refuses one that is too large
// or does not arrive in time, and then returns false. The deadline ends with the body: one that stayed would end a
// stream that may be the answer.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) bool {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(within))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		Refuse(w, http.StatusRequestEntityTooLarge, "memctl: the request is too large")
		return false
	case err != nil:
		Refuse(w, http.StatusRequestTimeout, "memctl: the request did not arrive in time")
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_ = connection.SetReadDeadline(time.Time{})
	return true
}
