package pgclient

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall/postgres"
)

const selectStores = `SELECT s.id, s.scope, s.root, s.remote, s.name, coalesce(s.owner, '') AS owner, s.commit, coalesce(s.pushed, '0001-01-01 UTC') AS pushed, s.model,
  s.documents, s.chunks, s.id IN (SELECT w.id FROM memctl.writable w) AS writable, coalesce(k.n, 0) AS skills, coalesce(f.n, 0) AS context FROM memctl.stores s
  LEFT JOIN (SELECT store, count(*) AS n FROM memctl.usable_skills() WHERE version = '' GROUP BY store) k ON k.store = s.id
  LEFT JOIN (SELECT store, count(*) AS n FROM memctl.files WHERE kind = 'context' GROUP BY store) f ON f.store = s.id `

// readableCondition leaves out a store of the person that a group's replaces, and of a superuser, whom no policy stops, the
// private rows of others.
const readableCondition = `(s.owner IS NULL OR s.id IN (SELECT r.id FROM memctl.readable() r)) `

// Stores lists the stores that the person may read.
func (s *Server) Stores(ctx context.Context) ([]postgres.Store, error) {
	return s.queryStores(ctx, readableCondition+"ORDER BY s.name, s.scope, s.id")
}

func (s *Server) queryStores(ctx context.Context, condition string, args ...any) ([]postgres.Store, error) {
	return queryRows(ctx, s, pgx.RowToStructByName[postgres.Store], selectStores+"WHERE "+condition, args...)
}

// Find is the store of a target that the person reads: the group's before the person's own. Nil where it was
// never pushed.
func (s *Server) Find(ctx context.Context, t postgres.Target) (*postgres.Store, error) {
	return s.queryStore(ctx, "s.scope = $1 AND s.root = $2 AND s.remote = $3 AND "+readableCondition+"ORDER BY s.owner NULLS FIRST", t.Scope, t.Root, t.Remote)
}

// queryStore reads the first store of a condition; nil where there is none.
func (s *Server) queryStore(ctx context.Context, condition string, args ...any) (*postgres.Store, error) {
	list, err := s.queryStores(ctx, condition+" LIMIT 1", args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Droppable is the store of a target, by one of its first commits, that Drop removes: the group's if the person may push it,
// else the person's own. If there is neither, it is the group's, which Drop refuses.
func (s *Server) Droppable(ctx context.Context, t postgres.Target, roots []string) (*postgres.Store, error) {
	return s.queryStore(ctx, "s.scope = $1 AND s.root = ANY ($2) AND s.remote = $3 AND (s.owner IS NULL OR s.owner = session_user) ORDER BY writable DESC, s.owner NULLS FIRST",
		t.Scope, roots, t.Remote)
}

// Drop removes a store with all its rows. Row-level security hides it from who may not, without an error.
func (s *Server) Drop(ctx context.Context, id int64) error {
	var done bool
	err := s.conn.QueryRow(ctx, "SELECT memctl.drop_store($1)", id).Scan(&done)
	if err == nil && !done {
		return &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyRefused, Cause: "the PostgreSQL server refuses it: your role may read this store, and not remove it"}
	}
	return s.statementFault(err)
}

func (p *push) isReadOnly() error {
	return &fault.Error{Code: fault.Postgres, Thing: p.address, Why: postgres.WhyRefused, Cause: "your role may read this repository and not push it"}
}

// openStore finds or makes the row of the store. A repository that a group shares has one row for all; what is
// not shared belongs to the person.
func (p *push) openStore(ctx context.Context) error {
	t := p.req.Target
	var readers string
	err := p.conn.QueryRow(ctx, `SELECT coalesce((SELECT 'group ' || readers FROM memctl.repositories WHERE root = $1 AND remote = $2 AND $3 = 'project'),
		'person ' || session_user)`, t.Root, t.Remote, t.Scope).Scan(&readers)
	if err != nil {
		return p.statementFault(err)
	}
	p.result.Shared = strings.HasPrefix(readers, "group ")
	err = p.inTx(ctx, func(tx pgx.Tx) error {
		// A store that another group read before is pushed anew, because its words and counts name the readers.
		const outdated = `SELECT memctl.drop_store(id) FROM memctl.stores WHERE scope = $1 AND remote = $2 AND (owner IS NULL OR owner = session_user)
			AND (root = ANY ($3) OR root = $4 AND readers <> $5 AND (owner IS NULL) = $6)`
		if _, err := tx.Exec(ctx, outdated, t.Scope, t.Remote, p.req.Replaced, t.Root, readers, p.result.Shared); err != nil {
			return err
		}
		const insert = `INSERT INTO memctl.stores (scope, root, remote, owner, readers, name) VALUES ($1, $2, $3, CASE WHEN $4 THEN NULL ELSE session_user END, $5, $6)
			ON CONFLICT (scope, root, remote, coalesce(owner, '')) DO UPDATE SET name = excluded.name RETURNING id`
		return tx.QueryRow(ctx, insert, t.Scope, t.Root, t.Remote, p.result.Shared, readers, t.Name).Scan(&p.storeID)
	})
	if fault.Why(err, fault.Postgres) == postgres.WhyRefused {
		return p.isReadOnly()
	}
	return err
}

// recordState records what the store is now at. A project that is shared now has no rows of its own person left.
func (p *push) recordState(ctx context.Context) error {
	return p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE memctl.stores SET commit = $2, pushed = now(),
			documents = (SELECT count(*) FROM memctl.documents WHERE store = $1 AND kind = 'memory') WHERE id = $1`, p.storeID, p.req.Commit); err != nil {
			return err
		}
		if !p.result.Shared {
			return nil
		}
		_, err := tx.Exec(ctx, "SELECT memctl.drop_store(id) FROM memctl.stores WHERE scope = 'project' AND root = $1 AND remote = $2 AND owner = session_user", p.req.Root, p.req.Remote)
		return err
	})
}
