package briefing

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

const (
	// maxBriefEntries bounds the pinned and tagged entries that are read.
	maxBriefEntries = 1000
	// lastNotes is how many notes the briefing holds, where no day is asked for;
	// of each scope looksNotes are looked at for them.
	// At most agentNotes of them are an agent's.
	lastNotes  = 5
	agentNotes = 2
	looksNotes = 4 * lastNotes
	// hookLooks is how many of a person's own entries a hook holds against what was
	// forgotten in the project.
	hookLooks = 2000
	// What a hook reads of changed files before it answers from the index as it
	// was: a start may take longer than a prompt.
	hookReadsStart  = 2000
	hookReadsPrompt = 200
)

// briefEntries is what the briefing takes of the entries.
type briefEntries struct {
	tagged, pinned, notes []session.Entry
	topics                []session.Kind
	kinds                 map[index.Tier][]session.Kind
	unconfirmed           int // facts that wait for confirmation
}

// reserve is how many bytes under an agent's limit are kept for the pinned and tagged
// entries that a person stated, so that the profile does not crowd them out.
func (all *briefEntries) reserve(most int) int {
	size := 0
	for _, e := range slices.Concat(all.pinned, all.tagged) {
		if e.Stated {
			size += len(e.Line()) + len("## Decisions\n\n\n")
		}
	}
	return min(size, most)
}

// index opens the index, once; nil where there is none to open. It is what keeps a
// start from reading every entry.
func (b *briefer) index() *Recaller {
	if b.opened {
		return b.recaller
	}
	b.opened = true
	opt := RecallOptions{Guarded: b.req.Hook, reader: b.reader, entriesOnly: b.res.Mode != ModeFull && b.req.Event != EventPrompt && b.req.Event != EventPreTool}
	if b.req.Hook {
		opt.MaxRead = hookReadsStart
		if b.req.Event == EventPrompt || b.req.Event == EventPreTool {
			opt.MaxRead = hookReadsPrompt
		}
	}
	r, err := OpenRecall(b.ctx, b.ss, opt)
	if err != nil {
		b.warn(err)
		return nil
	}
	for _, scope := range r.lib.NotUpdated {
		b.stand(scope+" entries", session.WhyBehind, 0)
	}
	b.recaller = r
	return r
}

// close ends the use of the index.
func (b *briefer) close() {
	if b.recaller != nil {
		b.warn(b.recaller.Close())
	}
}

// haveEntries reports whether a store that is read has any: where none has, no
// index is opened and no folder is looked through.
func (b *briefer) haveEntries() bool {
	return b.res.Mode != ModeOff && slices.ContainsFunc(b.ss.Scopes(), func(scope string) bool {
		st, err := b.ss.Get(b.ctx, scope)
		return err == nil && (scope != store.Project || !b.hidesProjectFiles()) && contents.HasEntries(st)
	})
}

// entries finds what a session starts with; with pinnedOnly what every prompt
// carries.
func (b *briefer) entries(pinnedOnly bool) briefEntries {
	var all briefEntries
	if !b.haveEntries() {
		return all
	}
	r := b.index()
	if r == nil {
		return all
	}
	marked, err := r.lib.StartDocs()
	b.warn(err)
	if pinnedOnly {
		marked = slices.DeleteFunc(marked, func(d index.Doc) bool { return !d.Pinned })
	}
	if len(marked) > maxBriefEntries {
		b.stand("entries", session.WhyCap, len(marked)-maxBriefEntries)
		marked = marked[:maxBriefEntries]
	}
	standing := b.readLive(r, marked)
	slices.SortStableFunc(standing, func(a, b *contents.Entry) int { return cmp.Compare(a.By, b.By) }) // a person's first
	for _, e := range standing {
		if e.Pinned {
			all.pinned = append(all.pinned, b.briefEntry(e))
		} else if slices.Contains(e.Tags, entry.TagBootstrap) && !pinnedOnly {
			all.tagged = append(all.tagged, b.briefEntry(e))
		}
	}
	if !pinnedOnly {
		all.notes = b.notes(r)
		b.warn(all.count(r))
	}
	if b.unconfirmed = all.unconfirmed; b.unconfirmed > 0 {
		b.stand("facts", session.WhyUnconfirmed, b.unconfirmed)
	}
	if r.unreviewed > 0 {
		b.stand("entries", session.WhyUnreviewed, r.unreviewed)
	}
	return all
}

// readLive reads the entries of the docs, in their order, without what is kept from
// this reader.
func (b *briefer) readLive(r *Recaller, docs []index.Doc) []*contents.Entry {
	r.read(docs)
	var list []*contents.Entry
	for i := range docs {
		if e := r.entry(&docs[i]); e != nil && e.Tier() != entry.Turn {
			list = append(list, e)
		}
	}
	return list
}

func (b *briefer) briefEntry(e *contents.Entry) session.Entry {
	row := session.Entry{ID: e.ID, Scope: e.Scope, Category: e.Category, Text: e.Text, Stated: e.IsStated(), Stale: view.IsStale(b.ctx, b.ss, e)}
	if e.Tier() == entry.Note {
		row.Day = memory.UTCDay(e.Time())
	}
	return row
}

