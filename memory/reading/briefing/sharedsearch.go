package briefing

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// sharedIndex is the shared index beside the one on disk.
type sharedIndex struct {
	server postgres.Server
	where  postgres.Query                   // which stores are searched there
	local  []string                         // scopes that are searched there and not on disk
	found  map[index.Source]*postgres.Store // of the last question, by document
}

// Library opens the index on disk of one store.
func Library(ctx context.Context, ss *store.Stores, st *store.Store, progress func(done, total int)) (*cache.Library, error) {
	return cache.Open(ctx, withFiles(ctx, ss, cache.Request{Stores: []*store.Store{st}, Progress: progress, CompareAll: true}, true))
}

// SharedDocs are the docs that a push sends: those of the library, each with the day on which it expires.
func SharedDocs(ctx context.Context, st *store.Store, lib *cache.Library) (iter.Seq2[postgres.Doc, error], error) {
	m, err := contents.Read(ctx, st)
	if err != nil {
		return nil, err
	}
	all, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return nil, err
	}
	expires := map[string]string{} // by key and by id
	for _, it := range m.Items {
		expires[it.Key] = it.Expires
	}
	owned := map[string]bool{} // what is for one agent alone stays here
	for _, e := range all.List {
		agent, _ := memfile.OwnAgent(e.Source, e.By)
		expires[e.ID], owned[e.ID] = e.Expires, agent != ""
	}
	return func(yield func(postgres.Doc, error) bool) {
		for d, err := range lib.Docs() {
			id := entryOf(d.ID)
			if (err != nil || !owned[id] && !store.IsInstruction(d.Source)) && !yield(postgres.Doc{Doc: d, Expires: expires[id]}, err) {
				return
			}
		}
	}, nil
}

// SharedEmbedder is the configured embedder, with its name on every machine; nil where there is none.
func SharedEmbedder(ctx context.Context, ss *store.Stores) (model string, embed postgres.Embedder, err error) {
	m, err := openModels(ctx, ss, false)
	return m.shared, m.embed, err
}

