// Package pgclient speaks to the PostgreSQL server of a shared index. Only memctl-full links it, because the library is a
// seventh of the program.
package pgclient

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall/postgres"
)

// Server is a connection to a server. It is not for several goroutines.
type Server struct {
	conn     *pgx.Conn
	password string
	address  string // host, port and database
	checked  bool   // the schema is the one that this memctl knows
}

// Connect opens a connection within the given time. Passwords come from the URL or, as libpq has it, from
// PGPASSWORD or the password file. Error: fault.Postgres, which never has the password.
func Connect(ctx context.Context, address string, patience time.Duration) (postgres.Server, error) {
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, &fault.Error{Code: fault.Postgres, Why: postgres.WhyAddress, Cause: "memctl.pg.url is not an address such as postgres://ada@db.example.com/memory"}
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, &fault.Error{Code: fault.Postgres, Why: postgres.WhyAddress, Cause: "memctl.pg.url cannot be read: " + parseCause(err)}
	}
	s := &Server{password: config.Password, address: config.Host + "/" + config.Database}
	config.ConnectTimeout = patience
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // named statements fail behind a pooler
	config.RuntimeParams["application_name"] = "memctl"
	config.RuntimeParams["search_path"] = "pg_catalog, pg_temp"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, s.connectFault(err)
	}
	return s, nil
}

// parseCause is why an address cannot be read, without the address.
func parseCause(err error) string {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) && parse.Unwrap() != nil {
		cause := parse.Unwrap().Error()
		if !strings.Contains(cause, "://") {
			return cause
		}
	}
	return "a part of it is wrong"
}

// Close ends the connection.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}

// Idle reports whether the connection still answers and is in no transaction.
func (s *Server) Idle(ctx context.Context) bool {
	return !s.conn.IsClosed() && s.conn.PgConn().TxStatus() == 'I' && s.conn.Ping(ctx) == nil
}

// Address is the server's host and database, to be shown.
func (s *Server) Address() string { return s.address }

func (s *Server) connectFault(err error) error {
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyUnreachable}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the PostgreSQL server does not answer: " + s.redact(lastCause(err))
	case strings.HasPrefix(said.Code, "28"):
		f.Why, f.Cause = postgres.WhyLogin, "the PostgreSQL server refuses the login: "+s.redact(said.Message)
	default:
		f.Cause = "the PostgreSQL server refuses the connection: " + s.redact(said.Message)
	}
	return f
}

// lastCause is the innermost error of a failed connection: the outer ones repeat the address.
func lastCause(err error) string {
	for {
		switch inner := err.(type) {
		case interface{ Unwrap() error }:
			if next := inner.Unwrap(); next != nil {
				err = next
				continue
			}
		case interface{ Unwrap() []error }:
			if list := inner.Unwrap(); len(list) > 0 {
				err = list[0]
				continue
			}
		}
		return err.Error()
	}
}

// redact takes the password out of what the server or the library said.
func (s *Server) redact(text string) string {
	if s.password == "" {
		return text
	}
	for _, form := range []string{s.password, url.QueryEscape(s.password), url.PathEscape(s.password)} {
		text = strings.ReplaceAll(text, form, "xxxxx")
	}
	return text
}

// failed makes a fault of what a statement failed with.
func (s *Server) failed(err error) error {
	if err == nil || fault.Is(err, fault.Postgres) || errors.Is(err, context.Canceled) {
		return err
	}
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyBroken, Err: err}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the connection to the PostgreSQL server broke: " + s.redact(lastCause(err))
	case said.Code == "42501":
		f.Why, f.Cause = postgres.WhyRefused, "the PostgreSQL server refuses it: "+s.redact(said.Message)
	case strings.HasPrefix(said.Code, "57"), strings.HasPrefix(said.Code, "08"):
		f.Cause = "the connection to the PostgreSQL server broke: " + s.redact(said.Message)
	default:
		f.Why, f.Cause = postgres.WhyFailed, "the PostgreSQL server failed: "+s.redact(said.Message)
	}
	return f
}

// inTx runs a function in a transaction of its own.
func (s *Server) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.failed(pgx.BeginFunc(ctx, s.conn, do))
}
