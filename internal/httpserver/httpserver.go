// Package httpserver has what memctl's HTTP servers share: how they end, how they refuse requests, and how they compare secrets.
package httpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Timeouts are how long a connection may take. Without them, connections that send nothing would use up the files that the
// process may open. There is none for answers: a stream of events stays open, and a model thinks for minutes.
type Timeouts struct {
	Header time.Duration // for the head of a request
	Body   time.Duration // for its body
	Idle   time.Duration // between two requests
}

// Serve answers on the listener until the context ends. It then waits for the answers under way, no longer than wait.
func Serve(ctx context.Context, l net.Listener, server *http.Server, wait time.Duration) error {
	ended := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		defer close(ended)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
		defer cancel()
		if server.Shutdown(bounded) != nil {
			_ = server.Close()
		}
	})()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended
	return nil
}

// EqualSecrets compares digests, so that neither the length nor the content of the secret shows in the time that it takes.
func EqualSecrets(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// HostName returns the host of a Host header, without its port.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// Refuse answers with a message, or without one where it is "", and closes the connection without waiting for the rest
// of the request.
func Refuse(w http.ResponseWriter, status int, message string) {
	CloseConnection(w)
	if message == "" {
		w.WriteHeader(status)
		return
	}
	http.Error(w, message, status)
}

// CloseConnection makes the server close the connection after the answer. It would read on, to use the connection again.
func CloseConnection(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
}

// ReadBody reads the request's whole body, which can then be read again. If it is too large or too late, ReadBody
// returns the status and the reason of the refusal; otherwise the status is 0. The deadline for reading ends with the
// body: it would end an answer that is a stream.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) (data []byte, status int, why string) {
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(within))
	var body bytes.Buffer
	if r.ContentLength > 0 && r.ContentLength <= most {
		body.Grow(int(r.ContentLength) + bytes.MinRead) // else it is copied again and again
	}
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, "the request is too large"
	case err != nil:
		return nil, http.StatusRequestTimeout, "the request did not arrive in time"
	}
	r.Body = io.NopCloser(bytes.NewReader(body.Bytes()))
	_ = connection.SetReadDeadline(time.Time{})
	return body.Bytes(), 0, ""
}
