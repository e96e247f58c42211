package briefing

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/cache"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

const (
	// mostAtPrompt and mostInFull are how many memories a prompt gets that it is about.
	mostAtPrompt, mostInFull = 1, 3
	// mostOn is how many words are kept of those that a memory was found by.
	mostOn = 3
	// recallTime is what an embedder may take of a message's time.
	recallTime = 300 * time.Millisecond
)

// recall is the part with the memories that the prompt is about, or in the mode full the last messages before a start, and that
// the session was not told yet. taken are the keys and ids that stand elsewhere in the same answer.
func (b *briefer) recall(taken map[string]bool) session.Part {
	part := session.Part{Name: session.PartRecalled, Heading: "Found for this session"}
	about, most := b.req.Prompt, mostAtPrompt
	if b.res.Mode == ModeFull {
		most = mostInFull
		if b.req.Event != EventPrompt && b.req.Recent != nil {
			about = strings.Join(b.req.Recent(), "\n")
		}
	}
	if about == "" || b.res.Mode == ModeOff {
		return session.Part{}
	}
	room := maxRecalledChars - session.Characters.Size(recalledHeading)
	for _, f := range b.findRelated(about, most, taken) {
		if room -= session.Characters.Size(f.line); room < 0 {
			break
		}
		part.Units, part.Scopes = append(part.Units, f.line), append(part.Scopes, f.Scope)
		b.res.Recalled = append(b.res.Recalled, f.Bullet)
	}
	return part
}

// fitted is a memory that fits a session, and its line.
type fitted struct {
	session.Bullet
	line string
}

// findRelated finds the memories that a text is about, the best first.
func (b *briefer) findRelated(text string, most int, taken map[string]bool) []fitted {
	return b.speaking(taken, true, func(r *Recaller, may func(*index.Record) bool, keep func(*index.Doc) bool) ([]recall.Hit, error) {
		return recall.FindForEvent(r.lib.Index, recall.Event{Text: text, MaxHits: most, MayShow: may, Keep: keep, Stale: r.namesGone(b.ctx)})
	})
}

// speaking finds memories that nobody asked for: facts, and items that the session or the subagent does not have; with sections,
// also those of instruction files that the agent does not read by itself.
func (b *briefer) speaking(taken map[string]bool, sections bool, find func(r *Recaller, may func(*index.Record) bool, keep func(*index.Doc) bool) ([]recall.Hit, error)) (list []fitted) {
	told := b.handedOver()
	offers, keys := map[string]session.Bullet{}, map[uint32]bool{}
	for _, o := range b.choice().Offers() {
		unknown := len(told) == 0 && b.res.Mode != ModeFull && !session.IsLesson(o.Key) // nobody knows what the session has: it has the profile
		if !unknown && !taken[o.Key] && !told[localstate.TextDigest(o.Text)] {
			offers[o.Scope+" "+o.Key] = o.Bullet
			keys[index.TextHash(o.Item.Value.Plain())] = true
		}
	}
	sections = sections && len(b.memories) > 0 && b.ss.Root() != ""
	if len(offers) == 0 && !b.haveEntries() && !(sections && haveFiles(b.ss, b.req.Agent)) {
		return nil
	}
	r := b.index()
	if r == nil {
		return nil
	}
	var read map[uint32]bool
	if sections {
		var err error
		read, err = r.readByAgent(b.req.Agent)
		b.warn(err)
	}
	may := func(rec *index.Record) bool {
		return rec.Tier == index.TierItem && keys[rec.TextHash] || rec.Tier == index.TierFact && !rec.Unconfirmed || rec.Tier == index.TierFile && sections && !read[rec.TextHash]
	}
	hits, err := find(r, may, func(d *index.Doc) bool {
		if d.Tier == index.TierItem {
			_, ok := offers[d.Scope+" "+d.ID]
			return ok && r.isCurrent(b.ctx, d)
		}
		if taken[entryOf(d.ID)] || told[localstate.TextDigest(session.Defuse(d.Text))] || !r.isCurrent(b.ctx, d) {
			return false
		}
		if d.Tier == index.TierFile {
			return store.IsInstruction(d.Source) && !store.Reads(b.req.Agent, d.Source, b.ss.SessionFolder()) || b.res.Mode == ModeFull && !store.IsInstruction(d.Source)
		}
		e := r.checked[index.Source{Scope: d.Scope, Path: d.Source}]
		return e != nil && memory.Confirmed(e)
	})
	b.warn(err)
	for _, h := range hits {
		f := r.asFitted(b.ctx, recall.Hit{Doc: h.Doc}, offers)
		f.On = strings.Join(h.Matched[:min(len(h.Matched), mostOn)], " ")
		list = append(list, f)
	}
	return list
}

