package briefing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/recall/cache"
	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/localstate"
)

// maxMessageLine is how many characters of one memory a message gets: a turn may be long.
const maxMessageLine = 600

// Preamble stands in everything that a hook hands to a session at its start.
const Preamble = session.Preamble

// maxQuestion is how many telling words a message has that is answered like a question to recall. Of
// a longer one, most words have nothing to do with a memory that fits, so the memory must have more of
// them.
const maxQuestion = 8

// MessageRequest asks what fits one message of a person to a model.
type MessageRequest struct {
	Conversation string // whose summary, turns and unconfirmed facts may be handed out
	Session      string // the client's id of the session, "" for none: what its hooks handed out is left out
	Text         string
	// Has reports whether the session has a text anyway, such as an earlier message; nil for none.
	Has func(text string) bool
}

// MessageResult is what fits the message.
type MessageResult struct {
	Summary  string                    // of the conversation; "" for none
	Memories []localstate.HandedMemory // the best first
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
// are asked. The caller closes it. Errors: the index cannot be read or built.
func OpenMessages(ctx context.Context, ss *store.Stores) (*Messages, error) {
	return openMessages(ctx, ss, nil)
}

// Another returns a function that opens memory for another goroutine, on the same index. Another must be
// called before m is closed, and the function once, at any time.
func (m *Messages) Another() func(context.Context, *store.Stores) (*Messages, error) {
	if m.r == nil {
		return OpenMessages
	}
	index := m.r.lib.Share()
	return func(ctx context.Context, ss *store.Stores) (*Messages, error) {
		another, err := openMessages(ctx, ss, index)
		if another.r == nil {
			err = errors.Join(err, index.Close())
		}
		return another, err
	}
}

func openMessages(ctx context.Context, ss *store.Stores, shared *cache.Library) (*Messages, error) {
	b := &briefer{ctx: ctx, ss: ss, req: BootstrapRequest{Event: EventPrompt, Hook: true}}
	m := &Messages{b: b, offers: map[string]session.Bullet{}}
	if err := b.mode(); err != nil || b.res.Mode == ModeOff {
		return m, err
	}
	var err error
	if b.reader, err = contents.NewView(ctx, ss, true); err != nil || b.reader.Off {
		return m, err
	}
	b.gather()
	for _, o := range session.Offered(b.memories, b.on) {
		m.offers[o.Scope+" "+o.Key] = o.Bullet
	}
	m.r, err = OpenRecall(ctx, ss, RecallOptions{Agent: true, Guarded: true, Network: true, index: shared, reader: b.reader})
	return m, err
}

// Close ends the use of the index.
func (m *Messages) Close() error {
	if m.r == nil {
		return nil
	}
	return m.r.Close()
}

// Handed returns what a proxy added to a session before, as far as memory still has it: texts that
// were forgotten or changed meanwhile, here or by a sync or merge, are left out. profile is the
// Active Profile as it is now; if the session's own has a bullet that this lacks, the session begins
// anew. Errors: the local state cannot be read.
func (m *Messages) Handed(ctx context.Context, session, conversation, profile string) ([]localstate.Handed, error) {
	if m.r == nil {
		return nil, nil
	}
	list, err := localstate.HandedTo(m.b.ss, session)
	if err != nil || len(list) == 0 || !hasBullets(profile, list[0].Text) {
		return nil, err
	}
	summary := m.r.summary(ctx, conversation)
	for i := range list {
		h := &list[i]
		lost := func(l localstate.HandedMemory) bool { return !m.r.exists(ctx, l) }
		if h.Summary != "" && h.Summary != summary || slices.ContainsFunc(h.Memories, lost) {
			h.Text, h.Summary, h.Memories = "", "", nil
		}
	}
	return list, nil
}

// hasBullets reports whether a profile has all bullets of an earlier one.
func hasBullets(profile, earlier string) bool {
	has := map[string]bool{}
	for line := range strings.Lines(profile + "\n") {
		has[line] = true
	}
	for line := range strings.Lines(earlier + "\n") {
		if strings.HasPrefix(line, "- ") && !has[line] {
			return false
		}
	}
	return true
}

// exists reports whether memory still has what a message got, and agents may have it.
func (r *Recaller) exists(ctx context.Context, l localstate.HandedMemory) bool {
	st, d := r.stores[l.Scope], index.Doc{Scope: l.Scope, Source: l.Source, ID: l.ID}
	if st == nil {
		return false
	}
	switch _, isEntry := entry.ParsePath(l.Source); {
	case isEntry:
		e := r.entry(&d)
		if e == nil {
			return false
		}
		d.Text = e.Text
	case l.Source == memfile.FileName:
		if !r.keepItem(&d) {
			return false
		}
	default:
		src, err := contents.EntryBytes(st, l.Source)
		if err != nil || !r.reader.Vouched(l.Scope, l.Source) {
			return false
		}
		d.Text = r.withoutForgotten(ctx, string(src))
	}
	_, text, _ := strings.Cut(l.Line, "] ")
	return strings.Contains(onOneLine(session.Defuse(d.Text)), strings.TrimSuffix(text, "…"))
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

// Find finds what fits a message, as many hits as memctl.recall.count says. Facts of other
// conversations are confirmed ones; turns and the summary are those of the conversation.
// Errors: the index cannot be read.
func (m *Messages) Find(ctx context.Context, req MessageRequest) (res MessageResult, err error) {
	if m.r == nil {
		return res, nil
	}
	res.Summary = m.r.summary(ctx, req.Conversation)
	if req.Text = telling(req.Text); req.Text == "" {
		return res, nil
	}
	m.b.req.Session = req.Session
	res.Memories, err = m.fitting(ctx, req)
	return res, err
}

// summary is the text of the conversation's own summary.
func (r *Recaller) summary(ctx context.Context, conversation string) string {
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
func (m *Messages) fitting(ctx context.Context, req MessageRequest) (list []localstate.HandedMemory, err error) {
	r, told, also := m.r, m.b.told(), map[sameHit][]string{}
	q, err := r.query(ctx, RecallRequest{Query: req.Text})
	if err != nil {
		return nil, err
	}
	if len(strings.Fields(req.Text)) > maxQuestion {
		q.Least = leastPrompt
	}
	q.TurnsOf = req.Conversation // most turns are of others, and would take the places of those that may fit
	q.Keep = func(d *index.Doc) bool {
		return m.mayFit(d, req) && r.keep(ctx, d) && firstOf(also, d) && r.isForMessage(d, req) && !told[localstate.TextDigest(d.Text)]
	}
	bounded, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	hits, _, err := r.search(bounded, q)
	for _, h := range hits {
		v := r.view(h)
		role := v.Role
		if role == "" {
			role = h.Tier.String()
		}
		if e := r.checked[index.Source{Scope: h.Scope, Path: h.Source}]; e != nil && e.Tier() == entry.Fact && memory.InDoubt(&e.Entry) {
			role += ", unconfirmed"
		}
		list = append(list, localstate.HandedMemory{Line: "[" + role + "] " + shortened(v.Text), Scope: h.Scope, Source: h.Source, ID: h.ID})
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

// isForMessage is mayFit for what only the memory itself tells.
func (r *Recaller) isForMessage(d *index.Doc, req MessageRequest) bool {
	e := r.checked[index.Source{Scope: d.Scope, Path: d.Source}]
	switch {
	case d.Tier == index.TierSummary:
		return e != nil && e.NotesMonth() != "" // the conversation's own is handed out whole
	case e == nil: // an item or a Markdown file
		return true
	case e.Conversation == req.Conversation:
		return true
	}
	return memory.Confirmed(e)
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

// ProfileBlock is the Active Profile as a session without hooks is given it; "" where it has no
// item or the person wants none. Errors: a memory cannot be read.
func ProfileBlock(ctx context.Context, ss *store.Stores) (string, error) {
	if mode, err := ss.Setting(ctx, store.Mode); err != nil || mode.Text == ModeOff {
		return "", err
	}
	p, err := view.Profile(ctx, ss, true)
	if err != nil || len(p.Bullets) == 0 {
		return "", err
	}
	return "# Memory\n\n" + strings.TrimRight(p.Text, "\n"), nil
}
