package briefing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
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
				list = append(list, localstate.Given{Scope: bullet.Scope, Key: bullet.Key, Digest: localstate.TextDigest(bullet.Text), Found: found})
			}
		}
	}
	add(slices.Concat(r.Profile.Bullets, r.Pinned, r.Entries), false)
	add(r.Recalled, true)
	return list
}

// difference is how what is handed out differs from what was.
type difference struct {
	added, changed []session.Bullet
	withdrawn      []localstate.Given
}

func (d difference) none() bool { return len(d.added)+len(d.changed)+len(d.withdrawn) == 0 }

// sinceHanded compares the answer with what was handed out before. What a search found
// for a session is no part of it, nor a note or a fact that only made room for another.
func (b *briefer) sinceHanded(was []localstate.Given) (d difference) {
	before := map[string]localstate.Given{}
	for _, g := range was {
		if !g.Found {
			before[g.Scope+" "+g.Key] = g
		}
	}
	seen := map[string]bool{} // a pinned item is among the profile's bullets too
	for _, bullet := range slices.Concat(b.res.Profile.Bullets, b.res.Pinned, b.res.Entries) {
		id := bullet.Scope + " " + bullet.Key
		g, known := before[id]
		switch {
		case seen[id]:
		case !known:
			d.added = append(d.added, bullet)
		case g.Digest != localstate.TextDigest(bullet.Text):
			d.changed = append(d.changed, bullet)
		}
		seen[id] = true
		delete(before, id)
	}
	for _, g := range was {
		if _, left := before[g.Scope+" "+g.Key]; left && !d.moved(g) && b.withdrawn(g) {
			d.withdrawn = append(d.withdrawn, g)
		}
	}
	return d
}

// moved reports whether something that was handed out is handed out from another scope now,
// with the same text, and takes it off what is new.
func (d *difference) moved(was localstate.Given) bool {
	i := slices.IndexFunc(d.added, func(b session.Bullet) bool { return b.Key == was.Key && localstate.TextDigest(b.Text) == was.Digest })
	if i >= 0 {
		d.added = slices.Delete(d.added, i, i+1)
	}
	return i >= 0
}

// withdrawn reports whether something that was handed out may not be handed out any more.
func (b *briefer) withdrawn(g localstate.Given) bool {
	if memfile.KeyForm(g.Key) {
		return !slices.ContainsFunc(b.choice().Offers(), func(o session.Offer) bool { return o.Scope == g.Scope && o.Item.Key == g.Key })
	}
	e, err := view.OneEntry(b.ctx, b.ss, g.Scope, g.Key, false)
	return err == nil && e == nil
}

// resume makes of the whole briefing the difference, for a resumed session whose agent
// still has what it was handed.
func (b *briefer) resume() {
	if b.req.Session == "" || session.ClientOf(b.req.Agent).History != session.HistoryKept {
		return
	}
	was, ok := b.lastStart(func(rec localstate.SessionRecord) bool { return rec.Session == b.req.Session })
	if !ok {
		return
	}
	d := b.sinceHanded(was)
	text := ""
	if !d.none() {
		text = "# Memory changes since this session received it\n\n" + session.Preamble + "\n\n" + d.lines()
		if session.ClientOf(b.req.Agent).AtPrompt { // this is a prompt too
			_, _, part := b.pinned()
			text = b.promptPart(text, promptHeading, part)
		}
	}
	b.res.Text, b.res.Bytes, b.res.Tokens = text, len(text), session.Tokens(len(text))
}

func (d difference) lines() string {
	var t strings.Builder
	for _, part := range []struct {
		word string
		list []session.Bullet
	}{{"new", d.added}, {"changed", d.changed}} {
		for _, b := range part.list {
			name := ""
			if memfile.KeyForm(b.Key) {
				name = b.Key + ": "
			}
			t.WriteString("- " + part.word + ": [" + b.Scope + "] " + name + b.Text + "\n")
		}
	}
	for _, g := range d.withdrawn {
		t.WriteString("- removed, no longer valid: [" + g.Scope + "] " + named(g.Key) + "\n")
	}
	return t.String()
}

