// Package postgres keeps chunks of memory in PostgreSQL, as an index that a team shares. Files
// stay the truth: all of it can be dropped and pushed again.
//
// Words. A store is what one push sends: a scope of a repository, or the user scope of a person. A
// document is a file, of which chunks are made. A person is a role of the server. The
// schema memctl has the tables, and row-level security on all of them compares session_user.
package postgres

import (
	"context"
	"embed"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memctl/memctl/internal/fault"
)

//go:embed sql/*.sql
var statements embed.FS

// statement is the text of a file of SQL.
func statement(name string) string {
	text, err := statements.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // the name is a constant, and a test calls every one
	}
	return string(text)
}

// The reasons of fault.Postgres.
const (
	WhyAddress     = "address"     // the URL cannot be read
	WhyUnreachable = "unreachable" // no server answers
	WhyLogin       = "login"       // the server refuses the role, or its password
	WhyRefused     = "refused"     // the role lacks a right
	WhyMissing     = "missing"     // the database has no schema memctl, and the role may not make it
	WhyOlder       = "older"       // the schema is older, and the role may not change it
	WhyNewer       = "newer"       // the schema is newer than this memctl
	WhyBroken      = "broken"      // the connection ended in the middle
	WhyFailed      = "failed"      // the server refused a statement
	WhyShallow     = "shallow"     // the first commit of the repository is not here
	WhyBehind      = "behind"      // the last push was of a commit that HEAD does not have
	WhyAbsent      = "absent"      // the store, or its memory file, is not on this machine
)

// Server is a connection to a server. It is not for several goroutines.
type Server struct {
	conn     *pgx.Conn
	password string
	address  string // host, port and database
	url      string
	kept     *Kept // that keeps the connection when it is closed; nil ends it
}

// Connect opens a connection within the given time. Passwords come from the URL or, as libpq has it, from
// PGPASSWORD or the password file. Error: fault.Postgres, which never has the password.
func Connect(ctx context.Context, address string, patience time.Duration) (*Server, error) {
	if u, err := url.Parse(address); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, &fault.Error{Code: fault.Postgres, Why: WhyAddress, Cause: "memctl.pg.url is not an address such as postgres://ada@db.example.com/memory"}
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, &fault.Error{Code: fault.Postgres, Why: WhyAddress, Cause: "memctl.pg.url cannot be read: " + parseCause(err)}
	}
	s := &Server{password: config.Password, address: config.Host + "/" + config.Database, url: address}
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

// Close ends the use of the connection.
func (s *Server) Close() error {
	if s.kept != nil && !s.conn.IsClosed() && s.conn.PgConn().TxStatus() == 'I' {
		return s.kept.give(s)
	}
	return s.end()
}

func (s *Server) end() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.conn.Close(ctx)
}

// Address is the server's host and database, to be shown.
func (s *Server) Address() string { return s.address }

func (s *Server) connectFault(err error) error {
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: WhyUnreachable}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the PostgreSQL server does not answer: " + s.redact(lastCause(err))
	case strings.HasPrefix(said.Code, "28"):
		f.Why, f.Cause = WhyLogin, "the PostgreSQL server refuses the login: "+s.redact(said.Message)
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
	f := &fault.Error{Code: fault.Postgres, Thing: s.address, Why: WhyBroken, Err: err}
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f.Cause = "the connection to the PostgreSQL server broke: " + s.redact(lastCause(err))
	case said.Code == "42501":
		f.Why, f.Cause = WhyRefused, "the PostgreSQL server refuses it: "+s.redact(said.Message)
	case strings.HasPrefix(said.Code, "57"), strings.HasPrefix(said.Code, "08"):
		f.Cause = "the connection to the PostgreSQL server broke: " + s.redact(said.Message)
	default:
		f.Why, f.Cause = WhyFailed, "the PostgreSQL server failed: "+s.redact(said.Message)
	}
	return f
}

// inTx runs a function in a transaction of its own.
func (s *Server) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.failed(pgx.BeginFunc(ctx, s.conn, do))
}
