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
	tooLong        = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: the line has more than 1 MB"}}` + "\n"
)

// messages reads the lines of a client that are messages. It answers each other line with an error itself, because
// one of them would end the SDK's transport.
type messages struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the messages that were read
}

func newMessages(in io.Reader, out io.Writer) *messages {
	return &messages{in: bufio.NewReader(in), out: out}
}

// line reads a line; of a longer one than a message may have it returns nothing, and long.
func (m *messages) line() (line []byte, long bool, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && (len(line) > 0 || long):
			return line, long, nil
		default:
			return line, long, err
		}
	}
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, long, err := m.line()
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		answer := ""
		switch {
		case long:
			answer = tooLong
		case len(line) == 0:
			continue
		case !json.Valid(line):
			answer = parseError
		default:
			if m.rest = messagesIn(line); m.rest == nil {
				answer = invalidRequest
			}
		}
		if answer == "" {
			break
		}
		if _, err := io.WriteString(m.out, answer); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// messagesIn returns the messages of a line, each with a line end: one, or those of a batch, which older clients send. It returns
// nothing for a line that has something else.
func messagesIn(line []byte) (list []byte) {
	batch := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &batch) != nil {
		return nil
	}
	for _, one := range batch {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return nil
		}
		list = append(append(list, one...), '\n')
	}
	return list
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