// lastStart is what the last recorded start of a session here that fits was handed; ok is
// false where there is none.
func (b *briefer) lastStart(fits func(localstate.SessionRecord) bool) (given []localstate.Given, ok bool) {
	rec, ok, err := localstate.LastRecord(b.ss, EventSessionStart, fits)
	b.warn(err)
	return rec.Given, ok
}

// tellPerson is the line for the person that an agent shows at a start: what waits for
// them, and what changed since the last session here.
func (b *briefer) tellPerson() {
	var said []string
	last, ok := b.lastStart(func(rec localstate.SessionRecord) bool { return rec.Session != b.req.Session })
	if ok {
		if d := b.sinceHanded(last); !d.none() {
			said = append(said, "since the last session: "+d.summary())
		}
	}
	if st, err := b.ss.Get(b.ctx, store.Project); err == nil && !b.guarded() {
		if note := ledger.DroppedNote(ledger.NewlyDropped(b.ctx, st)); note != "" {
			said = append(said, note)
		}
	}
	if n := b.waiting(); n > 0 {
		what := "memories wait"
		if n == 1 {
			what = "memory waits"
		}
		said = append(said, fmt.Sprintf("%d %s for your review (memctl review)", n, what))
	}
	if failing := localstate.TellFailing(b.ctx, b.ss); failing != "" {
		said = append(said, failing+" (memctl doctor --models)")
	}
	if b.untrusted() && !b.begun() {
		said = append(said, "this repository's memory is not trusted yet: memctl trust")
	}
	if len(said) > 0 {
		b.res.SystemMessage = "memctl: " + strings.Join(said, "; ")
	}
}

// named is an item's key, or what people call a fact by: the beginning of its id.
func named(key string) string {
	if memfile.KeyForm(key) {
		return session.Defuse(key)
	}
	short, _, _ := strings.Cut(key, "-")
	return "fact " + session.Defuse(short)
}

// untrusted reports whether the project's own memory is kept from the session because the
// person has not said that they trust it.
func (b *briefer) untrusted() bool {
	return b.guarded() && b.ss.Unusable() == nil && !b.ss.TrustUnknown(b.ctx) &&
		slices.ContainsFunc(b.res.StoodBack, func(s StoodBack) bool { return s.Why == session.WhyUntrusted })
}

// begun reports whether the session has had a start before, as it has when its agent
// compacts the context.
func (b *briefer) begun() bool {
	if b.req.Session == "" {
		return false
	}
	_, ok := b.lastStart(func(rec localstate.SessionRecord) bool { return rec.Session == b.req.Session })
	return ok
}

// summary names what differs in a few words.
func (d difference) summary() string {
	keys := func(word string, list []string) string {
		const most = 3
		text := fmt.Sprintf("%d %s", len(list), word)
		if named := list[:min(len(list), most)]; len(named) > 0 {
			text += " (" + strings.Join(named, ", ")
			if len(list) > most {
				text += ", …"
			}
			text += ")"
		}
		return text
	}
	var said []string
	for _, part := range []struct {
		word string
		list []session.Bullet
	}{{"new", d.added}, {"changed", d.changed}} {
		var names []string
		for _, b := range part.list {
			names = append(names, named(b.Key))
		}
		if len(names) > 0 {
			said = append(said, keys(part.word, names))
		}
	}
	var names []string
	for _, g := range d.withdrawn {
		names = append(names, named(g.Key))
	}
	if len(names) > 0 {
		said = append(said, keys("withdrawn", names))
	}
	return strings.Join(said, ", ")
}

// waiting counts the queued writes, items and facts that wait for a person.
func (b *briefer) waiting() int {
	n := b.unconfirmed
	for _, m := range b.memories {
		if queue, err := ledger.Queue(m.Store); err == nil {
			n += len(queue)
		}
		for _, it := range m.Items {
			if why := view.WhyWaits(it, ""); why != "" && it.Out()&contents.Withheld == 0 {
				n++
			}
		}
	}
	return n
}
