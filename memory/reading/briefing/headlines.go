package briefing

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/memory"
)

const (
	// maxHeadlineBytes caps all headlines of a start. Of an agent's own limit they take at most a third.
	maxHeadlineBytes = 3500
	// maxFactBytes caps the facts that an agent without tools gets instead.
	maxFactBytes = 4000
	// looksHeadlines is how many of the newest facts of a scope headlines are chosen from.
	looksHeadlines = 500
	// leastHeadline and mostHeadline are the letters of a headline of a longer text.
	leastHeadline, mostHeadline = 40, 90
)

// headline is one line for a memory that the session does not have whole.
type headline struct {
	of        session.Bullet
	line, day string
	uses      int
	doc       *index.Doc // of a fact whose file must be read before it is handed out
}

// headlines are the beginnings of facts and lessons, with which the agent can ask for the whole: those that were used most, then
// the newest, in the order of their days, so that a new one is added at the end.
func (b *briefer) headlines(taken map[string]bool) session.Part {
	part := session.Part{Name: session.PartHeadlines, Heading: "Also known; recall takes the id or key"}
	if b.req.NoTools {
		part.Heading = "Also known"
	}
	if b.res.Mode == ModeOff || b.storing() == session.StoreNot && !b.req.NoTools {
		return part
	}
	list := b.lessonHeadlines(taken)
	r := b.recaller
	if r != nil {
		docs, err := r.lib.Latest(index.TierFact, time.Time{}, looksHeadlines)
		b.warn(err)
		uses := r.uses()
		for i := range docs {
			d := &docs[i]
			if id := entryOf(d.ID); !d.Marked && !d.Unconfirmed && !taken[id] && d.Time.After(b.newer) {
				taken[id] = true // a long one is several docs
				list = append(list, headline{session.Bullet{Scope: d.Scope, Key: id}, b.factLine(id, d.Text), memory.UTCDay(d.Time), uses[d.Scope][id].Count, d})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y headline) int { return cmp.Or(cmp.Compare(y.uses, x.uses), cmp.Compare(y.day, x.day)) })
	room := maxHeadlineBytes
	if limit := session.ClientOf(b.req.Agent).Limit; limit > 0 {
		room = min(room, limit/3)
	}
	if b.req.NoTools {
		room = maxFactBytes
	}
	left := room
	var docs []index.Doc // of which the files are read
	n := 0
	for ; n < len(list) && room >= len(list[n].line); n++ {
		room -= len(list[n].line)
		if d := list[n].doc; d != nil && !b.req.NoTools && r.canTrustIndex(b.ctx, d) {
			list[n].doc = nil
		} else if d != nil {
			docs = append(docs, *d)
		}
	}
	if len(docs) > 0 {
		r.read(docs) // all at once
	}
	var chosen []headline
	for _, h := range list[:n] {
		if h.doc != nil {
			e := r.entry(h.doc)
			if e == nil || !memory.Confirmed(e) {
				continue
			}
			h.line = b.factLine(e.ID, e.Text) // it may have changed since it was indexed
		}
		if left -= len(h.line); left < 0 {
			break
		}
		chosen = append(chosen, h)
	}
	slices.SortStableFunc(chosen, func(x, y headline) int { return cmp.Compare(x.day, y.day) })
	for _, h := range chosen {
		part.Units = append(part.Units, h.line)
	}
	b.headed = chosen
	return part
}

func (b *briefer) factLine(id, text string) string {
	name := entry.ShortID(id) + " "
	if b.req.NoTools {
		name = ""
	}
	return "- " + name + b.said(text) + "\n"
}

// said is the beginning of a text, or the whole for an agent that can ask for nothing.
func (b *briefer) said(text string) string {
	if b.req.NoTools {
		return session.Defuse(text)
	}
	return beginning(text)
}

// lessonHeadlines are those of the lessons.
func (b *briefer) lessonHeadlines(taken map[string]bool) (list []headline) {
	for _, o := range b.choice().Offers() {
		if session.IsLesson(o.Key) && !taken[o.Key] && (b.newer.IsZero() || o.Item.Day() >= memory.UTCDay(b.newer)) {
			list = append(list, headline{of: o.Bullet, line: "- " + o.Key + ": " + b.said(o.Text) + "\n", day: o.Item.Day()})
		}
	}
	return list
}

// beginning is a text on one line up to the end of a clause, with an ellipsis where it goes on.
func beginning(text string) string {
	text = session.Defuse(text)
	if utf8.RuneCountInString(text) <= mostHeadline {
		return text
	}
	runes := []rune(text)[:mostHeadline]
	cut := 0
	for i, r := range runes {
		if i >= leastHeadline && i+1 < len(runes) && strings.ContainsRune(".,;:!?–—(", r) && runes[i+1] == ' ' {
			cut = i
		}
	}
	if cut == 0 {
		cut = max(strings.LastIndexByte(string(runes), ' '), 0)
		if cut < leastHeadline {
			return string(runes) + "…"
		}
		return string(runes)[:cut] + "…"
	}
	return string(runes[:cut]) + "…"
}
