package briefing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/recall"
	"github.com/memctl/memctl/recall/cache"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// leastPrompt and leastRecent are what a memory must have of a prompt, and of the
	// last messages where the prompt finds nothing (recall.Query.Least): most
	// prompts have nothing to do with most memory.
	leastPrompt = 2
	leastRecent = 4
	// maxRecalled is how many hits are looked at for a prompt.
	maxRecalled = 40
	// recallTime is what an embedder may take of a prompt's time.
	recallTime = 300 * time.Millisecond
)

// recall is the part of the briefing, or of a prompt's answer, that the mode
// full adds: what is found and the session was not told yet. taken are the keys
// and ids that stand elsewhere in the same answer.
func (b *briefer) recall(taken map[string]bool) session.Part {
	part := session.Part{Name: session.PartRecalled, Heading: "Found for this session"}
	if b.res.Mode != ModeFull {
		return session.Part{}
	}
	told := b.told()
	room := maxRecalledChars - session.Characters.Size(recalledHeading)
	for _, f := range b.fitting() {
		digest := localstate.TextDigest(f.Text)
		if taken[f.Key] || told[digest] {
			continue
		}
		told[digest] = true
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

// fitting finds what fits the prompt, and then what fits the last messages, each
// best first.
func (b *briefer) fitting() []fitted {
	texts := []string{telling(b.req.Prompt), ""}
	if b.req.Recent != nil {
		texts[1] = telling(strings.Join(b.req.Recent(), "\n"))
	}
	if texts[0] == "" && texts[1] == "" {
		return nil
	}
	r := b.index()
	if r == nil {
		return nil
	}
	offers := map[string]session.Bullet{}
	for _, o := range b.choice().Offers() {
		offers[o.Scope+" "+o.Key] = o.Bullet
	}
	ctx, cancel := context.WithTimeout(b.ctx, recallTime)
	defer cancel()
	var list []fitted
	for i, text := range texts {
		if text == "" {
			continue
		}
		hits, err := r.fitting(ctx, text, []int{leastPrompt, leastRecent}[i], func(d *index.Doc) bool {
			if d.Tier == index.TierItem {
				_, ok := offers[d.Scope+" "+d.ID]
				return ok
			}
			return true
		})
		b.warn(err)
		for _, h := range hits {
			list = append(list, r.asFitted(h, offers))
		}
	}
	return list
}

// fitting asks the index for what fits by itself.
func (r *Recaller) fitting(ctx context.Context, text string, least int, keep func(*index.Doc) bool) ([]recall.Hit, error) {
	ranking := recall.DefaultRanking()
	ranking.Floor, ranking.Unknown, ranking.Bridge, ranking.Meaning = 0, 0, 0, 0 // Least is the floor, and only the words themselves count
	hits, _, err := r.search(ctx, recall.Query{
		Text: text, K: maxRecalled, Now: r.ss.Now(), Ranking: &ranking, Least: least,
		Tiers: []index.Tier{index.TierItem, index.TierSummary, index.TierFact, index.TierNote, index.TierFile},
		Keep:  func(d *index.Doc) bool { return r.keep(ctx, d) && keep(d) },
	})
	return hits, err
}

// asFitted is a hit as it is handed out: an item as in the profile, an entry as in the
// briefing, a part of a file with its place.
func (r *Recaller) asFitted(h recall.Hit, offers map[string]session.Bullet) fitted {
	if h.Tier == index.TierItem {
		o := offers[h.Scope+" "+h.ID]
		return fitted{o, session.Bulleted("", "", []session.Bullet{o}).Units[0]}
	}
	v := r.view(h)
	row := session.Entry{ID: h.ID, Scope: h.Scope, Text: h.Text, Stale: v.Stale}
	switch h.Tier {
	case index.TierNote, index.TierSummary:
		row.Day = memory.DayOf(h.Time)
	case index.TierFile:
		row.Text = h.Path + ": " + h.Text
	}
	return fitted{session.Bullet{Key: v.ID, Text: session.Defuse(h.Text), Scope: h.Scope, Confidence: v.Confidence}, row.Line()}
}

// telling is the text without the words that stand in prompts of every kind: cut to
// what a question may have.
func telling(text string) string {
	words := strings.Fields(cutAt(text, maxQueryBytes))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		parts := memory.Words(w)
		return !slices.ContainsFunc(parts, func(p string) bool { return len(p) > 1 && !idleWords()[p] })
	}), " ")
}

// idleWords stand in prompts of every kind, and say nothing about what they
// are about.
var idleWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		about add after again all also am an and any are as at back be because been before being both but by change
		can could did do does doing done don else every explain few fix for from get give go going good got had has
		have he help her here him his how if in into is it its just know let like ll look make many may me
		more most much must my need new no nor not now of off ok okay on once one only or other our out
		over own please re really right same see she should show so some still such sure take tell than
		thank thanks that the their them then there these they thing things think this those through to
		too try two under until up us use using ve very want was way we well were what when where which
		while who why will with without work would write yes yet you your`) {
		set[w] = true
	}
	return set
})

const (
	// factsLike is how many facts FactsLike finds at most.
	factsLike = 12
	// maxIndexed is how many files it reads at most where nothing is indexed yet.
	maxIndexed = 5000
)

// FactsLike returns the files of the facts of a conversation that share most with a text, by the index of the store.
// An index that does not exist yet is made, unless that would be felt: then no fact is found. Errors: those of
// cache.Open.
func FactsLike(ctx context.Context, ss *store.Stores, st *store.Store, conversation, text string) (paths []string, err error) {
	if !contents.HasEntries(st) {
		return nil, nil
	}
	lib, err := cache.Open(ctx, cache.Request{Stores: []*store.Store{st}, Paths: recallPaths(ctx, ss), MaxRead: maxIndexed, Names: true})
	if err != nil {
		return nil, err
	}
	hits, err := recall.Search(lib.Index, recall.Query{Text: text, K: factsLike, Tiers: []index.Tier{index.TierFact}, Conversations: []string{conversation}})
	for _, h := range hits {
		paths = append(paths, h.Source)
	}
	return paths, errors.Join(err, lib.Close())
}
