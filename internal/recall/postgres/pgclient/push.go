package pgclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
)

// batchChunks is how many chunks one transaction sends. What a push that broke off has
// sent in whole batches, the next one finds there.
const batchChunks = 2000

// hashVersion changes when chunks become other rows than before: all is then sent again.
const hashVersion = "memctl chunks 2\n"

// The kinds of documents.
const (
	memoryKind  = "memory"
	skillKind   = "skill"
	contextKind = "context"
)

// documentKey names a document of a store.
type documentKey struct{ kind, path string }

// document is a document of the store that is pushed.
type document struct {
	hash      [sha256.Size]byte
	docs      []postgres.Doc     // of a file of memory
	queueRows func(b *pgx.Batch) // queues the rows of a skill or context file
}

// hashParts returns the hash of what rows are made of, in any order.
func hashParts[T any](parts ...T) [sha256.Size]byte {
	lines := make([]string, len(parts))
	for i, part := range parts {
		data, _ := json.Marshal(part)
		lines[i] = string(data)
	}
	slices.Sort(lines)
	return sha256.Sum256([]byte(hashVersion + strings.Join(lines, "\n")))
}

// push is one push under way.
type push struct {
	*Server
	req         postgres.PushRequest
	storeID     int64
	local       map[documentKey]*document
	onServer    map[documentKey]bool // by document on the server: whether it is the same here
	toRemove    []documentKey
	removesRows bool // rows are removed or replaced
	result      postgres.Pushed
	analyzer    index.Analyzer
}

// Push sends the documents that changed since the last push, and removes those that are gone. Each batch is a
// transaction, and pushes of one store wait for each other. Errors: fault.Postgres; those of reading the docs.
func (s *Server) Push(ctx context.Context, req postgres.PushRequest) (postgres.Pushed, error) {
	p := &push{Server: s, req: req, local: map[documentKey]*document{}, onServer: map[documentKey]bool{}}
	if err := p.readLocal(); err != nil {
		return p.result, err
	}
	if req.DryRun {
		return p.result, p.plan(ctx)
	}
	if err := p.openStore(ctx); err != nil {
		return p.result, err
	}
	if err := p.lockStore(ctx); err != nil {
		return p.result, err
	}
	defer s.conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1, $2)", lockPush, int32(p.storeID))
	if err := p.compareDocuments(ctx); err != nil {
		return p.result, err
	}
	if err := p.sendChanged(ctx); err != nil {
		return p.result, err
	}
	// Changes may also be left by a push that broke off. The words of what is removed are to leave the server at once.
	if _, err := p.conn.Exec(ctx, "SELECT memctl.fold_terms(readers, $2) FROM memctl.stores WHERE id = $1", p.storeID, p.removesRows); err != nil {
		return p.result, p.statementFault(err)
	}
	if err := p.sendVectors(ctx); err != nil {
		return p.result, err
	}
	return p.result, p.recordState(ctx)
}

// readLocal reads and hashes the store's documents.
func (p *push) readLocal() error {
	for d, err := range p.req.Docs {
		if err != nil {
			return err
		}
		d.Source = storable(d.Source)
		k := documentKey{memoryKind, d.Source}
		if p.local[k] == nil {
			p.local[k] = &document{}
		}
		p.local[k].docs = append(p.local[k].docs, d)
		p.result.Chunks++
	}
	for _, d := range p.local {
		d.hash = hashParts(d.docs...)
	}
	p.result.Documents = len(p.local)
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
	if version != 0 && version != postgres.NewestVersion() {
		return p.Server.compareVersion(version)
	}
	var st *postgres.Store
	if version != 0 {
		if st, err = p.Find(ctx, p.req.Target); err != nil {
			return err
		}
	}
	if st == nil { // all is new
		p.countChanges()
		return nil
	}
	if !st.Writable {
		return p.isReadOnly()
	}
	p.storeID, p.result.Shared = st.ID, st.Owner == ""
	return p.compareDocuments(ctx)
}

// compareDocuments finds what the server has that is not so here. Without extras in the request, skills and context files stay.
func (p *push) compareDocuments(ctx context.Context) error {
	rows, err := p.conn.Query(ctx, "SELECT kind, path, hash FROM memctl.documents WHERE store = $1 AND (kind = 'memory' OR $2)", p.storeID, p.req.Extras != nil)
	if err != nil {
		return p.statementFault(err)
	}
	var k documentKey
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&k.kind, &k.path, &hash}, func() error {
		d := p.local[k]
		p.onServer[k] = d != nil && string(hash) == string(d.hash[:])
		if d == nil {
			p.toRemove = append(p.toRemove, k)
		}
		p.removesRows = p.removesRows || !p.onServer[k]
		return nil
	})
	p.countChanges()
	return p.statementFault(err)
}

// countChanges says in numbers what is new, changed and gone.
func (p *push) countChanges() {
	tallies := map[string]*postgres.RowCounts{memoryKind: {}, skillKind: &p.result.Skills, contextKind: &p.result.Context}
	for k := range p.local {
		tallies[k.kind].Total++
		if !p.onServer[k] {
			tallies[k.kind].Sent++
		}
	}
	for _, k := range p.toRemove {
		tallies[k.kind].Removed++
	}
	memory := tallies[memoryKind]
	p.result.Sent, p.result.Removed, p.result.Unchanged = memory.Sent, memory.Removed, memory.Total-memory.Sent
}

// batch is what one transaction sends: documents, and the rows of their chunks.
type batch struct {
	keys []documentKey
	rows []chunkRow
}

