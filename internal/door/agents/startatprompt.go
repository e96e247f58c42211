package agents

import (
	"slices"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memory/reading/briefing"
)

// EventSessionOpened is the start of a session whose briefing comes with a prompt. It is
// recorded and answered with nothing.
const EventSessionOpened = "SessionOpened"

// sourceCompact is the source of a SessionStart after a compaction.
const sourceCompact = "compact"

// WithStart turns a prompt into the start of the session if the briefing is due: at the
// first prompt after the session began or was resumed, or after a compaction. Any other
// call stays as it is.
func (c Call) WithStart(ss *store.Stores) Call {
	if c.Event == EventSessionOpened && c.Session == "" {
		c.Event = briefing.EventSessionStart // a person tries it out
	}
	if c.Agent.lost == nil || c.Event != briefing.EventPrompt || c.Session == "" {
		return c
	}
	records, err := localstate.SessionRecords(ss, c.Session)
	if err != nil {
		return c
	}
	records = slices.DeleteFunc(records, func(rec localstate.SessionRecord) bool { return rec.Agent != c.Agent.Name() })
	var briefed *localstate.SessionRecord
	due := localstate.SourceStartup
	for i, rec := range records {
		switch {
		case rec.Event == briefing.EventSessionStart:
			briefed, due = &records[i], ""
		case rec.Event == EventSessionOpened && (briefed == nil || rec.Source != localstate.SourceStartup):
			due = rec.Source // a startup that is recorded late, after the first prompt, is no second one
		}
	}
	switch {
	case briefed == nil:
	case due == "" && c.Turn != "" && briefed.Turn == c.turnDigest():
		due = briefed.Source // the hook in another settings file has just answered this prompt
	case len(briefed.Given) > 0 && c.Agent.lost(c.Transcript):
		due = sourceCompact
	}
	if due != "" {
		c.Event, c.Source = briefing.EventSessionStart, due
	}
	return c
}
