// Package store opens memory's stores by scope and is the one place where memory changes on disk.
package store

import (
	"context"
	"time"
)

// The scopes. ScopeStore is the only one under --store.
const (
	Project    = "project"
	Private    = "private"
	User       = "user"
	ScopeStore = "store"
)

// Env is what a door hands in: where the session stands and how to reach the world.
type Env struct {
	Dir      string // the session's folder
	StoreDir string // --store or MEMCTL_STORE; "" for the usual scopes
	Getenv   func(string) string
	Now      func() time.Time
	Talk     func(string) // one line for the person, while the act runs (stderr); never nil
}

// Stores are the stores of one session.
type Stores struct{}

// Open finds the stores; it reads no memory and starts no process.
func Open(ctx context.Context, env Env) (*Stores, error) { panic("stub") }
