package pgclient

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/recall/postgres"
)

// textsAtOnce is how many texts are embedded and sent at once.
const textsAtOnce = 256

// HasVectors reports whether the server can compare vectors: it has the extension, and the table.
func (s *Server) HasVectors(ctx context.Context) (has bool, err error) {
	err = s.conn.QueryRow(ctx, "SELECT to_regclass('memctl.vectors') IS NOT NULL").Scan(&has)
	return has, s.statementFault(err)
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

// sendVectors sends the vectors of the texts that have none. Those of another model are dropped first.
func (p *push) sendVectors(ctx context.Context) error {
	has, err := p.HasVectors(ctx)
	if err != nil || !has {
		return err
	}
	var b pgx.Batch
	b.Queue("DELETE FROM memctl.vectors v WHERE store = $1 AND NOT EXISTS (SELECT FROM memctl.chunks c WHERE c.store = $1 AND c.hash = v.hash)", p.storeID)
	if p.req.Embed != nil {
		b.Queue("DELETE FROM memctl.vectors WHERE store = $1 AND EXISTS (SELECT FROM memctl.stores WHERE id = $1 AND model <> $2)", p.storeID, p.req.Model)
		b.Queue("UPDATE memctl.stores SET model = $2 WHERE id = $1", p.storeID, p.req.Model)
	}
	if err := p.inTx(ctx, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() }); err != nil || p.req.Embed == nil {
		return err
	}
	texts, err := queryRows(ctx, p.Server, pgx.RowToStructByPos[textWithoutVector], `SELECT DISTINCT encode(c.hash, 'hex'), c.text FROM memctl.chunks c
		WHERE c.store = $1 AND NOT EXISTS (SELECT FROM memctl.vectors v WHERE v.store = $1 AND v.hash = c.hash)`, p.storeID)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(texts, textsAtOnce) {
		if err := p.embedAndSend(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// textWithoutVector is a text of the store without a vector.
type textWithoutVector struct{ Hash, Text string }

func (p *push) embedAndSend(ctx context.Context, some []textWithoutVector) error {
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
	p.result.Embedded += len(hashes)
	_, err = p.conn.Exec(ctx, `INSERT INTO memctl.vectors (store, hash, embedding)
		SELECT $1, decode(hash, 'hex'), embedding::public.vector FROM unnest($2::text[], $3::text[]) AS v(hash, embedding)`, p.storeID, hashes, values)
	return p.statementFault(err)
}

// addNearest adds the chunks nearest to the query's vector.
func (s *Server) addNearest(ctx context.Context, q *postgres.Query, c *postgres.Candidates) error {
	if has, err := s.HasVectors(ctx); err != nil || !has {
		return err
	}
	args := append(storeArguments(q), q.Model, vectorText(q.Vector))
	args = append(append(args, filterArguments(q)...), q.MaxNearest)
	var err error
	c.Nearest, err = s.readFound(ctx, "SELECT (n.chunk).*, n.nearness FROM memctl.find_near($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) n", args...)
	return err
}
