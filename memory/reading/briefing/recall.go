package briefing

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// Recaller answers questions from one index that was opened once. It is not
// for several goroutines.
type Recaller struct {
	ss        *store.Stores
	opt       RecallOptions
	lib       *cache.Library
	stores    map[string]*store.Store
	memories  map[string]*contents.Memory
	reader    *contents.View
	hidden    contents.Reasons                 // those that count for this reader
	checked   map[index.Source]*contents.Entry // entries as they stand now; nil: no agent may have them
	texts     map[string]string                // of instruction files, by name; "" for one that does not count
	searched  []*store.Store
	models    *models // opened by the first question
	shared    *sharedIndex
	past      *historian                // where past sessions are searched
	vector    []float32                 // of the question, where there is an embedder
	handed    map[localstate.Given]bool // see sessionHas
	offers    map[string]session.Offer  // by key: the items that count
	notes     []string
	forgotten []*contents.Forgotten // of the stores; read by the first Markdown file
	// unreviewed counts the entries that stood back under trust reviewed.
	unreviewed int
}

// maxQueryBytes caps a question: what is longer is no question, and every word
// of it is looked up.
const maxQueryBytes = 8 << 10

// OpenRecall brings the index of the scopes up to date and opens it. The caller
// closes it. Errors: a scope that the session does not have; a store that
// cannot be read.
func OpenRecall(ctx context.Context, ss *store.Stores, opt RecallOptions) (*Recaller, error) {
	if opt.Sessions != nil {
		past, err := openHistory(ctx, ss, *opt.Sessions)
		return &Recaller{ss: ss, opt: opt, lib: &cache.Library{}, past: past}, err
	}
	r := &Recaller{
		ss: ss, opt: opt, stores: map[string]*store.Store{}, memories: map[string]*contents.Memory{},
		checked: map[index.Source]*contents.Entry{}, texts: map[string]string{}, hidden: opt.Reader.Counts(),
	}
	if r.reader = opt.reader; r.reader == nil {
		r.reader = contents.NewView(ctx, ss, opt.Reader.OrHook(opt.Guarded))
	}
	req := withFiles(ctx, ss, cache.Request{CompareAll: opt.Fresh, MaxChangedFiles: opt.MaxRead, NamesOnly: opt.glance, WriteNothing: opt.glance, Progress: opt.Progress, Previous: opt.former}, !opt.Guarded && !opt.glance)
	stores, err := memory.StoresOf(ctx, ss, opt.Scope)
	if err = cmp.Or(r.reader.Failed, err); err != nil {
		return nil, err
	}
	for _, st := range stores {
		switch ok, err := r.canSearch(ctx, st); {
		case err != nil:
			r.notes = append(r.notes, err.Error())
		case ok:
			req.Stores = append(req.Stores, st)
		}
	}
	if opt.Reader == contents.Person || !r.reader.Off {
		r.shared = r.openShared(ctx, stores, req.Stores)
	}
	r.searched, req.Stores = req.Stores, r.shared.onDisk(req.Stores)
	if r.lib, err = cache.Open(ctx, req); err != nil {
		return nil, err
	}
	for _, scope := range r.lib.NotUpdated {
		r.notes = append(r.notes, "the index of scope "+scope+" is behind; memctl recall brings it up to date")
	}
	return r, nil
}

// Close ends the use of the index.
func (r *Recaller) Close() error {
	return errors.Join(r.lib.Close(), r.shared.close())
}

// canSearch reports whether a store is searched: an agent is given nothing of one
// that is switched off, and a hook nothing of a project that is not trusted.
func (r *Recaller) canSearch(ctx context.Context, st *store.Store) (bool, error) {
	if r.opt.entriesOnly && !contents.HasEntries(st) {
		return false, nil
	}
	m, err := r.reader.Memory(st.Scope)
	if err != nil || m.Closed&r.hidden != 0 {
		return false, err
	}
	if !r.opt.Guarded || contents.HasEntries(st) { // a hook asks for nothing where there is no memory
		r.notes = append(r.notes, memory.MissingFileNote(ctx, m)...)
	}
	r.notes = append(r.notes, memory.DamagedNote(m)...)
	r.stores[st.Scope], r.memories[st.Scope] = st, m
	return true, nil
}

