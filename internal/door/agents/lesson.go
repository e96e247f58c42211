package agents

import (
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/internal/transcript"
)

const (
	// lessonBytes is how much of a transcript's end is searched for a command that passed at last.
	lessonBytes = 128 << 10
	// lessonFails is how often it failed before.
	lessonFails = 2
)

// hasRecovered reports whether a command has passed since the person's last prompt that had failed twice or more, and whether
// it is the first of the session, as far as the end of the transcript shows.
func (c Call) hasRecovered() bool {
	if !filepath.IsAbs(c.Transcript) {
		return false
	}
	found, _ := inTime(func() bool {
		var turns []transcript.Turn
		last := 0
		for t := range readerOf(readTranscript(c.Transcript, lessonBytes)).Turns() {
			switch {
			case t.Session.Subagent:
			case t.By == transcript.Person:
				last = len(turns)
			case t.Call != nil:
				turns = append(turns, t)
			}
		}
		return passedAtLast(turns) && !passedAtLast(turns[:last])
	})
	return found
}

// passedAtLast reports whether one of the calls passed after it had failed.
func passedAtLast(turns []transcript.Turn) bool {
	list := transcript.Summarize(transcript.Calls(slices.Values(turns))).Errors
	return slices.ContainsFunc(list, func(e transcript.Error) bool {
		fails := 0
		for _, f := range e.Failures {
			fails += f.Times
		}
		return e.EndedBy != "" && fails >= lessonFails
	})
}
