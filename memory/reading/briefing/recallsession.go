package briefing

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
)

// sessionLasts is how long after its start a session counts as the one that asks.
const sessionLasts = 24 * time.Hour

// sessionHas are the items and entries that the newest session here was handed at its start; none if it has
// ended. A session that lost its context since then has a newer start.
func (r *Recaller) sessionHas() map[localstate.Given]bool {
	if r.handed != nil {
		return r.handed
	}
	r.handed = map[localstate.Given]bool{}
	start, ok, err := localstate.LastRecord(r.ss, EventSessionStart, func(localstate.SessionRecord) bool { return true })
	if !ok || err != nil || r.ss.Now().Sub(start.Time) > sessionLasts {
		return r.handed
	}
	_, ended, err := localstate.LastRecord(r.ss, eventSessionEnd, func(end localstate.SessionRecord) bool {
		return end.Agent == start.Agent && end.Session == start.Session && !end.Time.Before(start.Time)
	})
	if ended || err != nil {
		return r.handed
	}
	for _, g := range start.Given {
		g.Found = false
		r.handed[g] = true
	}
	return r.handed
}

// inSession reports whether the session has the doc, with the text that it has now.
func (r *Recaller) inSession(d *index.Doc) bool {
	return r.sessionHas()[localstate.Given{Scope: d.Scope, Key: entryOf(d.ID), Digest: localstate.TextDigest(session.Defuse(d.Text))}]
}

// overriddenIn is the scope that has another value of an item's key, which counts instead of the item's; "" where the
// item's own counts.
func (r *Recaller) overriddenIn(d *index.Doc) string {
	if r.offers == nil {
		r.offers = map[string]session.Offer{}
		memories, err := r.reader.Memories("")
		if err != nil {
			r.notes = append(r.notes, err.Error())
		}
		for _, o := range session.Choose(memories, session.Conditions{Folder: r.ss.SessionFolder()}).Offers() {
			r.offers[o.Key] = o
		}
	}
	o, ok := r.offers[d.ID]
	if !ok || o.Scope == d.Scope || o.Item.Value.Plain() == d.Text {
		return ""
	}
	return o.Scope
}

// uses are the use counts of what is searched, by scope and by id or key; a store whose counts
// cannot be read has none.
func (r *Recaller) uses() map[string]map[string]localstate.Use {
	all := map[string]map[string]localstate.Use{}
	for _, st := range r.searched {
		if uses, err := localstate.Uses(st); err == nil && len(uses) > 0 {
			all[st.Scope] = uses
		}
	}
	return all
}

// entryOf is the id of the entry that a doc is, or is a chunk of.
func entryOf(id string) string {
	id, _, _ = strings.Cut(id, "#L")
	return id
}

// NoteUsed counts that an agent was given these. It is a count of use and no more: a
// fault, or a lock that is held, costs the count alone.
func NoteUsed(ctx context.Context, ss *store.Stores, hits []RecallHit) {
	ids := map[string][]string{}
	for _, h := range hits {
		if !h.Shared && !h.Weak && h.Tier != TierSession && h.Tier != index.TierFile.String() && !slices.Contains(ids[h.Scope], h.ID) {
			ids[h.Scope] = append(ids[h.Scope], h.ID)
		}
	}
	for scope, list := range ids {
		if st, err := ss.Get(ctx, scope); err == nil {
			_ = localstate.NoteUses(st, list)
		}
	}
}

// leastID is how many characters of an id name an entry, as headlines show it.
const leastID = 8

// isID reports whether a name is that of an entry, or its beginning.
func isID(name string) bool {
	return len(name) >= leastID && strings.Trim(name, "0123456789abcdef-") == ""
}

// named finds what a question names by its id, or the beginning of it, or by its key: an agent saw its headline.
func (r *Recaller) named(q recall.Query) (hits []recall.Hit, err error) {
	name := strings.TrimSpace(q.Text)
	id := isID(name)
	if len(q.Tiers)+len(q.Categories)+len(q.Tags) > 0 || !id && !memfile.KeyForm(name) {
		return nil, nil
	}
	for d, err := range r.lib.Docs() {
		if err != nil {
			return nil, err
		}
		if (d.Tier == index.TierItem && d.ID == name || id && d.Tier != index.TierItem && strings.HasPrefix(d.ID, name)) && q.Keep(&d) {
			hits = append(hits, recall.Hit{Doc: d, Score: 1})
		}
	}
	return hits, nil
}
