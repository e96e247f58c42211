package cmd

import (
	"cmp"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/door/agents"
	"github.com/memctl/memctl/internal/recall/history"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/policy"
)

// hitText is a hit's text as one line, with where and when it is from.
func hitText(h briefing.RecallHit) string {
	text := h.Text
	if h.Tier == "summary" {
		text = withoutHeadings(text)
	}
	text = strings.TrimSpace(policy.Cut(inert(text), 300) + " " + h.Status)
	var facts []string
	if h.Weak {
		facts = append(facts, "weak")
	}
	if found := partialMatch(h); found != "" {
		facts = append(facts, found)
	}
	if h.Confidence != "" && h.Confidence != "high" {
		facts = append(facts, inert(h.Confidence))
	}
	if h.Stale {
		facts = append(facts, "stale")
	}
	if h.Tier != "file" && strings.Contains(h.Path, "#") {
		facts = append(facts, inert(h.Path))
	}
	if h.ContradictedBy != "" {
		facts = append(facts, "overridden by "+h.ContradictedBy)
	}
	for _, rival := range h.Conflict {
		facts = append(facts, "conflict: "+policy.Cut(inert(rival.Value.Plain()), 80))
	}
	when, _, _ := strings.Cut(h.Time, "T")
	if at, err := time.Parse(time.RFC3339, h.Time); err == nil && h.Tier == briefing.TierSession {
		when = at.Format("2006-01-02 15:04")
	}
	scope := h.Scope
	switch {
	case h.Tier == briefing.TierSession:
		scope = inert(h.Agent) + ", session " + short(inert(h.Session))
		if h.Folder != "" {
			scope += " in " + inert(h.Folder)
		}
		text = map[bool]string{true: "you", false: inert(cmp.Or(h.Agent, h.Role))}[h.Role == "user"] + ": " + text
	case h.Repository != "":
		scope = inert(h.Repository)
	}
	facts = append(facts, strings.Join(append([]string{scope}, h.AlsoIn...), " and "))
	if when != "" {
		facts = append(facts, when)
	}
	return text + "  (" + strings.Join(facts, ", ") + ")"
}

// withoutHeadings takes the marks off a Markdown text's headings: on one line they
// would stand between words.
func withoutHeadings(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if head := strings.TrimLeft(line, "#"); head != line && strings.HasPrefix(head, " ") {
			line = head[1:] + ":"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// explained lists the words that a hit has and lacks, and the reasons for its rank.
func explained(h briefing.RecallHit) string {
	var b strings.Builder
	for _, words := range []struct {
		what string
		list []string
	}{{"matched", h.Matched}, {"missing", h.Missing}} {
		if len(words.list) > 0 {
			b.WriteString("      " + words.what + ": " + inert(strings.Join(words.list, " ")) + "\n")
		}
	}
	for _, why := range h.Why() {
		b.WriteString("      " + why + "\n")
	}
	return b.String()
}

// partialMatch lists the matched words of a hit that has less than half of the
// question; "" for any other hit, and for one that a model found.
func partialMatch(h briefing.RecallHit) string {
	share, byWords := h.Parts["share"]
	switch {
	case !byWords || h.Parts["vector"] > 0 || share >= 0.5 || len(h.Missing) == 0:
		return ""
	case len(h.Matched) == 0:
		return "no word of the query"
	}
	return `only "` + inert(strings.Join(h.Matched, `", "`)) + `"`
}

// pastSessions are those that agents keep on this machine. root is the folder of the project: Gemini
// CLI records a digest of a session's folder, which only the folder explains.
func (s *session) pastSessions(root string) history.Transcripts {
	var files []string
	for _, f := range agents.Transcripts(s.agentsMachine()) {
		files = append(files, f.Path)
	}
	return history.Transcripts{Files: files, ReadSession: func(path string) (transcript.Session, error) { return agents.SessionOf(path, root) }}
}

// historyOptions are the past sessions that the caller may search.
func (s *session) historyOptions(all bool) briefing.HistoryOptions {
	return briefing.HistoryOptions{Transcripts: s.pastSessions(s.stores.Root()), Agent: !s.Explicit(), All: all, Open: s.openIn}
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