// mostNearest is how many hits an agent gets where none matches well.
const mostNearest = 3

// Find answers one question; no hits where nothing fits. Errors: a tier or a day
// that is none.
func (r *Recaller) Find(ctx context.Context, req RecallRequest) (RecallResult, error) {
	start := time.Now()
	res := RecallResult{Query: req.Query, Hits: []RecallHit{}, Warnings: r.warnings()}
	q, err := r.query(req)
	if err != nil {
		return res, err
	}
	q.Keep, q.Stale = func(d *index.Doc) bool { return r.isCurrent(ctx, d) }, r.namesGone(ctx)
	if r.opt.Reader != contents.Person && !r.opt.Guarded { // an agent that asks has read what its session was handed
		q.ComesLast = func(d *index.Doc) bool { return d.Tier == index.TierItem && r.inSession(d) }
	}
	hits, warnings, err := r.hits(ctx, q)
	if err != nil {
		return res, err
	}
	if req.Guess != "" {
		guessed := q
		guessed.Text = cutAt(req.Guess, maxQueryBytes)
		more, _, err := r.search(ctx, guessed)
		if err != nil {
			return res, err
		}
		hits = withGuessed(hits, more, q.MaxHits)
	}
	res.Warnings = append(slices.Clip(res.Warnings), warnings...)
	if res.Weak = len(hits) > 0 && !slices.ContainsFunc(hits, func(h recall.Hit) bool { return !h.Weak }); res.Weak && r.opt.Reader != contents.Person {
		hits = hits[:min(len(hits), mostNearest)]
	}
	for _, h := range hits {
		res.Hits = append(res.Hits, r.view(ctx, h))
	}
	res.Took = math.Round(float64(time.Since(start).Microseconds())) / 1000
	return res, nil
}

// hits asks the source that is searched.
func (r *Recaller) hits(ctx context.Context, q recall.Query) (hits []recall.Hit, warnings []string, err error) {
	if r.past != nil {
		hits, err = r.past.search(q)
		return hits, nil, cmp.Or(err, ctx.Err())
	}
	if hits, err = r.named(q); err != nil || len(hits) > 0 {
		return hits, nil, err
	}
	return r.search(ctx, q)
}

// warnings say what the answer may lack.
func (r *Recaller) warnings() []string {
	if r.past != nil && r.past.lib.NotIndexed > 0 {
		return []string{"the index of past sessions is behind; memctl recall --history brings it up to date"}
	}
	return r.notes
}

func (r *Recaller) query(req RecallRequest) (recall.Query, error) {
	q := recall.Query{Text: cutAt(req.Query, maxQueryBytes), MaxHits: req.K, Now: r.ss.Now(), Explain: true, Distinct: !req.Duplicates}
	for _, name := range req.Tiers {
		tier, ok := index.ParseTier(name)
		if !ok {
			return q, &fault.Error{Code: "unknown-tier", Status: 2, Cause: memory.Quoted(name) + ": unknown tier (use item, fact, note, summary, turn or file)"}
		}
		q.Tiers = append(q.Tiers, tier)
	}
	if req.Conversation != "" {
		q.Conversations = []string{req.Conversation, entry.GlobalConversation, ""} // items and files belong to none
	}
	if req.Category != "" {
		q.Categories = []string{req.Category}
	}
	if req.Tag != "" {
		q.Tags = []string{req.Tag}
	}
	if req.Since != "" {
		from, _, err := view.DaysOf(r.ss, req.Since)
		if err != nil {
			return q, err
		}
		q.Since, _ = time.Parse(time.DateOnly, from)
	}
	if uses := r.uses(); len(uses) > 0 {
		q.CountUses = func(d *index.Doc) int { return uses[d.Scope][entryOf(d.ID)].Count }
	}
	if q.MaxHits <= 0 {
		q.MaxHits = recallCount
	}
	return q, nil
}

