package cmd

import (
	"cmp"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// pastSessions are those that agents keep on this machine. root is the folder of the project: Gemini
// CLI records a digest of a session's folder, which only the folder explains.
func (s *session) pastSessions(root string) history.Machine {
	var files []string
	for _, f := range agents.Transcripts(s.agentsMachine()) {
		files = append(files, f.Path)
	}
	return history.Machine{Files: files, About: func(path string) (transcript.Session, error) { return agents.SessionOf(path, root) }}
}

// historyOptions are the past sessions that the caller may search.
func (s *session) historyOptions(all bool) briefing.HistoryOptions {
	return briefing.HistoryOptions{Machine: s.pastSessions(s.stores.Root()), Agent: !s.Explicit(), All: all, Open: s.openIn}
}

// searchesSessions sets the options of a search of past sessions.
func (s *session) searchesSessions(o *recallOptions, opt *briefing.RecallOptions) error {
	if o.all {
		if err := onlyPerson(s.Options, "recall --history --all", "memctl recall --history --all QUERY"); err != nil {
			return err
		}
	}
	past := s.historyOptions(o.all)
	past.Progress, opt.Sessions = opt.Progress, &past
	return nil
}

// fromHistory takes the text of an entry, unless there is one, and its source from a hit of recall --history.
func (s *session) fromHistory(req *edit.Request, id string, text *string) error {
	hit, err := briefing.PastMessage(s.ctx, s.stores, s.historyOptions(s.Explicit()), id)
	if err != nil {
		return err
	}
	*text = cmp.Or(*text, hit.Text)
	req.Source, req.Session = cmp.Or(req.Source, hit.SessionSource()), cmp.Or(req.Session, hit.Session)
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
