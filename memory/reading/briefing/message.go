package briefing

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory"
)

// maxMessageLine is how many characters of one memory a message gets: a turn may be long.
const maxMessageLine = 600

// Heading begins everything that a hook hands to a session at its start.
const Heading = session.Heading

// MessageRequest asks what fits one message of a person to a model.
type MessageRequest struct {
	Conversation string // whose summary and turns may be handed out
	Session      string // the client's id of the session, "" for none: what its hooks handed out is left out
	Text         string
	// Has reports whether the session has a text anyway, such as an earlier message; nil for none.
	Has func(text string) bool
}

// MessageResult is what fits the message.
type MessageResult struct {
	Summary  string   // of the conversation; "" for none
	Memories []string // the best first, a line each: "[role] text"
}

// Messages answers what fits messages, one after the other, as memory is when it is opened. It
// is not for several goroutines.
type Messages struct {
	b      *briefer
	r      *Recaller // nil where nothing may be handed out
	offers map[string]session.Bullet
}

// OpenMessages opens memory for the messages of sessions. As through a hook, a project's own
// memory needs the person's trust, and items are confirmed ones; unlike there, models behind HTTP
// are asked. former, which may be nil, is closed. The caller closes the result. Errors: the index cannot be read or built.
func OpenMessages(ctx context.Context, ss *store.Stores, former *Messages) (*Messages, error) {
	defer former.Close()
	b := &briefer{ctx: ctx, ss: ss, req: BootstrapRequest{Event: EventPrompt, Hook: true}}
	m := &Messages{b: b, offers: map[string]session.Bullet{}}
	if err := b.mode(); err != nil || b.res.Mode == ModeOff {
		return m, err
	}
	if b.reader = contents.NewView(ctx, ss, contents.Hook); b.reader.Off {
		return m, b.reader.Failed
	}
	b.gather()
	for _, o := range b.choice().Offers() {
		m.offers[o.Scope+" "+o.Key] = o.Bullet
	}
	var err error
	opt := RecallOptions{Guarded: true, Network: true, reader: b.reader}
	if former != nil && former.r != nil {
		opt.former = former.r.lib
	}
	m.r, err = OpenRecall(ctx, ss, opt)
	return m, err
}

// Close ends the use of the index.
func (m *Messages) Close() error {
	if m == nil || m.r == nil {
		return nil
	}
	return m.r.Close()
}

// Served reports whether a hook has handed memory to the session. Errors: the local state cannot
// be read.
func (m *Messages) Served(id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	records, err := localstate.SessionRecords(m.b.ss, id)
	for _, rec := range records {
		if len(rec.Given) > 0 {
			return true, err
		}
	}
	return false, err
}

// Find finds what fits a message, as many hits as memctl.recall.count says. Turns and the
// summary are those of the conversation.
// Errors: the index cannot be read.
func (m *Messages) Find(ctx context.Context, req MessageRequest) (res MessageResult, err error) {
	if m.r == nil {
		return res, nil
	}
	res.Summary = m.r.summary(req.Conversation)
	m.b.req.Session = req.Session
	res.Memories, err = m.fitting(ctx, req)
	return res, err
}

// summary is the text of the conversation's own summary.
func (r *Recaller) summary(conversation string) string {
	for _, st := range r.searched {
		e := entry.Entry{Role: entry.RoleSummary, Conversation: conversation}
		doc := index.Doc{Scope: st.Scope, Source: e.Path()}
		src, err := contents.EntryBytes(st, doc.Source)
		if src == nil || err != nil {
			continue
		}
		if found := r.entry(&doc); found != nil && found.Conversation == conversation {
			return session.Defuse(found.Text)
		}
	}
	return ""
}

// fitting returns the hits that the session does not have yet.
func (m *Messages) fitting(ctx context.Context, req MessageRequest) (list []string, err error) {
	r, told := m.r, m.b.handedOver()
	q, err := r.query(RecallRequest{Query: req.Text})
	if err != nil {
		return nil, err
	}
	q.Prompt = true
	q.TurnsOf = req.Conversation // most turns are of others, and would take the places of those that may fit
	q.Keep = func(d *index.Doc) bool {
		return m.mayFit(d, req) && r.isCurrent(ctx, d) && r.mayFitMessage(d, req) && !told[localstate.TextDigest(d.Text)]
	}
	bounded, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	hits, _, err := r.search(bounded, q)
	for _, h := range hits {
		if h.Weak {
			break // so are those that follow
		}
		v := r.view(ctx, h)
		role := v.Role
		if role == "" {
			role = h.Tier.String()
		}
		list = append(list, "["+role+"] "+shortened(v.Text))
	}
	return list, err
}

