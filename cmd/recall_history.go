package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// pastSessions are those that agents keep on this machine. root is the folder of the project: Gemini
// CLI records a digest of a session's folder, which only the folder explains.
func (s *session) pastSessions(root string) history.Machine {
	var files []string
	for _, f := range agents.Transcripts(s.machine()) {
		files = append(files, f.Path)
	}
	return history.Machine{Files: files, About: func(path string) (transcript.Session, error) { return agents.SessionOf(path, root) }}
}

// historyOptions are the past sessions that the caller may search.
func (s *session) historyOptions(all bool) briefing.HistoryOptions {
	return briefing.HistoryOptions{Machine: s.pastSessions(s.stores.Root()), Agent: !s.Explicit(), All: all, Open: s.openIn}
}

// recallHistory searches past sessions.
func (s *session) recallHistory(o *recallOptions, query string) error {
	if o.all {
		if err := onlyPerson(s.Options, "recall --history --all", "memctl recall --history --all QUERY"); err != nil {
			return err
		}
	}
	setPace(steadyHeap)
	opt := s.historyOptions(o.all)
	progress := s.progress("indexing", "sessions")
	opt.Progress = progress.Step
	res, err := briefing.History(s.ctx, s.stores, opt, briefing.HistoryRequest{Query: query, K: o.req.K, Since: o.req.Since})
	progress.End()
	return present(s, res, err, func(res briefing.HistoryResult) error {
		s.warnings(res.Warnings)
		if len(res.Hits) == 0 {
			since := ""
			if o.req.Since != "" {
				since = " since " + inert(o.req.Since)
			}
			s.note("no-match-in-sessions", "nothing matches in past sessions"+since)
			if !o.all && s.Explicit() {
				s.hint(s.commandWith("--all"))
			}
			return nil
		}
		return s.printTurns(res.Hits)
	})
}

// printTurns prints messages of past sessions.
func (s *session) printTurns(hits []briefing.HistoryHit) error {
	var b strings.Builder
	for _, h := range hits {
		var t term.Table
		t.Cells(term.Cell{Text: inert(h.ID), Style: term.Faint}, term.Cell{Text: historyLine(h)})
		b.WriteString(t.Text(s.streams.OutColour))
	}
	return s.printLong(b.String())
}

// historyLine is a hit as one line: the session, who said it and what.
func historyLine(h briefing.HistoryHit) string {
	when := h.Time
	if t, err := time.Parse(time.RFC3339, h.Time); err == nil {
		when = t.Format("2006-01-02 15:04")
	}
	who := cmp.Or(h.Agent, h.Role)
	if h.Role == "user" {
		who = "you"
	}
	of := "session " + short(inert(h.Session))
	if h.Folder != "" {
		of += " in " + inert(h.Folder)
	}
	return fmt.Sprintf("%s (%s)  %s: %s", strings.TrimSpace(inert(h.Agent)+" "+inert(when)), of, who, policy.Cut(inert(h.Text), 300))
}

// fromHistory takes the text of an entry, unless there is one, and its source from a hit of recall --history.
func (s *session) fromHistory(req *edit.Request, id string, text *string) error {
	hit, err := briefing.HistoryTurn(s.ctx, s.stores, s.historyOptions(s.Explicit()), id)
	if err != nil {
		return err
	}
	*text = cmp.Or(*text, hit.Text)
	req.Source, req.Session = cmp.Or(req.Source, hit.Source()), cmp.Or(req.Session, hit.Session)
	return nil
}

// guess is a possible answer to a question, by a model; "" without one, which it says.
func (s *session) guess(question string) string {
	text, err := extraction.Guess(s.ctx, s.stores, question)
	if err != nil {
		s.noteWithoutModel("recall searches for the words of the query only", err)
	}
	return text
}
