package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall/index"
)

// PushRequest says what to push.
type PushRequest struct {
	Target
	Commit string // what HEAD is
	// Docs gives every doc of the store, each time that it is called.
	Docs     func() iter.Seq2[index.Doc, error]
	Extras   *Extras // nil: skills and context files stay as they are
	DryRun   bool
	Embed    Embedder              // nil: vectors stay as they are
	Model    string                // of the embedder
	Progress func(done, total int) // documents; nil for nobody
	Waiting  func()                // another push of the store runs; nil for nobody
}

// Pushed is what a push did.
type Pushed struct {
	Store     int64
	Shared    bool // a group reads it; else its owner alone
	Documents int  // all
	Chunks    int
	Sent      int // documents that were new or had changed
	Removed   int // documents that the server had and the store no longer has
	Unchanged int
	Embedded  int // texts that got a vector
	Skills    Tally
	Context   Tally // files
}

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
	req     PushRequest
	id      int64
	local   map[string]*document
	changed map[string]bool
	gone    []string
	out     Pushed
	cutter  index.Analyzer
}

// Push sends the documents that changed since the last push, and removes those that are gone. Each batch is a
// transaction, and pushes of one store wait for each other. Errors: fault.Postgres; those of reading the docs.
func (s *Server) Push(ctx context.Context, req PushRequest) (Pushed, error) {
	p := &push{Server: s, req: req, local: map[string]*document{}, changed: map[string]bool{}}
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
		if err := p.send(ctx, paths, nil); err != nil {
			return p.out, err
		}
	}
	if err := p.sendChanged(ctx); err != nil {
		return p.out, err
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
		p.out.Skills, p.out.Context = Tally{Total: len(x.Skills), Sent: len(x.Skills)}, Tally{Total: len(x.Context), Sent: len(x.Context)}
	}
	version, err := p.Version(ctx)
	if err != nil || version == 0 {
		p.out.Sent = len(p.local)
		return err
	}
	st, err := p.Find(ctx, p.req.Target)
	if err != nil || st == nil {
		p.out.Sent = len(p.local)
		return err
	}
	p.id, p.out.Shared = st.ID, st.Owner == ""
	if err := p.compare(ctx); err != nil || version < Newest() {
		return err // older tables have no skills yet
	}
	return p.sendExtras(ctx)
}

