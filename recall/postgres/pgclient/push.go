package pgclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/recall/postgres"
)

// batchChunks is how many chunks one transaction sends. What a push that broke off has
// sent in whole batches, the next one finds there.
const batchChunks = 2000

// hashVersion changes when chunks become other rows than before: all is then sent again.
const hashVersion = "memctl chunks 1\n"

// docHash is the hash of a doc. The hashes of a document's docs are added up, since their order is not kept.
func docHash(d *index.Doc) (h [32]byte) {
	data, _ := json.Marshal(d)
	return sha256.Sum256(append([]byte(hashVersion), data...))
}

// document is what there is to know of a document before its chunks are sent.
type document struct {
	hash   [32]byte
	chunks int
}

func (d *document) add(h [32]byte) {
	carry := uint16(0)
	for i := range d.hash {
		carry += uint16(d.hash[i]) + uint16(h[i])
		d.hash[i], carry = byte(carry), carry>>8
	}
	d.chunks++
}

// push is one push under way.
type push struct {
	*Server
	req     postgres.PushRequest
	id      int64
	readers string // whose counts of terms the store is in
	first   bool   // no push of the store has ended yet
	local   map[string]*document
	changed map[string]bool
	there   map[string]bool // the server has a document of that path
	cut     bool            // rows were removed or replaced
	gone    []string
	out     postgres.Pushed
	cutter  index.Analyzer
}

// Push sends the documents that changed since the last push, and removes those that are gone. Each batch is a
// transaction, and pushes of one store wait for each other. Errors: fault.Postgres; those of reading the docs.
func (s *Server) Push(ctx context.Context, req postgres.PushRequest) (postgres.Pushed, error) {
	p := &push{Server: s, req: req, local: map[string]*document{}, changed: map[string]bool{}, there: map[string]bool{}}
	if err := p.readLocal(); err != nil {
		return p.out, err
	}
	if req.DryRun {
		return p.out, p.plan(ctx)
	}
	if err := p.open(ctx); err != nil {
		return p.out, err
	}
	if err := p.lock(ctx); err != nil {
		return p.out, err
	}
	defer s.conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1, $2)", lockPush, int32(p.id))
	if err := p.compare(ctx); err != nil {
		return p.out, err
	}
	for paths := range slices.Chunk(p.gone, batchChunks) {
		if err := p.send(ctx, paths, &rows{}); err != nil {
			return p.out, err
		}
	}
	if err := p.sendChanged(ctx); err != nil {
		return p.out, err
	}
	// Changes may also be left by a push that broke off. A store's first push may be all that has its words, and the words
	// of what is removed are to leave the server.
	if _, err := p.conn.Exec(ctx, "SELECT memctl.fold_terms($1, $2)", p.readers, p.first || p.cut); err != nil {
		return p.out, p.failed(err)
	}
	if err := p.embed(ctx); err != nil {
		return p.out, err
	}
	if err := p.sendExtras(ctx); err != nil {
		return p.out, err
	}
	return p.out, p.end(ctx)
}

// readLocal hashes the store's documents.
func (p *push) readLocal() error {
	for d, err := range p.req.Docs() {
		if err != nil {
			return err
		}
		d.Source = storable(d.Source)
		if p.local[d.Source] == nil {
			p.local[d.Source] = &document{}
		}
		p.local[d.Source].add(docHash(&d))
		p.out.Chunks++
	}
	p.out.Documents = len(p.local)
	return nil
}

