package pgclient

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
)

// lock lets one push of a store run at a time. The session holds the lock, so that it ends with the process. Any role can take it
// and a machine that vanished keeps it for a while, so the wait has an end, and the server asks a silent client whether it is there.
func (p *push) lock(ctx context.Context) error {
	p.out.Store = p.id
	if _, err := p.conn.Exec(ctx, "SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3"); err != nil {
		return p.failed(err)
	}
	var free bool
	if err := p.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockPush, int32(p.id)).Scan(&free); err != nil || free {
		return p.failed(err)
	}
	if p.req.Waiting != nil {
		p.req.Waiting()
	}
	patience := cmp.Or(p.req.Patience, 10*time.Minute)
	err := p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true)", strconv.FormatInt(patience.Milliseconds(), 10)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", lockPush, int32(p.id)) // a lock of the session, which outlives the transaction
		return err
	})
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == "55P03" {
		return &fault.Error{Code: fault.Postgres, Thing: p.address, Why: postgres.WhyFailed, Cause: "another session holds the lock of this store and does not end"}
	}
	return err
}