// open finds or makes the row of the store. A repository that a group shares has one row for all; what is
// not shared belongs to the person.
func (p *push) open(ctx context.Context) error {
	t := p.req.Target
	var known, writer bool
	if t.Scope == "project" {
		err := p.conn.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(writers = ANY ((SELECT memctl.roles())::name[])), false)
			FROM memctl.repositories WHERE root = $1 AND remote = $2`, t.Root, t.Remote).Scan(&known, &writer)
		if err != nil {
			return p.failed(err)
		}
		if known && !writer {
			return &fault.Error{Code: fault.Postgres, Thing: p.address, Why: WhyRefused, Cause: "your role may read this repository and not push it"}
		}
	}
	p.out.Shared = known
	return p.inTx(ctx, func(tx pgx.Tx) error {
		const insert = `INSERT INTO memctl.stores (scope, root, remote, owner, name) VALUES ($1, $2, $3, CASE WHEN $4 THEN NULL ELSE session_user END, $5)
			ON CONFLICT (scope, root, remote, coalesce(owner, '')) DO UPDATE SET name = excluded.name RETURNING id`
		if err := tx.QueryRow(ctx, insert, t.Scope, t.Root, t.Remote, known, t.Name).Scan(&p.id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO memctl.sizes (store) VALUES ($1) ON CONFLICT (store) DO NOTHING", p.id)
		return err
	})
}

// lock lets one push of a store run at a time. The connection holds the lock, so that it ends with the process.
func (p *push) lock(ctx context.Context) error {
	p.out.Store = p.id
	var free bool
	if err := p.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockPush, int32(p.id)).Scan(&free); err != nil || free {
		return p.failed(err)
	}
	if p.req.Waiting != nil {
		p.req.Waiting()
	}
	_, err := p.conn.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", lockPush, int32(p.id))
	return p.failed(err)
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

// sendChanged reads the docs again and sends those of changed documents, as each is complete.
func (p *push) sendChanged(ctx context.Context) error {
	if p.out.Sent == 0 {
		return nil
	}
	open := map[string][]index.Doc{}
	var paths []string
	var batch []index.Doc
	done := 0
	flush := func() error {
		if len(paths) == 0 {
			return nil
		}
		err := p.send(ctx, paths, batch)
		done += len(paths)
		if p.req.Progress != nil {
			p.req.Progress(done, p.out.Sent)
		}
		paths, batch = nil, nil
		return err
	}
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
		paths, batch = append(paths, d.Source), append(batch, list...)
		if len(batch) >= batchChunks {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// send replaces documents by their chunks, in one transaction; no chunks removes them.
func (p *push) send(ctx context.Context, paths []string, docs []index.Doc) error {
	r := &rows{}
	for i := range docs {
		r.add(&p.cutter, &docs[i])
	}
	return p.inTx(ctx, func(tx pgx.Tx) error {
		chunks, length, err := p.remove(ctx, tx, paths, r)
		if err != nil {
			return err
		}
		documents := -int(chunks.documents)
		if len(docs) > 0 {
			hashes := make([][]byte, len(paths))
			for i, path := range paths {
				hashes[i] = p.local[path].hash[:]
			}
			if _, err := tx.Exec(ctx, `INSERT INTO memctl.documents (store, path, hash, commit) SELECT $1, path, hash, $4 FROM unnest($2::text[], $3::bytea[]) AS d(path, hash)`,
				p.id, paths, hashes, p.req.Commit); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, insertChunks, r.arguments(p.id)...); err != nil {
				return err
			}
			documents += len(paths)
		}
		if _, err := tx.Exec(ctx, "UPDATE memctl.sizes SET documents = documents + $2, chunks = chunks + $3, length = length + $4 WHERE store = $1",
			p.id, documents, len(docs)-chunks.chunks, r.length-length); err != nil {
			return err
		}
		return p.countTerms(ctx, tx, r.terms)
	})
}

// removed counts what a batch took away.
type removed struct{ documents, chunks int }

// remove deletes documents with their chunks, whose terms it takes off r.
func (p *push) remove(ctx context.Context, tx pgx.Tx, paths []string, r *rows) (n removed, length int, err error) {
	tag, err := tx.Exec(ctx, "DELETE FROM memctl.documents WHERE store = $1 AND path = ANY ($2)", p.id, paths)
	if err != nil || tag.RowsAffected() == 0 {
		return n, 0, err
	}
	n.documents = int(tag.RowsAffected())
	old, err := tx.Query(ctx, "DELETE FROM memctl.chunks WHERE store = $1 AND document = ANY ($2) RETURNING tsvector_to_array(words), length", p.id, paths)
	if err != nil {
		return n, 0, err
	}
	var terms []string
	var words int
	_, err = pgx.ForEachRow(old, []any{&terms, &words}, func() error {
		for _, t := range terms {
			r.count(t, -1)
		}
		n.chunks, length = n.chunks+1, length+words
		return nil
	})
	return n, length, err
}

// countTerms changes in how many chunks terms are. They are sorted, so that transactions do not wait in a ring.
func (p *push) countTerms(ctx context.Context, tx pgx.Tx, changes map[string]int) error {
	var names []string
	for t, n := range changes {
		if n != 0 {
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	counts, fewer := make([]int32, len(names)), false
	for i, t := range names {
		counts[i] = int32(changes[t])
		fewer = fewer || counts[i] < 0
	}
	_, err := tx.Exec(ctx, `INSERT INTO memctl.terms (term, store, chunks) SELECT term, $1, n FROM unnest($2::text[], $3::int[]) AS t(term, n)
		ON CONFLICT (term, store) DO UPDATE SET chunks = terms.chunks + excluded.chunks`, p.id, names, counts)
	if err == nil && fewer {
		_, err = tx.Exec(ctx, "DELETE FROM memctl.terms WHERE store = $1 AND term = ANY ($2) AND chunks <= 0", p.id, names)
	}
	return err
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
		_, err := tx.Exec(ctx, "DELETE FROM memctl.stores WHERE scope = 'project' AND root = $1 AND remote = $2 AND owner = session_user", p.req.Root, p.req.Remote)
		return err
	})
}

// String says in words what was pushed, for tests and messages.
func (p Pushed) String() string {
	return fmt.Sprintf("%d documents, %d chunks; %d sent, %d removed, %d unchanged", p.Documents, p.Chunks, p.Sent, p.Removed, p.Unchanged)
}