// asFitted is a hit as it is handed out: an item as in the profile, an entry as in the
// briefing, a part of a file with its place.
func (r *Recaller) asFitted(ctx context.Context, h recall.Hit, offers map[string]session.Bullet) fitted {
	if h.Tier == index.TierItem {
		o := offers[h.Scope+" "+h.ID]
		return fitted{o, session.Bulleted("", "", []session.Bullet{o}).Units[0]}
	}
	v := r.view(ctx, h)
	row := session.Entry{ID: h.ID, Scope: h.Scope, Text: h.Text, Stale: v.Stale}
	switch h.Tier {
	case index.TierNote, index.TierSummary:
		row.Day = memory.UTCDay(h.Time)
	case index.TierFile:
		row.Text = h.Path + ": " + h.Text
	}
	return fitted{session.Bullet{Key: v.ID, Text: session.Defuse(h.Text), Scope: h.Scope, Confidence: v.Confidence}, row.Line()}
}

const (
	// factsLike is how many facts SimilarFacts finds at most.
	factsLike = 12
	// maxIndexed is how many files it reads at most where nothing is indexed yet.
	maxIndexed = 5000
)

// SimilarFacts returns the files of the facts of a conversation that share most with a text, by the index of the store.
// An index that does not exist yet is made, unless that would be felt: then no fact is found. Errors: those of
// cache.Open.
func SimilarFacts(ctx context.Context, ss *store.Stores, st *store.Store, conversation, text string) (paths []string, err error) {
	if !contents.HasEntries(st) {
		return nil, nil
	}
	lib, err := cache.Open(ctx, withFiles(ctx, ss, cache.Request{Stores: []*store.Store{st}, MaxChangedFiles: maxIndexed, NamesOnly: true}, false))
	if err != nil {
		return nil, err
	}
	hits, err := recall.Search(lib.Index, recall.Query{Text: text, MaxHits: factsLike, Tiers: []index.Tier{index.TierFact}, Conversations: []string{conversation}})
	for _, h := range hits {
		paths = append(paths, h.Source)
	}
	return paths, errors.Join(err, lib.Close())
}

const (
	// mostNear is how many neighbours a write is answered with.
	mostNear = 3
	// nearScore is the score from which an item or a fact is close to a text, and nearShare its share of the best score.
	nearScore, nearShare = 0.35, 0.5
	// maxNearRead is how many files that the index does not have are read for it.
	maxNearRead = 20
	// maxNearText is how many bytes of a neighbour's text an answer has.
	maxNearText = 120
)

// FindNearest returns the items and facts that recall finds closest to a text about that topic and that the reader may have, the best
// first, without those that have the same text. It uses no network, and the index as the last reader left it. Errors: those of OpenRecall.
func FindNearest(ctx context.Context, ss *store.Stores, who contents.Reader, topic, text string) (list []memory.Neighbour, err error) {
	r, err := OpenRecall(ctx, ss, RecallOptions{Reader: who, MaxRead: maxNearRead, glance: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	hits, err := recall.Search(r.lib.Index, recall.Query{
		Text: cutAt(topic+" "+text, maxQueryBytes), WithoutText: index.TextHash(text), MaxHits: mostNear, Tiers: []index.Tier{index.TierItem, index.TierFact}, Now: ss.Now(),
		Keep: func(d *index.Doc) bool { return r.fromShared(d) == nil && r.isCurrent(ctx, d) },
	})
	for _, h := range hits {
		if h.Score < nearScore || h.Score < nearShare*hits[0].Score {
			break
		}
		n := memory.Neighbour{Key: policy.Inert(h.ID), Scope: h.Scope, Text: policy.Cut(session.Defuse(memory.Redacted(h.Text)), maxNearText)}
		if h.Tier == index.TierFact {
			n.Key, n.ID = "", memory.ShortID(entryOf(h.ID))
		}
		list = append(list, n)
	}
	return list, err
}
