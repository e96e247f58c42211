package briefing

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
)

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
	list, err := b.reader.ReadEntries(st.Scope, files)
	b.warn(err)
	for i := range list {
		if e := &list[i]; err == nil && e.Reasons() == 0 && (newest == nil || newest.Time().Before(e.Time())) {
			newest = e
		}
	}
	return newest
}
