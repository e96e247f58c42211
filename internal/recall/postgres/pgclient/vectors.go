package pgclient

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/recall/postgres"
)

// embedTexts is how many texts are embedded and sent at once.
const embedTexts = 256

// HasVectors reports whether the server can compare vectors: it has the extension, and the table.
func (s *Server) HasVectors(ctx context.Context) (has bool, err error) {
	err = s.conn.QueryRow(ctx, "SELECT to_regclass('memctl.vectors') IS NOT NULL").Scan(&has)
	return has, s.failed(err)
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
	var b pgx.Batch
	b.Queue("DELETE FROM memctl.vectors v WHERE store = $1 AND NOT EXISTS (SELECT FROM memctl.chunks c WHERE c.store = $1 AND c.hash = v.hash)", p.id)
	if p.req.Embed != nil {
		b.Queue("DELETE FROM memctl.vectors WHERE store = $1 AND EXISTS (SELECT FROM memctl.stores WHERE id = $1 AND model <> $2)", p.id, p.req.Model)
		b.Queue("UPDATE memctl.stores SET model = $2 WHERE id = $1", p.id, p.req.Model)
	}
	if err := p.inTx(ctx, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() }); err != nil || p.req.Embed == nil {
		return err
	}
	texts, err := collect(ctx, p.Server, pgx.RowToStructByPos[text], `SELECT DISTINCT encode(c.hash, 'hex'), c.text FROM memctl.chunks c
		WHERE c.store = $1 AND NOT EXISTS (SELECT FROM memctl.vectors v WHERE v.store = $1 AND v.hash = c.hash)`, p.id)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(texts, embedTexts) {
		if err := p.embedSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// text is a text of the store without a vector.
type text struct{ Hash, Text string }

func (p *push) embedSome(ctx context.Context, some []text) error {
	texts := make([]string, len(some))
	for i, t := range some {
		texts[i] = t.Text
	}
	vectors, err := p.req.Embed(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != len(texts) {
		return errors.New("the embedder returned too few vectors")
	}
	var hashes, values []string
	for i, v := range vectors {
		if v != nil {
			hashes, values = append(hashes, some[i].Hash), append(values, vectorText(v))
		}
	}
	p.out.Embedded += len(hashes)
	_, err = p.conn.Exec(ctx, `INSERT INTO memctl.vectors (store, hash, embedding)
		SELECT $1, decode(hash, 'hex'), embedding::public.vector FROM unnest($2::text[], $3::text[]) AS v(hash, embedding)`, p.id, hashes, values)
	return p.failed(err)
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
