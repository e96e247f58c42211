package localstate

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
)

// DayNote is the note that memctl makes of a day: what the transcripts of this worktree's
// sessions say was done.
type DayNote struct {
	Day     string       `json:"day"`
	Files   []string     `json:"files"` // that agents wrote
	Ran     []CommandRun `json:"commands"`
	Commits []string     `json:"commits"` // subjects
	Errors  []CommandEnd `json:"errors"`
}

// CommandRun says how often a command ran, by its program and subcommand.
type CommandRun struct {
	Command string `json:"command"`
	Runs    int    `json:"run_count"`
	Fails   int    `json:"fail_count"`
}

// CommandEnd is a command line that failed, and what ended its failures.
type CommandEnd struct {
	Command string `json:"command"` // as it failed last
	Fails   int    `json:"fail_count"`
	EndedBy string `json:"ended_by,omitempty"` // the command line that passed
}

const (
	daysFile = "days.jsonl"
	// daysKept is how many days a note is kept.
	daysKept = 90
	// What a note holds at most. The first files, commits and errors of the day stay.
	maxDayFiles    = 50
	maxDayCommands = 30
	maxDayCommits  = 50
	maxDayErrors   = 20
)

func days(ss *store.Stores) statedir.Log[DayNote] {
	return statedir.Log[DayNote]{In: ss.SessionsState(), Name: daysFile, Counts: func(n DayNote) bool {
		return n.Day > ss.Now().UTC().AddDate(0, 0, -daysKept).Format(time.DateOnly)
	}}
}

// DayNotes returns the notes of the last 90 days, the oldest first. It skips a damaged line.
// Errors: the local state cannot be read.
func DayNotes(ss *store.Stores) ([]DayNote, error) { return days(ss).Read("") }

// AddToDay adds what sessions did to the note of a day, if they did anything. Errors: the local state cannot be read or
// written, or is held.
func AddToDay(ss *store.Stores, day string, s transcript.Summary) error {
	if len(s.Files)+len(s.Ran) == 0 {
		return nil
	}
	return days(ss).Change(func(list []DayNote) []DayNote {
		i, found := slices.BinarySearchFunc(list, day, func(n DayNote, day string) int { return strings.Compare(n.Day, day) })
		if !found {
			list = slices.Insert(list, i, DayNote{Day: day, Files: []string{}, Ran: []CommandRun{}, Commits: []string{}, Errors: []CommandEnd{}})
		}
		list[i].add(s)
		return list
	})
}

// DropDay removes the note of a day, and reports whether there was one. Errors: the local state cannot be read or written,
// or is held.
func DropDay(ss *store.Stores, day string) (dropped bool, err error) {
	return days(ss).Drop(func(n DayNote) bool { return n.Day == day })
}

// add merges what was done into the note.
func (n *DayNote) add(s transcript.Summary) {
	for _, file := range s.Files {
		if !slices.Contains(n.Files, file) {
			n.Files = append(n.Files, file)
		}
	}
	for _, c := range s.Ran {
		i := slices.IndexFunc(n.Ran, func(r CommandRun) bool { return r.Command == c.Command })
		if i < 0 {
			i, n.Ran = len(n.Ran), append(n.Ran, CommandRun{Command: c.Command})
		}
		n.Ran[i].Runs += c.Runs
		n.Ran[i].Fails += c.Fails
	}
	slices.SortStableFunc(n.Ran, func(a, b CommandRun) int { return b.Runs - a.Runs })
	for _, subject := range s.Commits {
		if subject != "" && !slices.Contains(n.Commits, subject) { // it is there already where the commit was amended
			n.Commits = append(n.Commits, subject)
		}
	}
	for _, e := range s.Errors {
		end := CommandEnd{Command: e.Failures[len(e.Failures)-1].Command, EndedBy: e.EndedBy}
		for _, f := range e.Failures {
			end.Fails += f.Times
		}
		n.Errors = append(n.Errors, end)
	}
	n.Files, n.Ran = n.Files[:min(len(n.Files), maxDayFiles)], n.Ran[:min(len(n.Ran), maxDayCommands)]
	n.Commits, n.Errors = n.Commits[:min(len(n.Commits), maxDayCommits)], n.Errors[:min(len(n.Errors), maxDayErrors)]
}
