package pgclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/recall/postgres"
)

// batchChunks is how many chunks one transaction sends. What a push that broke off has
// sent in whole batches, the next one finds there.
const batchChunks = 2000

// hashVersion changes when chunks become other rows than before: all is then sent again.
const hashVersion = "memctl chunks 1\n"

// The kinds of documents.
const (
	memoryKind  = "memory"
	skillKind   = "skill"
	contextKind = "context"
)

// key names a document of a store.
type key struct{ kind, path string }

// document is what a push knows of a document before it sends it.
type document struct {
	hash   [32]byte
	chunks int
	put    func(b *pgx.Batch) // queues the rows of a skill or context file
}

// hashOf is the hash of what rows are made of.
func hashOf(v any) [32]byte {
	data, _ := json.Marshal(v)
	return sha256.Sum256(append([]byte(hashVersion), data...))
}

// add adds a doc. The hashes of a document's docs are added up, since their order is not kept.
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
	local   map[key]*document
	there   map[key]bool // of each document on the server: it is the same here
	gone    []key
	cut     bool // rows were removed or replaced
	out     postgres.Pushed
	cutter  index.Analyzer
}

// Push sends the documents that changed since the last push, and removes those that are gone. Each batch is a
// transaction, and pushes of one store wait for each other. Errors: fault.Postgres; those of reading the docs.
func (s *Server) Push(ctx context.Context, req postgres.PushRequest) (postgres.Pushed, error) {
	p := &push{Server: s, req: req, local: map[key]*document{}, there: map[key]bool{}}
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
	for keys := range slices.Chunk(p.gone, batchChunks) {
		if err := p.send(ctx, batch{keys, &rows{}}); err != nil {
			return p.out, err
		}
	}
	if err := p.sendChanged(ctx); err != nil {
		return p.out, err
	}
	// Changes may also be left by a push that broke off. The words of what is removed are to leave the server at once.
	if _, err := p.conn.Exec(ctx, "SELECT memctl.fold_terms($1, $2)", p.readers, p.cut); err != nil {
		return p.out, p.failed(err)
	}
	if err := p.embed(ctx); err != nil {
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
		k := key{memoryKind, storable(d.Source)}
		if p.local[k] == nil {
			p.local[k] = &document{}
		}
		d.Source = k.path
		p.local[k].add(hashOf(d))
		p.out.Chunks++
	}
	p.out.Documents = len(p.local)
	if p.req.Extras != nil {
		p.readExtras()
	}
	return nil
}

// plan finds out what a push would do, and changes nothing.
func (p *push) plan(ctx context.Context) error {
	version, err := p.Version(ctx)
	if err != nil {
		return err
	}
	if version != 0 && version != postgres.Newest() {
		return p.Server.compare(version)
	}
	var st *postgres.Store
	if version != 0 {
		if st, err = p.Find(ctx, p.req.Target); err != nil {
			return err
		}
	}
	if st == nil { // all is new
		p.count()
		return nil
	}
	if !st.Writable {
		return p.readOnly()
	}
	p.id, p.out.Shared = st.ID, st.Owner == ""
	return p.compare(ctx)
}

// compare finds what the server has that is not so here. Without extras in the request, skills and context files stay.
func (p *push) compare(ctx context.Context) error {
	rows, err := p.conn.Query(ctx, "SELECT kind, path, hash FROM memctl.documents WHERE store = $1 AND (kind = 'memory' OR $2)", p.id, p.req.Extras != nil)
	if err != nil {
		return p.failed(err)
	}
	var k key
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&k.kind, &k.path, &hash}, func() error {
		d := p.local[k]
		p.there[k] = d != nil && string(hash) == string(d.hash[:])
		if d == nil {
			p.gone = append(p.gone, k)
		}
		return nil
	})
	p.count()
	return p.failed(err)
}

// count says in numbers what is new, changed and gone.
func (p *push) count() {
	tallies := map[string]*postgres.Tally{memoryKind: {}, skillKind: &p.out.Skills, contextKind: &p.out.Context}
	for k := range p.local {
		tallies[k.kind].Total++
		if !p.there[k] {
			tallies[k.kind].Sent++
		}
	}
	for _, k := range p.gone {
		tallies[k.kind].Removed++
	}
	memory := tallies[memoryKind]
	p.out.Sent, p.out.Removed, p.out.Unchanged = memory.Sent, memory.Removed, memory.Total-memory.Sent
}

