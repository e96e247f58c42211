// Package pgclient speaks to the PostgreSQL server of a shared index. Only memctl-full links it, because the library is a
// seventh of the program.
package pgclient

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
)

// Pool opens connections, and keeps each for the next question of a process that asks often, such as the MCP server.
// The zero value is ready. It is for several goroutines.
type Pool struct {
	mu    sync.Mutex
	pools map[string]*pgxpool.Pool // by address
}

const (
	// maxIdleTime is how long a connection waits for the next question. A server has about a hundred connections for everyone.
	maxIdleTime = 30 * time.Second
	// pingTimeout is how soon a kept connection must answer before a question uses it. The network may be another by now.
	pingTimeout = 500 * time.Millisecond
)

// Server is a connection to a server. It is not for several goroutines.
type Server struct {
	conn    *pgx.Conn
	release func()
	address string // host and database
}

// Connect gives a connection within the given time. It is a [postgres.Dial]. Passwords come from the URL or, as libpq has it,
// from PGPASSWORD or the password file. Error: fault.Postgres, which never has the password.
func (p *Pool) Connect(ctx context.Context, address string, patience time.Duration) (postgres.Server, error) {
	pool, err := p.poolOf(address)
	if err != nil {
		return nil, err
	}
	config := pool.Config().ConnConfig
	s := &Server{address: config.Host + "/" + config.Database}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, s.connectFault(err)
	}
	s.conn, s.release = conn.Conn(), conn.Release
	return s, nil
}

// poolOf is the pool of an address.
func (p *Pool) poolOf(address string) (*pgxpool.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pool := p.pools[address]; pool != nil {
		return pool, nil
	}
	fail := func(cause string) error {
		return &fault.Error{Code: fault.Postgres, Why: postgres.WhyAddress, Cause: "memctl.pg.url " + cause, Hints: []string{postgres.SetHint}}
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, fail("is not an address such as postgres://ada@db.example.com/memory")
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fail("cannot be read: " + parseCause(err))
	}
	config.MaxConnIdleTime, config.HealthCheckPeriod, config.PingTimeout = maxIdleTime, maxIdleTime, pingTimeout
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return true }
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // named statements fail behind a pooler
	config.ConnConfig.RuntimeParams["application_name"] = "memctl"
	config.ConnConfig.RuntimeParams["search_path"] = "pg_catalog, pg_temp"
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fail("cannot be used: " + err.Error())
	}
	if p.pools == nil {
		p.pools = map[string]*pgxpool.Pool{}
	}
	p.pools[address] = pool
	return pool, nil
}

// parseCause is why an address cannot be read, without the address.
func parseCause(err error) string {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) && parse.Unwrap() != nil && !strings.Contains(parse.Unwrap().Error(), "://") {
		return parse.Unwrap().Error()
	}
	return "a part of it is wrong"
}

// Close ends the connections that no question uses, and those in use when they are closed.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range p.pools {
		pool.Close()
	}
	p.pools = nil
}

// Close gives the connection back.
func (s *Server) Close() error {
	s.release()
	return nil
}

// Address is the server's host and database, to be shown.
func (s *Server) Address() string { return s.address }

func (s *Server) connectFault(err error) error {
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyUnreachable}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the PostgreSQL server does not answer: " + lastCause(err)
	case strings.HasPrefix(said.Code, "28"):
		f.Why, f.Cause = postgres.WhyLogin, "the PostgreSQL server refuses the login: "+said.Message
	default:
		f.Cause = "the PostgreSQL server refuses the connection: " + said.Message
	}
	return f
}

// lastCause is the end of an error's text: what is before it repeats the address.
func lastCause(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}

// statementFault makes a fault of what a statement failed with.
func (s *Server) statementFault(err error) error {
	if err == nil || fault.Is(err, fault.Postgres) || errors.Is(err, context.Canceled) {
		return err
	}
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyBroken, Err: err}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the connection to the PostgreSQL server broke: " + lastCause(err)
	case said.Code == "42501":
		f.Why, f.Cause = postgres.WhyRefused, "the PostgreSQL server refuses it: "+said.Message
	case strings.HasPrefix(said.Code, "57"), strings.HasPrefix(said.Code, "08"):
		f.Cause = "the connection to the PostgreSQL server broke: " + said.Message
	default:
		f.Why, f.Cause = postgres.WhyFailed, "the PostgreSQL server failed: "+said.Message
	}
	return f
}

// inTx runs a function in a transaction of its own.
func (s *Server) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.statementFault(pgx.BeginFunc(ctx, s.conn, do))
}

// queryRows asks a question and gives its rows.
func queryRows[T any](ctx context.Context, s *Server, to pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return nil, s.statementFault(err)
	}
	list, err := pgx.CollectRows(rows, to)
	return list, s.statementFault(err)
}