// sendChanged sends what changed in batches. While the server takes one, the terms of the next are cut.
func (p *push) sendChanged(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan batch)
	go func() {
		defer close(batches)
		p.makeBatches(func(b batch) bool {
			select {
			case batches <- b:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	done := 0
	for b := range batches {
		if err := p.sendBatch(ctx, b); err != nil {
			return err
		}
		if len(b.rows) > 0 && p.req.Progress != nil {
			done = min(done+len(b.keys), p.result.Sent)
			p.req.Progress(done, p.result.Sent)
		}
	}
	return ctx.Err()
}

// makeBatches gives the documents that are gone, then those that changed, memory before skills and context files.
func (p *push) makeBatches(give func(batch) bool) {
	for keys := range slices.Chunk(p.toRemove, batchChunks) {
		if !give(batch{keys, []chunkRow{}}) {
			return
		}
	}
	var changed []documentKey
	for k := range p.local {
		if !p.onServer[k] {
			changed = append(changed, k)
		}
	}
	slices.SortFunc(changed, func(a, b documentKey) int {
		return cmp.Or(cmp.Compare(len(p.local[b].docs), len(p.local[a].docs)), cmp.Compare(a.path, b.path))
	})
	next := batch{rows: []chunkRow{}}
	for _, k := range changed {
		next.keys = append(next.keys, k)
		for i := range p.local[k].docs {
			next.rows = append(next.rows, makeRow(&p.analyzer, &p.local[k].docs[i]))
		}
		if len(next.rows) >= batchChunks {
			if !give(next) {
				return
			}
			next = batch{rows: []chunkRow{}}
		}
	}
	if len(next.keys) > 0 {
		give(next)
	}
}

// sendBatch replaces documents by what is here, in one transaction; those that are not here are removed. The commit does not wait
// for the disk: a crash of the server loses the last batches whole, and the next push sends them again.
func (p *push) sendBatch(ctx context.Context, sendBatch batch) error {
	var kinds, paths, files []string
	var hashes [][]byte // null for what is gone
	for _, k := range sendBatch.keys {
		kinds, paths, hashes = append(kinds, k.kind), append(paths, k.path), append(hashes, nil)
		if d := p.local[k]; d != nil {
			hashes[len(hashes)-1] = d.hash[:]
		}
		if k.kind == memoryKind {
			files = append(files, k.path)
		}
	}
	var b pgx.Batch
	b.Queue("SET LOCAL synchronous_commit = off")
	b.Queue("DELETE FROM memctl.documents d USING unnest($2::text[], $3::text[]) AS k(kind, path) WHERE d.store = $1 AND d.kind = k.kind AND d.path = k.path", p.storeID, kinds, paths)
	b.Queue(`INSERT INTO memctl.documents (store, kind, path, hash, commit) SELECT $1, kind, path, hash, $5
		FROM unnest($2::text[], $3::text[], $4::bytea[]) AS d(kind, path, hash) WHERE hash IS NOT NULL`, p.storeID, kinds, paths, hashes, p.req.Commit)
	if len(files) > 0 {
		b.Queue("SELECT memctl.replace_chunks($1, $2, $3)", p.storeID, files, sendBatch.rows)
	}
	for _, k := range sendBatch.keys {
		if d := p.local[k]; d != nil && d.queueRows != nil {
			d.queueRows(&b)
		}
	}
	return p.inTx(ctx, func(tx pgx.Tx) error { return tx.SendBatch(ctx, &b).Close() })
}

// chunkRow is a chunk as memctl.replace_chunks reads it, by the columns of memctl.chunks.
type chunkRow struct {
	Document     string     `json:"document"`
	Path         string     `json:"path"`
	Name         string     `json:"name"`
	Tier         string     `json:"tier"`
	Conversation string     `json:"conversation"`
	Session      string     `json:"session"`
	Speaker      string     `json:"speaker"`
	Category     string     `json:"category"`
	Tags         []string   `json:"tags"`
	Topics       []string   `json:"topics"`
	Written      *time.Time `json:"written"`
	Seq          int        `json:"seq"`
	Together     string     `json:"together"`
	Weight       float64    `json:"weight"`
	Confidence   float64    `json:"confidence"`
	Pinned       bool       `json:"pinned"`
	Expires      *string    `json:"expires"`
	Text         string     `json:"text"`
	Hash         string     `json:"hash"`
	Length       int        `json:"length"`
	Words        string     `json:"words"`
}

func makeRow(cutter *index.Analyzer, d *postgres.Doc) chunkRow {
	terms, length := cutter.TermsOf(&d.Doc)
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = quoteTerm(t)
	}
	text := storable(d.Text)
	sum := sha256.Sum256([]byte(text)) // a text's vector is found by it
	r := chunkRow{
		Document: d.Source, Path: storable(d.Path), Name: storable(d.ID), Tier: d.Tier.String(), Conversation: storable(d.Conversation),
		Session: storable(d.Session), Speaker: storable(d.Speaker), Category: storable(d.Category), Tags: storableList(d.Tags), Topics: storableList(d.Topics),
		Seq: d.Seq, Together: storable(d.GroupName()), Weight: d.Weight, Confidence: d.Confidence, Pinned: d.Pinned,
		Text: text, Hash: `\x` + hex.EncodeToString(sum[:16]), Length: length, Words: strings.Join(words, " "),
	}
	if !d.Time.IsZero() {
		at := d.Time.UTC()
		r.Written = &at
	}
	if _, err := time.Parse(time.DateOnly, d.Expires); err == nil {
		r.Expires = &d.Expires
	}
	return r
}

// storable is a text as PostgreSQL takes it: UTF-8 without the character zero.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

func storableList(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = storable(t)
	}
	return list
}
