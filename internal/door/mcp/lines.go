package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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

// drainWait is how long calls under way may take once the client has hung up.
const drainWait = 5 * time.Second

// methodListen is answered only when the client ends it.
const methodListen = "subscriptions/listen"

// draining is a transport that ends only when what was asked is answered: a
// client that closes its end right after its last call, such as a pipe of a
// shell, still gets every answer, and no write is broken off half way.
type draining struct{ sdk.Transport }

func (t draining) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drained{Connection: c}, nil
}

// drained is a connection that knows which calls have no answer yet.
type drained struct {
	sdk.Connection
	pending sync.Map // the ids of those calls
	calls   sync.WaitGroup
}

func (c *drained) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.drain(ctx)
	}
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.ID.IsValid() && r.Method != methodListen {
		if _, known := c.pending.LoadOrStore(r.ID, nil); !known {
			c.calls.Add(1)
		}
	}
	return m, err
}

func (c *drained) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		if _, known := c.pending.LoadAndDelete(r.ID); known {
			c.calls.Done()
		}
	}
	return err
}

// drain waits until every call has its answer, for a bounded time.
func (c *drained) drain(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(drainWait):
	case <-ctx.Done():
	}
}
