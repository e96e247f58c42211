package cmd

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/term"
)

// ask puts a question that is answered with yes or no, on stderr. Anything but
// a yes is no.
func (s *session) ask(question string) bool {
	_, _ = s.streams.Err.Write([]byte(term.Strong.Paint(s.streams.ErrColour, inert(question)+" [y/N]") + " "))
	line, err := s.readLine()
	if err != nil {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

// readLine reads one line of stdin, and ends when the run is interrupted.
func (s *session) readLine() (string, error) {
	return interruptible(s.ctx, s.streams.ReadLine)
}

// interruptible calls read, and returns early with the context's error: a read
// from a terminal cannot be ended otherwise, since Ctrl-C no longer kills the
// process. The read that is left behind ends with it.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		got T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		got, err := read()
		done <- outcome{got, err}
	}()
	select {
	case o := <-done:
		return o.got, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