// batch is what one transaction sends: documents and the rows of their chunks.
type batch struct {
	keys []key
	rows *rows
}

// sendChanged reads the docs again and sends those of changed documents, as each is complete. While the server takes
// one batch, the terms of the next are cut.
func (p *push) sendChanged(ctx context.Context) error {
	if p.out.Sent+p.out.Skills.Sent+p.out.Context.Sent == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches, ended := make(chan batch), make(chan error, 1)
	go func() {
		done := 0
		for b := range batches {
			if err := p.send(ctx, b); err != nil {
				cancel(err)
				ended <- err
				return
			}
			done += len(b.keys)
			if p.req.Progress != nil && len(b.rows.path) > 0 {
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
	open := map[key][]postgres.Doc{}
	next := batch{rows: &rows{}}
	for d, err := range p.req.Docs() {
		if err != nil {
			return err
		}
		k := key{memoryKind, storable(d.Source)}
		if p.there[k] {
			continue
		}
		d.Source = k.path
		list := append(open[k], d)
		if len(list) < p.local[k].chunks {
			open[k] = list
			continue
		}
		delete(open, k)
		next.keys = append(next.keys, k)
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
	if len(next.keys) > 0 {
		if err := give(next); err != nil {
			return err
		}
	}
	next = batch{rows: &rows{}} // skills and context files, in one transaction
	for k, d := range p.local {
		if d.put != nil && !p.there[k] {
			next.keys = append(next.keys, k)
		}
	}
	if len(next.keys) == 0 {
		return nil
	}
	return give(next)
}

// send replaces documents by what is here, in one transaction; those that are not here are removed. The commit does not wait
// for the disk: a crash of the server loses the last batches whole, and the next push sends them again.
func (p *push) send(ctx context.Context, send batch) error {
	return p.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off; SET LOCAL work_mem = '64MB'"); err != nil {
			return err
		}
		r := send.rows
		var old removed
		var err error
		if slices.ContainsFunc(send.keys, func(k key) bool { _, there := p.there[k]; return there }) {
			if old, err = p.remove(ctx, tx, send.keys, r); err != nil {
				return err
			}
		}
		var b pgx.Batch
		var kinds, paths []string
		var hashes [][]byte
		added := 0
		for _, k := range send.keys {
			if d := p.local[k]; d != nil {
				kinds, paths, hashes = append(kinds, k.kind), append(paths, k.path), append(hashes, d.hash[:])
				added += min(d.chunks, 1)
			}
		}
		if len(paths) > 0 {
			b.Queue(`INSERT INTO memctl.documents (store, kind, path, hash, commit) SELECT $1, kind, path, hash, $5 FROM unnest($2::text[], $3::text[], $4::bytea[]) AS d(kind, path, hash)`,
				p.id, kinds, paths, hashes, p.req.Commit)
		}
		for _, k := range send.keys {
			if d := p.local[k]; d != nil && d.put != nil {
				d.put(&b)
			}
		}
		if len(r.path) > 0 {
			b.Queue(insertChunks, r.arguments(p.id)...)
		}
		b.Queue("UPDATE memctl.stores SET documents = documents + $2, chunks = chunks + $3, length = length + $4 WHERE id = $1",
			p.id, added-old.documents, len(r.path)-old.chunks, r.length-old.length)
		for _, rare := range []bool{true, false} {
			if names, counts := r.changes(rare); len(names) > 0 {
				b.Queue("INSERT INTO memctl.term_changes (readers, chunks, rare, names, counts) VALUES ($1, $2, $3, $4, $5)", p.readers, len(r.path)+old.chunks, rare, names, counts)
			}
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// removed counts what a batch took away.
type removed struct{ documents, chunks, length int }

// remove deletes documents with their rows. It takes the terms of their chunks off r.
func (p *push) remove(ctx context.Context, tx pgx.Tx, keys []key, r *rows) (n removed, err error) {
	var kinds, paths []string
	for _, k := range keys {
		kinds, paths = append(kinds, k.kind), append(paths, k.path)
	}
	p.cut = true
	const documents = `WITH gone AS (DELETE FROM memctl.documents d USING unnest($2::text[], $3::text[]) AS k(kind, path)
		WHERE d.store = $1 AND d.kind = k.kind AND d.path = k.path RETURNING d.kind) SELECT count(*) FROM gone WHERE kind = 'memory'`
	if err = tx.QueryRow(ctx, documents, p.id, kinds, paths).Scan(&n.documents); err != nil || n.documents == 0 {
		return n, err
	}
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
