package postgres

import (
	"context"
	"sync"
	"time"
)

// Kept keeps a connection for the next question of a process that asks often, such as the MCP server. The zero value has
// none, and nil keeps none. It is for several goroutines.
type Kept struct {
	mu    sync.Mutex
	idle  *Server
	timer *time.Timer
}

const (
	// keptFor is how long a connection waits for the next question. A server has about a hundred connections for everyone.
	keptFor = 30 * time.Second
	// answersWithin is how soon a kept connection must answer before a question uses it. The network may be another by now.
	answersWithin = 500 * time.Millisecond
)

// Connect gives the kept connection where it is to this address and still answers, else a new one, as [Connect] does.
// Closing it keeps it.
func (k *Kept) Connect(ctx context.Context, address string, patience time.Duration) (*Server, error) {
	if k == nil {
		return Connect(ctx, address, patience)
	}
	if s := k.take(); s != nil {
		within, cancel := context.WithTimeout(ctx, answersWithin)
		defer cancel()
		if s.url == address && s.conn.Ping(within) == nil {
			return s, nil
		}
		_ = s.end()
	}
	s, err := Connect(ctx, address, patience)
	if err != nil {
		return nil, err
	}
	s.kept = k
	return s, nil
}

// Close ends the kept connection.
func (k *Kept) Close() error {
	if s := k.take(); s != nil {
		return s.end()
	}
	return nil
}

func (k *Kept) take() *Server {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.idle
	if k.idle = nil; k.timer != nil {
		k.timer.Stop()
	}
	return s
}

// give keeps a connection until the next question, or not for long.
func (k *Kept) give(s *Server) error {
	old := k.take()
	k.mu.Lock()
	k.idle, k.timer = s, time.AfterFunc(keptFor, func() { _ = k.Close() })
	k.mu.Unlock()
	if old != nil {
		return old.end()
	}
	return nil
}
