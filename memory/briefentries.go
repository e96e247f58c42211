package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
)

const (
	// tagBootstrap marks an entry that every session starts with.
	tagBootstrap = "bootstrap"
	// maxBriefFacts and maxBriefNotes bound what a session's start reads of each
	// scope, the newest first: it has to answer in time.
	maxBriefFacts = 1000
	maxBriefNotes = 50
	// lastNotes is how many notes the briefing holds, where no day is asked for.
	lastNotes = 5
)

// briefEntries is what the briefing takes of the entries.
type briefEntries struct {
	tagged, pinned, notes []session.Entry
	topics                []session.Topic
}

// entries reads what may reach this reader of every scope's entries. With
// pinnedOnly it leaves the rest out.
func (b *briefer) entries(pinnedOnly bool) briefEntries {
	var all briefEntries
	if b.res.Mode == ModeOff {
		return all
	}
	topics := map[string]int{}
	for _, scope := range b.ss.Scopes() {
		st, err := b.ss.Get(b.ctx, scope)
		if err != nil || b.guarded() && scope == store.Project {
			continue // gather has told it
		}
		if m, err := st.Read(b.ctx); err == nil && !m.Settings.Enabled {
			continue
		}
		for _, e := range b.scopeEntries(st, pinnedOnly) {
			if b.entryStandsBack(st, e) {
				continue
			}
			row := session.Entry{Scope: scope, Category: e.Category, Text: e.Text}
			switch {
			case e.Tier() == entry.Note:
				row.Day = day(e)
				all.notes = append(all.notes, row)
			case e.Pinned:
				all.pinned = append(all.pinned, row)
			case slices.Contains(e.Tags, tagBootstrap):
				all.tagged = append(all.tagged, row)
			}
			for _, topic := range e.Topics {
				topics[topic]++
			}
		}
	}
	if pinnedOnly {
		return briefEntries{pinned: all.pinned}
	}
	all.topics = liveliest(topics)
	slices.SortStableFunc(all.notes, func(a, b session.Entry) int { return -cmp.Compare(a.Day, b.Day) })
	if b.req.Notes == "" && len(all.notes) > lastNotes {
		all.notes = all.notes[:lastNotes]
	}
	return all
}

// scopeEntries reads the newest facts and notes of one scope, the newest first.
func (b *briefer) scopeEntries(st *store.Store, factsOnly bool) []store.Entry {
	files, _, err := st.EntryFiles(b.ctx)
	b.warn(err)
	var facts, notes []store.EntryFile
	for _, f := range files {
		place, _ := entry.ParsePath(f.Path)
		switch {
		case f.Deleted || place.Tier == entry.Turn || place.Tier == entry.Summary:
		case place.Tier != entry.Note:
			facts = append(facts, f)
		case !factsOnly && (b.req.Notes == "" || place.Day == b.req.Notes):
			notes = append(notes, f)
		}
	}
	if len(facts) > maxBriefFacts {
		slices.SortStableFunc(facts, func(a, b store.EntryFile) int { return b.ModTime.Compare(a.ModTime) })
		b.stand(st.Scope+" facts", session.WhyCap, len(facts)-maxBriefFacts)
		facts = facts[:maxBriefFacts]
	}
	if len(notes) > maxBriefNotes {
		notes = notes[len(notes)-maxBriefNotes:] // a note's path holds its time
	}
	list, err := st.ReadEntries(b.ctx, slices.Concat(facts, notes))
	b.warn(err)
	slices.SortStableFunc(list, func(a, b store.Entry) int {
		return cmp.Or(-cmp.Compare(a.Created, b.Created), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// entryStandsBack reports whether the entry is kept from this reader.
func (b *briefer) entryStandsBack(st *store.Store, e store.Entry) bool {
	switch {
	case e.Deleted, e.Gone(), e.Tier() == entry.Turn, len(e.Withheld) > 0, e.Expired(b.on.Today),
		e.Confidence == memfile.Low, slices.Contains(e.Tags, memfile.TagNeedsConfirmation):
		return true
	case b.reviewed == nil || st.Scope != store.Project:
		return false
	}
	src, err := st.EntryBytes(e.Path)
	return err != nil || !b.reviewed.File(b.ctx, e.Path, src)
}

// day is the day of the entry's time.
func day(e store.Entry) string {
	d, _, _ := strings.Cut(e.Created, "T")
	return d
}

// liveliest orders topics by how many entries are about them, then by name.
func liveliest(counts map[string]int) []session.Topic {
	var list []session.Topic
	for name, n := range counts {
		list = append(list, session.Topic{Name: name, Count: n})
	}
	slices.SortFunc(list, func(a, b session.Topic) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	return list
}

// overBudget is a note for a write after which the briefing is over its
// budget; "" where it is not.
func (r *remembering) overBudget() string {
	if !r.e.Pinned && !slices.Contains(r.e.Tags, tagBootstrap) {
		return ""
	}
	res, err := Bootstrap(r.ctx, r.ss, BootstrapRequest{})
	if err != nil || res.Tokens <= res.Budget {
		return ""
	}
	return fmt.Sprintf("the briefing has %d tokens now, over its budget of %d: what is pinned or tagged bootstrap stands in it whole", res.Tokens, res.Budget)
}