// cutAt is the text's beginning, of whole characters.
func cutAt(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return strings.ToValidUTF8(s[:max], "")
}

// entry is the entry that a doc was made from as it stands now; nil where it is
// gone, expired, withheld or not reviewed.
func (r *Recaller) entry(d *index.Doc) *contents.Entry {
	source := index.Source{Scope: d.Scope, Path: d.Source}
	if _, ok := r.checked[source]; !ok {
		r.read([]index.Doc{*d})
	}
	return r.checked[source]
}

// read reads the entries that the docs were made from, all at once.
func (r *Recaller) read(docs []index.Doc) {
	files := map[string]map[string]string{} // by scope: the digest that the index has of each
	for i := range docs {
		d := &docs[i]
		source := index.Source{Scope: d.Scope, Path: d.Source}
		if _, ok := r.checked[source]; !ok {
			r.checked[source] = nil
			if files[d.Scope] == nil {
				files[d.Scope] = map[string]string{}
			}
			files[d.Scope][d.Source] = d.Digest
		}
	}
	for scope, digests := range files {
		if r.stores[scope] == nil {
			continue // see isCurrent
		}
		entries, err := r.reader.ReadEntries(scope, slices.Sorted(maps.Keys(digests)), digests)
		if err != nil {
			r.notes = append(r.notes, err.Error())
			continue
		}
		for i := range entries {
			switch e := &entries[i]; e.Reasons() & r.hidden {
			case 0:
				r.checked[index.Source{Scope: scope, Path: e.Path}] = e
			case contents.Unreviewed:
				r.unreviewed++
			}
		}
	}
}

// view is a hit as the doors print it.
func (r *Recaller) view(ctx context.Context, h recall.Hit) RecallHit {
	if r.past != nil {
		return r.past.view(h)
	}
	id, _, _ := strings.Cut(h.ID, "#L")
	if h.Tier == index.TierFile {
		id = h.ID
	}
	v := RecallHit{AlsoIn: h.AlsoIn, Weak: h.Weak, InSession: r.inSession(&h.Doc), Score: math.Round(h.Score*1e6) / 1e6, Parts: h.Parts, Matched: h.Matched, Missing: h.Missing}
	v.Record = view.Record{
		ID: id, Tier: h.Tier.String(), Scope: h.Scope, Conversation: h.Conversation, Session: h.Session, Path: h.Path, Role: h.Speaker,
		Category: h.Category, Labels: labels.Labels{Tags: h.Tags}, Topics: h.Topics, Text: h.Text,
	}
	if !h.Time.IsZero() {
		v.Time = strings.TrimSuffix(h.Time.UTC().Format(time.RFC3339), "T00:00:00Z")
	}
	if v.Parts == nil {
		v.Parts = map[string]float64{}
	}
	if st := r.fromShared(&h.Doc); st != nil {
		v.ofShared(st, &h.Doc)
	} else if h.Tier == index.TierItem {
		v.Role = "memory"
		if it := r.memories[h.Scope].Find(h.ID); it != nil {
			v.Confidence, v.Pinned, v.Conflict, v.Status = it.Confidence, it.Pinned, it.Conflict, it.Doubt()
		}
		v.ContradictedBy = r.overriddenIn(&h.Doc)
	} else if e := r.checked[index.Source{Scope: h.Scope, Path: h.Source}]; e != nil {
		v.Role, v.Confidence, v.Pinned, v.Stale, v.Status = e.Role, e.Confidence, e.Pinned, view.IsStale(ctx, r.ss, e), e.Doubt()
	}
	if r.opt.Reader != contents.Person {
		v.Record, v.Repository = v.Harmless(), session.Defuse(v.Repository)
		v.Text = session.Defuse(h.Text) // one line
	}
	return v
}

// Recall answers one question.
func Recall(ctx context.Context, ss *store.Stores, opt RecallOptions, req RecallRequest) (RecallResult, error) {
	r, err := OpenRecall(ctx, ss, opt)
	if err != nil {
		return RecallResult{Query: req.Query, Hits: []RecallHit{}}, err
	}
	defer r.Close()
	return r.Find(ctx, req)
}
