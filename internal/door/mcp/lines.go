package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The answers to a line that is no message. Nobody knows which request it was.
const (
	parseError     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is not JSON"}}` + "\n"
	invalidRequest = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the line is no JSON-RPC message"}}` + "\n"
)

// messages reads the lines of a client that are messages. It answers each other line with an error itself, because
// one of them would end the SDK's transport.
type messages struct {
	lines *bufio.Scanner
	out   io.Writer
	rest  []byte // of a message that was read
}

func newMessages(in io.Reader, out io.Writer) *messages {
	m := &messages{lines: bufio.NewScanner(in), out: out}
	m.lines.Buffer(nil, maxMessage)
	return m
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if !m.lines.Scan() {
			err := m.lines.Err()
			if errors.Is(err, bufio.ErrTooLong) {
				err = errors.New("the client sent a line of more than 1 MB")
			}
			if err == nil {
				err = io.EOF
			}
			return 0, err
		}
		line := bytes.TrimSpace(bytes.TrimPrefix(m.lines.Bytes(), []byte("\ufeff")))
		answer := ""
		switch _, err := jsonrpc.DecodeMessage(line); {
		case len(line) == 0:
			continue
		case !json.Valid(line):
			answer = parseError
		case err != nil && line[0] != '[': // older clients send batches
			answer = invalidRequest
		}
		if answer == "" {
			m.rest = append(bytes.Clone(line), '\n')
		} else if _, err := io.WriteString(m.out, answer); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messages) Close() error { return nil }

// lockedWriter writes one message at a time.
type lockedWriter struct {
	mu sync.Mutex
	io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}

func (w *lockedWriter) Close() error { return nil }
