package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