// plan finds out what a push would do, and changes nothing.
func (p *push) plan(ctx context.Context) error {
	if x := p.req.Extras; x != nil { // where nothing was pushed yet, a push sends all
		p.out.Skills, p.out.Context = postgres.Tally{Total: len(x.Skills), Sent: len(x.Skills)}, postgres.Tally{Total: len(x.Context), Sent: len(x.Context)}
	}
	version, err := p.Version(ctx)
	if err != nil || version == 0 {
		p.out.Sent = len(p.local)
		return err
	}
	if postgres.Unsupported(version) {
		return p.Server.compare(version)
	}
	st, err := p.Find(ctx, p.req.Target)
	if err != nil || st == nil {
		p.out.Sent = len(p.local)
		return err
	}
	if !st.Writable {
		return p.readOnly()
	}
	p.id, p.out.Shared = st.ID, st.Owner == ""
	if err := p.compare(ctx); err != nil || version < postgres.Newest() {
		return err // older tables have no skills yet
	}
	return p.sendExtras(ctx)
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
			ON CONFLICT (scope, root, remote, coalesce(owner, '')) DO UPDATE SET name = excluded.name RETURNING id, readers, pushed IS NULL`
		if err := tx.QueryRow(ctx, insert, t.Scope, t.Root, t.Remote, known, group, t.Name).Scan(&p.id, &p.readers, &p.first); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO memctl.sizes (store) VALUES ($1) ON CONFLICT (store) DO NOTHING", p.id)
		return err
	})
}

// compare finds what the server has that is not so here.
func (p *push) compare(ctx context.Context) error {
	rows, err := p.conn.Query(ctx, "SELECT path, hash FROM memctl.documents WHERE store = $1", p.id)
	if err != nil {
		return p.failed(err)
	}
	var path string
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&path, &hash}, func() error {
		p.there[path] = true
		switch d := p.local[path]; {
		case d == nil:
			p.gone = append(p.gone, path)
		case string(hash) == string(d.hash[:]):
			p.out.Unchanged++
			p.changed[path] = false
		}
		return nil
	})
	for path := range p.local {
		if _, same := p.changed[path]; !same {
			p.changed[path] = true
			p.out.Sent++
		}
	}
	p.out.Removed = len(p.gone)
	return p.failed(err)
}

// batch is what one transaction sends: documents and the rows of their chunks.
type batch struct {
	paths []string
	rows  *rows
}

// sendChanged reads the docs again and sends those of changed documents, as each is complete. While the server takes
// one batch, the terms of the next are cut.
func (p *push) sendChanged(ctx context.Context) error {
	if p.out.Sent == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches, ended := make(chan batch), make(chan error, 1)
	go func() {
		done := 0
		for b := range batches {
			if err := p.send(ctx, b.paths, b.rows); err != nil {
				cancel(err)
				ended <- err
				return
			}
			done += len(b.paths)
			if p.req.Progress != nil {
				p.req.Progress(done, p.out.Sent)
			}
		}
		ended <- nil
	}()
	err := p.makeBatches(func(b batch) error {
		select {
		case batches <- b:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(batches)
	return cmp.Or(<-ended, err)
}

// makeBatches gives the changed documents in batches.
func (p *push) makeBatches(give func(batch) error) error {
	open := map[string][]index.Doc{}
	next := batch{rows: &rows{}}
	for d, err := range p.req.Docs() {
		if err != nil {
			return err
		}
		if d.Source = storable(d.Source); !p.changed[d.Source] {
			continue
		}
		list := append(open[d.Source], d)
		if len(list) < p.local[d.Source].chunks {
			open[d.Source] = list
			continue
		}
		delete(open, d.Source)
		next.paths = append(next.paths, d.Source)
		for i := range list {
			next.rows.add(&p.cutter, &list[i], p.readers)
		}
		if len(next.rows.path) >= batchChunks {
			if err := give(next); err != nil {
				return err
			}
			next = batch{rows: &rows{}}
		}
	}
	if len(next.paths) == 0 {
		return nil
	}
	return give(next)
}

// send replaces documents by their chunks, in one transaction; no chunks removes them. The commit does not wait for
// the disk: a crash of the server loses the last batches whole, and the next push sends them again.
func (p *push) send(ctx context.Context, paths []string, r *rows) error {
	return p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off; SET LOCAL work_mem = '64MB'"); err != nil {
			return err
		}
		var old removed
		var err error
		if slices.ContainsFunc(paths, func(path string) bool { return p.there[path] }) {
			if old, err = p.remove(ctx, tx, paths, r); err != nil {
				return err
			}
		}
		var b pgx.Batch
		added := 0
		if len(r.path) > 0 {
			added = len(paths)
			hashes := make([][]byte, len(paths))
			for i, path := range paths {
				hashes[i] = p.local[path].hash[:]
			}
			b.Queue(`INSERT INTO memctl.documents (store, path, hash, commit) SELECT $1, path, hash, $4 FROM unnest($2::text[], $3::bytea[]) AS d(path, hash)`,
				p.id, paths, hashes, p.req.Commit)
			b.Queue(insertChunks, r.arguments(p.id)...)
		}
		b.Queue("UPDATE memctl.sizes SET documents = documents + $2, chunks = chunks + $3, length = length + $4 WHERE store = $1",
			p.id, added-old.documents, len(r.path)-old.chunks, r.length-old.length)
		if names, counts := r.changes(); len(names) > 0 {
			b.Queue("INSERT INTO memctl.term_changes (readers, chunks, names, counts) VALUES ($1, $2, $3, $4)", p.readers, len(r.path)+old.chunks, names, counts)
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// removed counts what a batch took away.
type removed struct{ documents, chunks, length int }

// remove deletes documents with their chunks, whose terms it takes off r.
func (p *push) remove(ctx context.Context, tx pgx.Tx, paths []string, r *rows) (n removed, err error) {
	tag, err := tx.Exec(ctx, "DELETE FROM memctl.documents WHERE store = $1 AND path = ANY ($2)", p.id, paths)
	if err != nil || tag.RowsAffected() == 0 {
		return n, err
	}
	n.documents, p.cut = int(tag.RowsAffected()), true
	old, err := tx.Query(ctx, "DELETE FROM memctl.chunks WHERE store = $1 AND document = ANY ($2) RETURNING tsvector_to_array(words), length", p.id, paths)
	if err != nil {
		return n, err
	}
	var terms []string
	var words int
	_, err = pgx.ForEachRow(old, []any{&terms, &words}, func() error {
		for _, t := range terms {
			if !strings.HasPrefix(t, readersMark) {
				r.count(t, -1)
			}
		}
		n.chunks, n.length = n.chunks+1, n.length+words
		return nil
	})
	return n, err
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