// mayFit reports whether a memory may be handed out with a message, as far as the index tells.
func (m *Messages) mayFit(d *index.Doc, req MessageRequest) bool {
	if d.Tier == index.TierItem {
		if _, ok := m.offers[d.Scope+" "+d.ID]; !ok {
			return false
		}
	}
	return req.Has == nil || !req.Has(d.Text)
}

// mayFitMessage is mayFit for what only the memory itself tells.
func (r *Recaller) mayFitMessage(d *index.Doc, req MessageRequest) bool {
	e := r.checked[index.Source{Scope: d.Scope, Path: d.Source}]
	switch {
	case d.Tier == index.TierSummary:
		return e != nil && e.NotesMonth() != "" // the conversation's own is handed out whole
	case e == nil: // an item or a Markdown file
		return true
	}
	return e.Tier() != entry.Turn || e.Conversation == req.Conversation
}

// shortened is the text on one line, cut where it is long.
func shortened(text string) string {
	text = onOneLine(text)
	if utf8.RuneCountInString(text) <= maxMessageLine {
		return text
	}
	return string([]rune(text)[:maxMessageLine]) + "…"
}

func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Profile is the Active Profile as a session without hooks is given it; "" where it has no item or
// the person wants none.
func (m *Messages) Profile() string {
	p := m.b.choice().Profile(m.b.on)
	if len(p.Bullets) == 0 {
		return ""
	}
	return session.Heading + "\n\n" + strings.TrimRight(p.Text, "\n")
}

const (
	// sourceCompact is the source of a start whose session has lost its conversation.
	sourceCompact = "compact"
	// sessionPrefix begins the conversation of a session's rolling summary.
	sessionPrefix = "session-"
	// maxSummaries is how many rolling summaries are read to find the newest.
	maxSummaries = 200
)

// SessionConversation is the conversation of a session's rolling summary.
func SessionConversation(session string) string { return sessionPrefix + session }

// summary is the rolling summary that the session starts with: its own where its conversation is
// gone, and in the mode full, or where it has none of its own, the newest of this repository.
func (b *briefer) summary() session.Part {
	p := session.Part{Name: session.PartSummary, Heading: "Summary of this session so far"}
	gone := b.req.Source == sourceCompact || b.req.Source == sourceResume && session.ClientOf(b.req.Agent).History == session.HistoryDropped
	if !gone && b.res.Mode != ModeFull || b.res.Mode == ModeOff {
		return p
	}
	st, err := b.ss.Get(b.ctx, memory.SaidScope(b.ss, false))
	if err != nil {
		return p
	}
	var e *contents.Entry
	if gone && b.req.Session != "" {
		own := entry.Entry{Role: entry.RoleSummary, Conversation: SessionConversation(b.req.Session)}
		e = b.newestOf(st, []string{own.Path()})
	}
	if e == nil && b.res.Mode == ModeFull {
		p.Heading = "Summary of the last session"
		e = b.newestOf(st, summaryFiles(b, st))
	}
	if e == nil {
		return p
	}
	if !e.IsStated() {
		p.Heading += " (agent)"
	}
	for line := range strings.Lines(e.Text) {
		if line = strings.TrimSpace(session.Defuse(strings.TrimSpace(line))); line != "" {
			p.Units = append(p.Units, "- "+strings.TrimPrefix(line, "- ")+"\n")
		}
	}
	return p
}

// summaryFiles lists the files of rolling summaries.
func summaryFiles(b *briefer, st *store.Store) []string {
	files, err := contents.EntryFiles(b.ctx, st)
	b.warn(err)
	files = slices.DeleteFunc(files, func(name string) bool {
		path, _ := entry.ParsePath(name)
		return path.Deleted || path.Tier != entry.Summary || !strings.HasPrefix(path.Conversation, sessionPrefix)
	})
	return files[:min(len(files), maxSummaries)]
}

// newestOf reads entries and returns the newest that agents may have; nil where there is none.
func (b *briefer) newestOf(st *store.Store, files []string) (newest *contents.Entry) {
	list, err := b.reader.ReadEntries(st.Scope, files, nil)
	b.warn(err)
	for i := range list {
		if e := &list[i]; err == nil && e.Reasons() == 0 && (newest == nil || newest.Time().Before(e.Time())) {
			newest = e
		}
	}
	return newest
}
