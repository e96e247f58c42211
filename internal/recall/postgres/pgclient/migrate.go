package pgclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

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

// schemaChecked is what a connection remembers after CheckSchema.
const schemaChecked = "memctl checked"

// Version is the version of the schema; 0 where the database has none.
func (s *Server) Version(ctx context.Context) (version int, err error) {
	var exists bool
	if err := s.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'memctl')").Scan(&exists); err != nil || !exists {
		return 0, s.statementFault(err)
	}
	err = s.conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM memctl.migrations").Scan(&version)
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "42P01" {
		return 0, nil
	}
	return version, s.statementFault(err)
}

// CheckSchema returns fault.Postgres where the schema is not the one that this memctl knows. A connection asks once.
func (s *Server) CheckSchema(ctx context.Context) error {
	known := s.conn.PgConn().CustomData()
	if known[schemaChecked] != nil {
		return nil
	}
	version, err := s.Version(ctx)
	if err == nil {
		err = s.compareVersion(version)
	}
	if err == nil {
		known[schemaChecked] = true
	}
	return err
}

func (s *Server) compareVersion(version int) error {
	f := &fault.Error{Code: fault.Postgres, Thing: s.address}
	switch newest := postgres.NewestVersion(); {
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
	if version >= postgres.NewestVersion() {
		return s.compareVersion(version)
	}
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1, 0)", lockMigrate); err != nil {
			return err
		}
		version, err := s.Version(ctx) // another push may have done it meanwhile
		if err != nil || version >= postgres.NewestVersion() {
			return err
		}
		_, err = tx.Exec(ctx, postgres.MigrationSQL(version))
		return err
	})
	if fault.Why(err, fault.Postgres) == postgres.WhyRefused {
		refused := s.compareVersion(version).(*fault.Error)
		refused.Cause += ", and your role has no right to make it: " + fault.Find(err, fault.Postgres).Cause
		return refused
	}
	return err
}

// lockStore lets one push of a store run at a time. The session holds the lock, so that it ends with the process. Any role can take it
// and a machine that vanished keeps it for a while, so the wait has an end, and the server asks a silent client whether it is there.
func (p *push) lockStore(ctx context.Context) error {
	p.result.Store = p.storeID
	if _, err := p.conn.Exec(ctx, "SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"); err != nil {
		return p.statementFault(err)
	}
	var free bool
	if err := p.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockPush, int32(p.storeID)).Scan(&free); err != nil || free {
		return p.statementFault(err)
	}
	if p.req.Waiting != nil {
		p.req.Waiting()
	}
	patience := cmp.Or(p.req.Patience, 10*time.Minute)
	err := p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", strconv.FormatInt(patience.Milliseconds(), 10)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", lockPush, int32(p.storeID)) // a lock of the session, which outlives the transaction
		return err
	})
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "55P03" {
		return &fault.Error{Code: fault.Postgres, Thing: p.address, Why: postgres.WhyFailed, Cause: "another session holds the lock of this store and does not end"}
	}
	return err
}