// notes are the last ones, or those of the day that is asked for; pinned ones
// stand elsewhere.
func (b *briefer) notes(r *Recaller) []session.Entry {
	day, _ := time.Parse(time.DateOnly, b.req.Notes)
	docs, err := r.lib.Latest(index.TierNote, day, looksNotes)
	b.warn(err)
	docs = slices.DeleteFunc(docs, func(d index.Doc) bool { return d.Marked })
	var notes []session.Entry
	seen, agents := map[string]bool{}, 0
	for _, e := range b.readLive(r, docs) {
		id := e.Scope + " " + e.Path
		if seen[id] { // a long one is several docs
			continue
		}
		seen[id] = true
		if !e.IsStated() {
			agents++
		}
		if e.IsStated() || b.req.Notes != "" || agents <= agentNotes {
			notes = append(notes, b.briefEntry(e))
		}
	}
	if b.req.Notes == "" && len(notes) > lastNotes {
		notes = notes[:lastNotes]
	}
	return notes
}

// count takes the counts of topics and kinds from the index. Of a scope of which
// only reviewed entries are shown, only the unconfirmed facts are counted: a topic can be
// anybody's words.
func (all *briefEntries) count(r *Recaller) error {
	counts, err := r.lib.Counts()
	if err == nil {
		err = r.withoutBound(counts)
	}
	if err != nil {
		return err
	}
	topics := map[string]int{}
	kinds := map[index.Tier]map[string]int{}
	for what, n := range counts {
		switch {
		case what.Unconfirmed:
			all.unconfirmed += n
		case r.reader.Reviewed != nil && what.Scope == store.Project:
		case what.Topic:
			topics[what.Name] += n
		default:
			if kinds[what.Tier] == nil {
				kinds[what.Tier] = map[string]int{}
			}
			kinds[what.Tier][cmp.Or(what.Name, what.Tier.String())] += n
		}
	}
	for name, n := range topics {
		all.topics = append(all.topics, session.Kind{Name: name, Count: n})
	}
	slices.SortFunc(all.topics, func(a, b session.Kind) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	all.kinds = map[index.Tier][]session.Kind{}
	for tier, names := range kinds {
		for name, n := range names {
			all.kinds[tier] = append(all.kinds[tier], session.Kind{Name: name, Count: n})
		}
	}
	return nil
}

// withoutBound takes out of the counts what the project's tombstones bind in the person's
// own scopes. Where that is more than a hook looks at, nothing of those scopes is counted.
func (r *Recaller) withoutBound(counts index.Counts) error {
	own := maps.Clone(counts)
	maps.DeleteFunc(own, func(what index.Count, _ int) bool { return !contents.PersonsOwn(what.Scope) })
	if len(own) == 0 {
		return nil
	}
	said, err := r.reader.Forgotten()
	if said == nil || err != nil {
		return err
	}
	most := math.MaxInt
	if r.opt.MaxRead > 0 {
		most = hookLooks
	}
	docs, ok, err := r.lib.MemoriesOf(most, store.Private, store.User)
	if err != nil || !ok {
		maps.DeleteFunc(counts, func(what index.Count, _ int) bool { return own[what] > 0 })
		return err
	}
	bound := map[index.Source]bool{} // as far as the index tells
	for _, d := range docs {
		e := entry.Entry{Text: d.Text, Labels: labels.Labels{Tags: d.Tags}, Topics: d.Topics, Conversation: d.Conversation, Session: d.Session, Category: d.Category}
		if said.BindsEntry(e) {
			bound[index.Source{Scope: d.Scope, Path: d.Source}] = true
		}
	}
	docs = slices.DeleteFunc(docs, func(d index.Doc) bool {
		return !d.Counted && !d.Unconfirmed || !bound[index.Source{Scope: d.Scope, Path: d.Source}]
	})
	r.read(docs)
	for i := range docs {
		if r.entry(&docs[i]) == nil {
			counts.Without(&docs[i])
		}
	}
	return nil
}

// recorded adds the entries' counts to those of the items.
func (all *briefEntries) recorded(p session.Part) session.Part {
	p.CountKinds("facts", all.kinds[index.TierFact])
	p.CountKinds("more", slices.Concat(all.kinds[index.TierNote], all.kinds[index.TierSummary]))
	return p
}

// noteHandedOut notes the entries whose lines were handed out.
func (b *briefer) noteHandedOut(list []session.Entry, units []string) {
	for _, e := range list {
		if slices.Contains(units, e.Line()) {
			b.res.Entries = append(b.res.Entries, bulletOf(e))
		}
	}
}

// bulletOf is an entry as a list of what was handed out has it.
func bulletOf(e session.Entry) session.Bullet {
	return session.Bullet{Key: e.ID, Text: session.Defuse(e.Text), Scope: e.Scope}
}