// openShared connects to the shared index where one is set and the engine allows it. What is wrong there costs one
// note: the index on disk answers alone.
func (r *Recaller) openShared(ctx context.Context, stores, admitted []*store.Store) *sharedIndex {
	if r.opt.Dial == nil || r.opt.Engine == EngineFile || r.opt.Guarded {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	server, err := ConnectShared(ctx, r.ss, r.opt.Dial, ConnectTime)
	if fault.Is(err, fault.NoPostgres) && r.opt.Engine == EngineAuto {
		return nil
	}
	if err == nil {
		var x *sharedIndex
		if x, err = r.chooseShared(ctx, server, stores, admitted); err == nil {
			return x
		}
		err = errors.Join(err, server.Close())
	}
	r.notes = append(r.notes, "recall searched the index on this disk alone: "+err.Error())
	return nil
}

// chooseShared finds which stores the shared index answers for: with auto those that are not here, with postgres
// all that were pushed. An agent gets only repositories that the person trusts. A store that is here and not
// admitted, such as one where memory is switched off, is not read there instead.
func (r *Recaller) chooseShared(ctx context.Context, server postgres.Server, stores, admitted []*store.Store) (*sharedIndex, error) {
	if err := server.CheckSchema(ctx); err != nil {
		return nil, err
	}
	x := &sharedIndex{server: server, where: postgres.Query{Scope: r.opt.Scope}}
	for _, st := range stores {
		t, err := SharedTarget(ctx, r.ss, st.Scope)
		if err != nil {
			continue
		}
		if r.opt.Engine == EngineAuto || !slices.Contains(admitted, st) {
			x.where.Elsewhere = append(x.where.Elsewhere, t)
			continue
		}
		switch pushed, err := server.Find(ctx, t); {
		case err != nil:
			return nil, err
		case pushed != nil && pushed.Chunks > 0:
			x.local = append(x.local, st.Scope)
		}
	}
	if r.opt.Reader == contents.Person {
		return x, nil
	}
	x.where.Trusted = append([]string{}, r.ss.SharedRepositories(ctx)...)
	if project, err := SharedTarget(ctx, r.ss, store.Project); err == nil && r.ss.Trusted(ctx) {
		x.where.Trusted = append(x.where.Trusted, cmp.Or(project.Root, project.Remote))
	}
	return x, nil
}

// onDisk are the stores that the index on disk answers for.
func (x *sharedIndex) onDisk(stores []*store.Store) []*store.Store {
	if x == nil {
		return stores
	}
	return slices.DeleteFunc(slices.Clone(stores), func(st *store.Store) bool { return slices.Contains(x.local, st.Scope) })
}

// close ends the connection.
func (x *sharedIndex) close() error {
	if x == nil {
		return nil
	}
	return x.server.Close()
}

// withShared is the index that a question is asked of: the one on disk, with what the shared index has that may fit.
func (r *Recaller) withShared(ctx context.Context, q *recall.Query) (*index.Index, error) {
	if r.shared == nil {
		return r.lib.Index, nil
	}
	ask := r.shared.where
	ask.Conversations, ask.Categories, ask.Tags, ask.Since = q.Conversations, q.Categories, q.Tags, q.Since
	ask.Terms, ask.Related = recall.TermsOf(q.Text)
	for _, t := range q.Tiers {
		ask.Tiers = append(ask.Tiers, t.String())
	}
	if r.vector != nil {
		ask.Vector, ask.Model, ask.MaxNearest = r.vector, r.models.shared, recall.MaxSimilar
	}
	within, cancel := context.WithTimeout(ctx, ConnectTime)
	defer cancel()
	c, err := r.shared.server.Candidates(within, ask)
	if err != nil {
		return r.lib.Index, err
	}
	r.shared.found = map[index.Source]*postgres.Store{}
	var docs []index.Doc
	known := map[[2]string]bool{} // by document and name
	for _, f := range slices.Concat(c.Chunks, c.Nearest) {
		d := f.Doc
		d.Scope, d.Source = sharedScope(f.Store), strconv.FormatInt(f.Store.ID, 10)+":"+f.Source
		source := index.Source{Scope: d.Scope, Path: d.Source}
		r.shared.found[source] = f.Store
		if f.Nearness > 0 {
			q.Similar = append(q.Similar, recall.Similar{Source: source, ID: d.ID, Score: f.Nearness})
		}
		if name := [2]string{d.Source, d.ID + d.Text}; !known[name] {
			known[name] = true
			docs = append(docs, d)
		}
	}
	q.HasNoVectors = func(source index.Source) bool {
		st := r.shared.found[source]
		return st != nil && (r.vector == nil || st.Model != r.models.shared)
	}
	both, alone, err := r.lib.CombineDocs(docs, slices.Concat(ask.Terms, ask.Related))
	if err != nil {
		return nil, err
	}
	q.Elsewhere = &recall.OtherIndex{
		Docs: max(int(c.Docs)-alone.Len(), 0), Length: uint64(max(c.Length-int64(alone.TextTerms()), 0)),
		DocsWithTerm: func(term string) int {
			posts, err := alone.Postings(term)
			if err != nil {
				return 0
			}
			return max(c.ChunksWithTerm[term]-len(posts), 0)
		},
	}
	return both, nil
}

// sharedScope is the scope of a doc of the shared index: that of another repository's project has its name, so that
// ranking keeps repositories apart.
func sharedScope(st *postgres.Store) string {
	if st.Scope == store.Project {
		return store.Project + " " + st.Name
	}
	return st.Scope
}

// fromShared is the store of the shared index that a doc comes from; nil where it comes from the disk.
func (r *Recaller) fromShared(d *index.Doc) *postgres.Store {
	if r.shared == nil {
		return nil
	}
	return r.shared.found[index.Source{Scope: d.Scope, Path: d.Source}]
}

// keepShared reports whether a chunk of the shared index may be shown: not what was forgotten here, nor what this
// machine's policy withholds from agents.
func (r *Recaller) keepShared(ctx context.Context, d *index.Doc, st *postgres.Store) bool {
	d.Text = r.withoutForgotten(ctx, d.Text)
	if d.Text == "" || r.opt.Reader == contents.Person {
		return d.Text != ""
	}
	ruling := r.ss.Rule(contents.EntryCandidate(entry.Entry{Role: entry.RoleNote, Text: d.Text, Topics: d.Topics}, d.Path, st.Scope))
	return len(ruling.Rules()) == 0
}

// ofShared fills in what a hit of the shared index has beside its doc.
func (v *RecallHit) ofShared(st *postgres.Store, d *index.Doc) {
	v.Shared, v.Scope = true, st.Scope
	if st.Scope == store.Project {
		v.Repository = st.Name
	}
	if d.Tier == index.TierItem {
		v.Role = "memory"
	}
	switch {
	case d.Confidence < 0.7 && d.Confidence > 0:
		v.Confidence, v.Status = memfile.Low, contents.UnconfirmedMark
	case d.Confidence < 0.9 && d.Confidence > 0:
		v.Confidence = memfile.Medium
	case d.Tier == index.TierItem || d.Tier == index.TierFact:
		v.Confidence = memfile.High
	}
}
