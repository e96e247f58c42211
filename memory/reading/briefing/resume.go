package briefing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// replacesNotice stands in a briefing that a resumed session is handed once more, whole.
const replacesNotice = "This replaces the memory that this session received before."

// Given lists what of memory the answer hands out, each item and entry once.
func (r BootstrapResult) Given() []localstate.Given {
	var list []localstate.Given
	seen := map[string]bool{}
	add := func(bullets []session.Bullet, found bool) {
		for _, bullet := range bullets {
			if id := bullet.Scope + " " + bullet.Key; !seen[id] {
				seen[id] = true
				given := givenOf(bullet)
				given.Found, given.On = found, bullet.On
				list = append(list, given)
			}
		}
	}
	add(slices.Concat(r.Profile.Bullets, r.Profile.Listed, r.Pinned, r.Entries), false)
	add(r.Recalled, true)
	return list
}

// Receives are the items and entries that the text has, whole or as a headline.
func (r BootstrapResult) Receives() map[session.Ref]bool {
	has := map[session.Ref]bool{}
	for _, b := range slices.Concat(r.Profile.Bullets, r.Pinned, r.Entries, r.Recalled, r.headlines) {
		has[session.Ref{Scope: b.Scope, Key: b.Key}] = true
	}
	return has
}

// sinceHeading begins what changed since a resumed session was handed its memory.
const sinceHeading = session.Heading + "\n\n" + session.Preamble + "\n\nSince this session received its memory, this changed:\n\n"

// resume hands out to a resumed session, whose agent still has what it was handed, only what changed since then. It gets the
// whole briefing where memctl does not know that, and where a part of memory cannot be read.
func (b *briefer) resume() {
	var was localstate.SessionRecord
	had, has := map[[2]string]bool{}, map[string]bool{} // by key and digest; by key
	for _, rec := range b.recordsInContext() {
		if rec.Event == EventSessionStart {
			clear(had)
			was = rec
		}
		for _, g := range rec.Given {
			had[[2]string{g.Key, g.Digest}] = true
		}
	}
	if was.Event == "" || b.unread || b.res.Mode == ModeOff || session.ClientOf(b.req.Agent).History != session.HistoryKept {
		return
	}
	lines := map[string]string{} // of entries
	for _, e := range b.fromIndex {
		lines[e.ID] = e.Line()
	}
	var changed []string
	for _, bullet := range slices.Concat(b.res.Profile.Bullets, b.res.Pinned, b.res.Entries, b.res.Profile.Listed) {
		g := givenOf(bullet)
		if is := [2]string{g.Key, g.Digest}; !had[is] {
			had[is] = true
			changed = append(changed, cmp.Or(lines[bullet.Key], session.Bulleted("", "", []session.Bullet{bullet}).Units[0]))
		}
		has[g.Key] = true
	}
	for _, l := range b.res.Profile.LeftOut {
		has[l.Key] = has[l.Key] || l.Why == session.WhyCap || l.Why == session.WhyPaths // it counts as before
	}
	for _, g := range was.Given {
		if !g.Found && !has[g.Key] && !isID(g.Key) {
			has[g.Key] = true
			changed = append(changed, "- no longer counts: "+session.Defuse(g.Key)+"\n")
		}
	}
	b.newer = was.Time
	changed = append(changed, b.headlines(b.inProfile()).Units...)
	text := ""
	if len(changed) > 0 {
		text = sinceHeading + strings.Join(changed, "")
	}
	if len(text) < len(b.res.Text) {
		b.res.Text, b.res.Bytes, b.res.Tokens = text, len(text), session.Tokens(len(text))
	}
}

// lastStart is the last recorded start of this session; ok is false where there is none.
func (b *briefer) lastStart() (rec localstate.SessionRecord, ok bool) {
	if b.req.Session == "" {
		return rec, false
	}
	rec, ok, err := localstate.LastRecord(b.ss, EventSessionStart, func(rec localstate.SessionRecord) bool { return rec.Session == b.req.Session })
	b.warn(err)
	return rec, ok
}

