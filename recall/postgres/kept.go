package postgres

import (
	"context"
	"sync"
	"time"
)

// Kept keeps a connection for the next question of a process that asks often, such as the MCP server. It is for
// several goroutines.
type Kept struct {
	Dial Dial // opens a connection

	mu    sync.Mutex
	idle  *kept
	timer *time.Timer
}

// kept is a connection that its user gives back by closing it.
type kept struct {
	Server
	url  string
	home *Kept
}

const (
	// keptFor is how long a connection waits for the next question. A server has about a hundred connections for everyone.
	keptFor = 30 * time.Second
	// answersWithin is how soon a kept connection must answer before a question uses it. The network may be another by now.
	answersWithin = 500 * time.Millisecond
)

// Connect gives the kept connection where it is to this address and still answers, else a new one. It is a [Dial].
func (k *Kept) Connect(ctx context.Context, address string, patience time.Duration) (Server, error) {
	if s := k.take(); s != nil {
		within, cancel := context.WithTimeout(ctx, answersWithin)
		defer cancel()
		if s.url == address && s.Idle(within) {
			return s, nil
		}
		_ = s.Server.Close()
	}
	s, err := k.Dial(ctx, address, patience)
	if err != nil {
		return nil, err
	}
	return &kept{s, address, k}, nil
}

// Close ends the kept connection.
func (k *Kept) Close() error {
	if s := k.take(); s != nil {
		return s.Server.Close()
	}
	return nil
}

func (k *Kept) take() *kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.idle
	if k.idle = nil; k.timer != nil {
		k.timer.Stop()
	}
	return s
}

// Close keeps the connection until the next question, or not for long.
func (s *kept) Close() error {
	k := s.home
	old := k.take()
	k.mu.Lock()
	k.idle, k.timer = s, time.AfterFunc(keptFor, func() { _ = k.Close() })
	k.mu.Unlock()
	if old != nil {
		return old.Server.Close()
	}
	return nil
}
