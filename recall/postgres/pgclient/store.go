package pgclient

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall/postgres"
)

const selectStores = `SELECT s.id, s.scope, s.root, s.remote, s.name, coalesce(s.owner, ''), s.commit, coalesce(s.pushed, '0001-01-01 UTC'), s.model,
  s.documents, s.chunks, s.id IN (SELECT w.id FROM memctl.writable w) AS writable, coalesce(k.n, 0), coalesce(f.n, 0) FROM memctl.stores s
  LEFT JOIN (SELECT store, count(*) AS n FROM memctl.usable_skills() WHERE version = '' GROUP BY store) k ON k.store = s.id
  LEFT JOIN (SELECT store, count(*) AS n FROM memctl.files WHERE kind = 'context' GROUP BY store) f ON f.store = s.id `

func scanStore(row pgx.CollectableRow) (s postgres.Store, err error) {
	err = row.Scan(&s.ID, &s.Scope, &s.Root, &s.Remote, &s.Name, &s.Owner, &s.Commit, &s.Pushed, &s.Model, &s.Documents, &s.Chunks, &s.Writable, &s.Skills, &s.Context)
	s.Pushed = s.Pushed.UTC()
	return s, err
}

// readable leaves out a store of the person that a group's replaces, and of a superuser, whom no policy stops, the
// private rows of others.
const readable = `(s.owner IS NULL OR s.id IN (SELECT r.id FROM memctl.readable() r)) `

// Stores lists the stores that the person may read.
func (s *Server) Stores(ctx context.Context) ([]postgres.Store, error) {
	rows, err := s.conn.Query(ctx, selectStores+"WHERE "+readable+"ORDER BY s.name, s.scope, s.id")
	if err != nil {
		return nil, s.failed(err)
	}
	list, err := pgx.CollectRows(rows, scanStore)
	return list, s.failed(err)
}

// Find is the store of a target that the person reads: the group's before the person's own. Nil where it was
// never pushed.
func (s *Server) Find(ctx context.Context, t postgres.Target) (*postgres.Store, error) {
	return s.store(ctx, "s.scope = $1 AND s.root = $2 AND s.remote = $3 AND "+readable+"ORDER BY s.owner NULLS FIRST", t.Scope, t.Root, t.Remote)
}

// store is the first store of a condition; nil where there is none.
func (s *Server) store(ctx context.Context, condition string, args ...any) (*postgres.Store, error) {
	rows, err := s.conn.Query(ctx, selectStores+"WHERE "+condition+" LIMIT 1", args...)
	if err != nil {
		return nil, s.failed(err)
	}
	list, err := pgx.CollectRows(rows, scanStore)
	if err != nil || len(list) == 0 {
		return nil, s.failed(err)
	}
	return &list[0], nil
}

// Droppable is the store of a target that a drop removes: the group's if the person may push it, else the person's own. If
// there is neither, it is the group's, which Drop refuses. With a commit, or its beginning, it is the person's own of that
// scope whose last push was of that commit, from whichever machine.
func (s *Server) Droppable(ctx context.Context, t postgres.Target, commit string) (*postgres.Store, error) {
	if commit != "" {
		return s.store(ctx, "s.scope = $1 AND s.owner = session_user AND starts_with(s.commit, $2) ORDER BY s.id", t.Scope, commit)
	}
	return s.store(ctx, "s.scope = $1 AND s.root = $2 AND s.remote = $3 AND (s.owner IS NULL OR s.owner = session_user) ORDER BY writable DESC, s.owner NULLS FIRST", t.Scope, t.Root, t.Remote)
}

// Drop removes a store with all its rows. Row-level security hides it from who may not, without an error.
func (s *Server) Drop(ctx context.Context, id int64) error {
	var done bool
	err := s.conn.QueryRow(ctx, "SELECT memctl.drop_store($1)", id).Scan(&done)
	if err == nil && !done {
		return &fault.Error{Code: fault.Postgres, Thing: s.address, Why: postgres.WhyRefused, Cause: "the PostgreSQL server refuses it: your role may read this store, and not remove it"}
	}
	return s.failed(err)
}

// DropAll removes the schema.
func (s *Server) DropAll(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "DROP SCHEMA memctl CASCADE")
	return s.failed(err)
}

func (p *push) readOnly() error {
	return &fault.Error{Code: fault.Postgres, Thing: p.address, Why: postgres.WhyRefused, Cause: "your role may read this repository and not push it"}
}

// open finds or makes the row of the store. A repository that a group shares has one row for all; what is
// not shared belongs to the person.
func (p *push) open(ctx context.Context) error {
	t := p.req.Target
	var known, writer bool
	var group string
	if t.Scope == "project" {
		err := p.conn.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(writers = ANY ((SELECT memctl.roles())::name[])), false), coalesce(min(readers::text), '')
			FROM memctl.repositories WHERE root = $1 AND remote = $2`, t.Root, t.Remote).Scan(&known, &writer, &group)
		if err != nil {
			return p.failed(err)
		}
		if known && !writer {
			return p.readOnly()
		}
	}
	p.out.Shared = known
	return p.inTx(ctx, func(tx pgx.Tx) error {
		const replaced = `SELECT memctl.drop_store(id) FROM memctl.stores WHERE scope = $1 AND root = ANY ($2) AND remote = $3 AND (owner IS NULL OR owner = session_user)`
		if _, err := tx.Exec(ctx, replaced, t.Scope, p.req.Replaced, t.Remote); err != nil {
			return err
		}
		// A store that another group read before is pushed anew: its words and counts name the readers.
		const moved = `SELECT memctl.drop_store(id) FROM memctl.stores WHERE scope = $1 AND root = $2 AND remote = $3
			AND owner IS NOT DISTINCT FROM CASE WHEN $4 THEN NULL ELSE session_user END AND readers <> CASE WHEN $4 THEN 'group ' || $5 ELSE 'person ' || session_user END`
		if _, err := tx.Exec(ctx, moved, t.Scope, t.Root, t.Remote, known, group); err != nil {
			return err
		}
		const insert = `INSERT INTO memctl.stores (scope, root, remote, owner, readers, name)
			VALUES ($1, $2, $3, CASE WHEN $4 THEN NULL ELSE session_user END, CASE WHEN $4 THEN 'group ' || $5 ELSE 'person ' || session_user END, $6)
			ON CONFLICT (scope, root, remote, coalesce(owner, '')) DO UPDATE SET name = excluded.name RETURNING id, readers`
		return tx.QueryRow(ctx, insert, t.Scope, t.Root, t.Remote, known, group, t.Name).Scan(&p.id, &p.readers)
	})
}

// end records what the store is now at. A project that is shared now has no rows of its own person left.
func (p *push) end(ctx context.Context) error {
	return p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE memctl.stores SET commit = $2, pushed = now() WHERE id = $1", p.id, p.req.Commit); err != nil {
			return err
		}
		if !p.out.Shared {
			return nil
		}
		_, err := tx.Exec(ctx, "SELECT memctl.drop_store(id) FROM memctl.stores WHERE scope = 'project' AND root = $1 AND remote = $2 AND owner = session_user", p.req.Root, p.req.Remote)
		return err
	})
}
