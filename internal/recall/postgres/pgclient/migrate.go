package pgclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
)

// Advisory locks have two numbers. The first says that they are memctl's, and what for.
const (
	lockMigrate = 0x6d656d00
	lockPush    = 0x6d656d01
)

// checked is what a connection remembers after Check.
const checked = "memctl checked"

// Version is the version of the schema; 0 where the database has none.
func (s *Server) Version(ctx context.Context) (version int, err error) {
	var exists bool
	if err := s.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'memctl')").Scan(&exists); err != nil || !exists {
		return 0, s.failed(err)
	}
	err = s.conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM memctl.migrations").Scan(&version)
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42P01" {
		return 0, nil
	}
	return version, s.failed(err)
}

// Check returns fault.Postgres where the schema is not the one that this memctl knows. A connection asks once.
func (s *Server) Check(ctx context.Context) error {
	known := s.conn.PgConn().CustomData()
	if known[checked] != nil {
		return nil
	}
	version, err := s.Version(ctx)
	if err == nil {
		err = s.compare(version)
	}
	if err == nil {
		known[checked] = true
	}
	return err
}

func (s *Server) compare(version int) error {
	f := &fault.Error{Code: fault.Postgres, Thing: s.address}
	switch newest := postgres.Newest(); {
	case version == newest:
		return nil
	case version == 0:
		f.Why, f.Cause = postgres.WhyMissing, "the database has no schema memctl"
	case version < newest:
		f.Why, f.Cause = postgres.WhyOlder, fmt.Sprintf("the schema memctl has version %d, and this memctl needs version %d", version, newest)
	default:
		f.Why, f.Cause = postgres.WhyNewer, fmt.Sprintf("the schema memctl has version %d, and this memctl knows versions up to %d; a newer memctl is needed", version, newest)
	}
	return f
}

// Migrate brings the schema up to date, under a lock, in one transaction. Errors: fault.Postgres
// where the schema is newer, or the role has no right to change it.
func (s *Server) Migrate(ctx context.Context) error {
	version, err := s.Version(ctx)
	if err != nil {
		return err
	}
	if version >= postgres.Newest() {
		return s.compare(version)
	}
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, 0)", lockMigrate); err != nil {
			return err
		}
		version, err := s.Version(ctx) // another push may have done it meanwhile
		if err != nil || version >= postgres.Newest() {
			return err
		}
		_, err = tx.Exec(ctx, postgres.MigrationSQL(version))
		return err
	})
	if fault.Why(err, fault.Postgres) == postgres.WhyRefused {
		refused := s.compare(version).(*fault.Error)
		refused.Cause += ", and your role has no right to make it: " + fault.Find(err, fault.Postgres).Cause
		return refused
	}
	return err
}
