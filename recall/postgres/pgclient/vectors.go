package pgclient

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/recall/postgres"
)

// embedTexts is how many texts are embedded and sent at once.
const embedTexts = 256

// HasVectors reports whether the server can compare vectors: it has the extension, and the table.
func (s *Server) HasVectors(ctx context.Context) (has bool, err error) {
	err = s.conn.QueryRow(ctx, "SELECT to_regclass('memctl.vectors') IS NOT NULL").Scan(&has)
	return has, s.failed(err)
}

// makeVectors makes the table of vectors where the extension is there and the table is not.
func (s *Server) makeVectors(ctx context.Context, tx pgx.Tx) error {
	var schema string
	err := tx.QueryRow(ctx, "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector' AND to_regclass('memctl.vectors') IS NULL").Scan(&schema)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, postgres.VectorsSQL(schema))
	return err
}

// vectorText is a vector as the extension reads it. The library for its binary form would save nothing that counts.
func vectorText(v []float32) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// embed sends the vectors of the texts that have none. Those of another model are dropped first.
func (p *push) embed(ctx context.Context) error {
	has, err := p.HasVectors(ctx)
	if err != nil || !has {
		return err
	}
	err = p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM memctl.vectors v WHERE store = $1 AND NOT EXISTS (SELECT FROM memctl.chunks c WHERE c.store = $1 AND c.hash = v.hash)", p.id); err != nil {
			return err
		}
		if p.req.Embed == nil {
			return nil
		}
		if _, err := tx.Exec(ctx, "DELETE FROM memctl.vectors WHERE store = $1 AND EXISTS (SELECT FROM memctl.stores WHERE id = $1 AND model <> $2)", p.id, p.req.Model); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "UPDATE memctl.stores SET model = $2 WHERE id = $1", p.id, p.req.Model)
		return err
	})
	if err != nil || p.req.Embed == nil {
		return err
	}
	last := []byte{}
	for {
		rows, err := p.conn.Query(ctx, `SELECT DISTINCT ON (hash) hash, text FROM memctl.chunks c WHERE store = $1 AND hash > $2
			AND NOT EXISTS (SELECT FROM memctl.vectors v WHERE v.store = $1 AND v.hash = c.hash) ORDER BY hash LIMIT $3`, p.id, last, embedTexts)
		if err != nil {
			return p.failed(err)
		}
		var hash []byte
		var text string
		var hashes [][]byte
		var texts []string
		_, err = pgx.ForEachRow(rows, []any{&hash, &text}, func() error {
			hashes, texts = append(hashes, slices.Clone(hash)), append(texts, text)
			return nil
		})
		if err != nil || len(texts) == 0 {
			return p.failed(err)
		}
		last = hashes[len(hashes)-1]
		if err := p.embedSome(ctx, hashes, texts); err != nil {
			return err
		}
	}
}

func (p *push) embedSome(ctx context.Context, hashes [][]byte, texts []string) error {
	vectors, err := p.req.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return errors.New("the embedder returned too few vectors")
	}
	var with [][]byte
	var values []string
	for i, v := range vectors {
		if v != nil {
			with, values = append(with, hashes[i]), append(values, vectorText(v))
		}
	}
	p.out.Embedded += len(with)
	return p.inTx(ctx, func(tx pgx.Tx) error {
		var kind string
		if err := tx.QueryRow(ctx, "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'memctl.vectors'::regclass AND attname = 'embedding'").Scan(&kind); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO memctl.vectors (store, hash, embedding) SELECT $1, hash, embedding::"+kind+" FROM unnest($2::bytea[], $3::text[]) AS v(hash, embedding) ON CONFLICT DO NOTHING", p.id, with, values)
		return err
	})
}

// Missing is how many texts of each store have no vector, of those whose store has some.
func (s *Server) Missing(ctx context.Context) (map[int64]int64, error) {
	rows, err := s.conn.Query(ctx, `SELECT c.store, count(DISTINCT c.hash) FROM memctl.chunks c JOIN memctl.stores s ON s.id = c.store
		WHERE NOT EXISTS (SELECT FROM memctl.vectors v WHERE v.store = c.store AND v.hash = c.hash) GROUP BY c.store`)
	if err != nil {
		return nil, s.failed(err)
	}
	missing := map[int64]int64{}
	var id, n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		missing[id] = n
		return nil
	})
	return missing, s.failed(err)
}

// near adds the chunks nearest to the query's vector.
func (s *Server) near(ctx context.Context, q *postgres.Query, c *postgres.Candidates) error {
	if has, err := s.HasVectors(ctx); err != nil || !has {
		return err
	}
	args := append(asked(q), q.Model, vectorText(q.Vector))
	args = append(append(args, filters(q)...), q.Nearest)
	var err error
	c.Near, err = s.found(ctx, "SELECT (n.chunk).*, n.nearness FROM memctl.find_near($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) n", args...)
	return err
}
