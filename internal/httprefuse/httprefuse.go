// Package httprefuse refuses requests of HTTP clients that send too much or nothing.
package httprefuse

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"
)

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
