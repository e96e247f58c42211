package term

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	xterm "golang.org/x/term"
)

// ErrInterrupted says that the person pressed Ctrl-C where a key was asked.
var ErrInterrupted = errors.New("interrupted")

// maxLineBytes caps one line of input, in bytes: nobody types more.
const maxLineBytes = 1 << 16

const (
	ctrlC = 0x03
	ctrlD = 0x04
)

// ReadKey waits for one key and returns it, without waiting for Enter where In
// is a terminal; elsewhere it reads a line and returns its first character ('\n'
// for an empty one). Errors: io.EOF at the end or on Ctrl-D, ErrInterrupted, or
// the context's; the terminal is then as it was before.
func (s Streams) ReadKey(ctx context.Context) (rune, error) {
	file, ok := s.In.(*os.File)
	if !ok || !s.InTerminal {
		return s.readLineKey(ctx)
	}
	before, err := xterm.MakeRaw(int(file.Fd()))
	if err != nil {
		return s.readLineKey(ctx)
	}
	key, err := interruptible(ctx, func() (rune, error) { return readRune(file) })
	if restoreErr := xterm.Restore(int(file.Fd()), before); err == nil {
		err = restoreErr
	}
	switch {
	case err != nil:
		return 0, err
	case key == ctrlC:
		return 0, ErrInterrupted
	case key == ctrlD:
		return 0, io.EOF
	}
	return key, nil
}

func (s Streams) readLineKey(ctx context.Context) (rune, error) {
	line, err := s.ReadLine(ctx)
	if err != nil {
		return 0, err
	}
	if line == "" {
		return '\n', nil
	}
	key, _ := utf8.DecodeRuneInString(line)
	return key, nil
}

// ReadLine reads one line without its end, at most 64 KB of it. It takes byte
// after byte, so that what follows is still there for the next read. Errors:
// io.EOF where nothing is left, or the context's.
func (s Streams) ReadLine(ctx context.Context) (string, error) {
	return interruptible(ctx, s.readLine)
}

// ReadAll reads what In still has, at most limit bytes of it. Errors: those of
// In, or the context's.
func (s Streams) ReadAll(ctx context.Context, limit int64) ([]byte, error) {
	return interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(s.In, limit)) })
}

// Reader is In for reading in large pieces: a read ends with the context.
func (s Streams) Reader(ctx context.Context) io.Reader { return contextReader{ctx, s.In} }

type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	// What is left behind may still write into its buffer, so it has its own.
	got, err := interruptible(r.ctx, func() ([]byte, error) {
		own := make([]byte, len(p))
		n, err := r.in.Read(own)
		return own[:n], err
	})
	return copy(p, got), err
}

// interruptible calls read, and returns early with the context's error. A process that catches
// Ctrl-C cannot end a read from a terminal otherwise. The abandoned read ends with the process.
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

func (s Streams) readLine() (string, error) {
	var line strings.Builder
	var one [1]byte
	for line.Len() < maxLineBytes {
		n, err := s.In.Read(one[:])
		if n == 1 {
			if one[0] == '\n' {
				return strings.TrimSuffix(line.String(), "\r"), nil
			}
			line.WriteByte(one[0])
		}
		if err == io.EOF && line.Len() > 0 {
			return line.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
	return line.String(), nil
}

// readRune reads one character, byte after byte.
func readRune(r io.Reader) (rune, error) {
	var buf [utf8.UTFMax]byte
	for n := 0; n < len(buf); n++ {
		if _, err := io.ReadFull(r, buf[n:n+1]); err != nil {
			return 0, err
		}
		if utf8.FullRune(buf[:n+1]) {
			key, _ := utf8.DecodeRune(buf[:n+1])
			return key, nil
		}
	}
	return utf8.RuneError, nil
}