// tellPerson is the line for the person that an agent shows at a start: what was lost and what waits for them.
func (b *briefer) tellPerson() {
	var said []string
	if st, err := b.ss.Get(b.ctx, store.Project); err == nil && !b.hidesProjectFiles() {
		said = append(said, fault.Texts(ledger.NewlyLostNote(b.ctx, st))...)
	}
	for _, m := range b.memories {
		if m.Salvaged && m.Closed == 0 {
			said = append(said, m.Store.Name()+" "+memory.Damage(m)+": "+m.Mend+memory.ScopeFlag(m.Store.Scope))
		}
	}
	said = append(said, b.forgottenByAgents()...)
	if review := b.forReview(); review != "" {
		said = append(append(said, review+" (memctl review)"), fault.Texts(b.ss.NoteNoIdentity(b.ctx))...)
	}
	if n := b.withoutRoom(); n > 0 {
		said = append(said, fmt.Sprintf("the session has no room for %s (memctl profile --all)", memory.Count(n, "item")))
	}
	if failing := localstate.TellFailing(b.ctx, b.ss); failing != "" {
		said = append(said, failing+" (memctl doctor --models)")
	}
	if b.untrusted() && !b.hadStart() {
		said = append(said, "this repository's memory"+b.keptBack+" is not trusted yet, so this session does not get it: memctl trust")
	}
	if len(said) > 0 {
		b.res.SystemMessage = "memctl: " + strings.Join(said, "; ")
	}
}

// withoutRoom is how many items have no room in the session.
func (b *briefer) withoutRoom() (n int) {
	for _, l := range b.res.Profile.LeftOut {
		if l.Why == session.WhyCap {
			n++
		}
	}
	return n
}

// untrusted reports whether the project's own memory is kept from the session because the
// person has not said that they trust it.
func (b *briefer) untrusted() bool {
	return b.hidesProjectFiles() && b.ss.Unusable() == nil && !b.ss.TrustUnknown(b.ctx) &&
		b.stoodFor(session.WhyUntrusted)
}

// hadStart reports whether the session has had a start before, as it has when its agent
// compacts the context.
func (b *briefer) hadStart() bool {
	_, ok := b.lastStart()
	return ok
}

// forReview counts what agents stored since the person last looked, and what else waits: what `memctl review` lists, except
// that the facts are counted by the index.
func (b *briefer) forReview() string {
	if b.res.Mode == ModeOff {
		return ""
	}
	waiting, all, first, err := countWaiting(b.ctx, b.ss, b.reader)
	b.warn(err)
	var said []string
	if all > 0 {
		from := "from agents"
		if first.Edit {
			from = "from agents or edits by hand"
		}
		said = append(said, fmt.Sprintf("%d new %s %s %s", all, oneOr(all, "memory", "memories"), from, b.formatDay(first.Time)))
	}
	if n := waiting + b.unconfirmed; n > 0 {
		said = append(said, fmt.Sprintf("%d %s for your review", n, oneOr(n, "memory waits", "memories wait")))
	}
	return strings.Join(said, "; ")
}

// countWaiting counts what waits for the person's review, except facts, which the index counts. all is what agents stored since
// the person last looked; what of it waits, also a fact, is taken out of waiting.
func countWaiting(ctx context.Context, ss *store.Stores, v *contents.View) (waiting, all int, first localstate.News, err error) {
	stores, err := memory.StoresOf(ctx, ss, "")
	if err != nil {
		return 0, 0, first, err
	}
	list, _ := view.WaitingBesideFacts(v, stores) // whoever reads the memory warns of what cannot be read
	all, decided, first, err := view.NewOnes(ctx, ss, v, stores)
	return len(list) - decided, all, first, err
}

// CountWaiting counts what waits for the person's review, as a session's start does. Errors: those of OpenRecall.
func CountWaiting(ctx context.Context, ss *store.Stores, who contents.Reader) (int, error) {
	r, err := OpenRecall(ctx, ss, RecallOptions{Reader: who})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var facts briefEntries
	waiting, all, _, err := countWaiting(ctx, ss, contents.NewView(ctx, ss, who.OrHook(ss.Trusted(ctx))))
	err = cmp.Or(facts.count(r), err)
	return waiting + all + facts.unconfirmed, err
}

func oneOr(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// formatDay is a day as a person says it.
func (b *briefer) formatDay(t time.Time) string {
	switch day := t.UTC().Format(time.DateOnly); day {
	case b.ss.Today():
		return "today"
	case b.ss.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly):
		return "since yesterday"
	default:
		return "since " + day
	}
}
