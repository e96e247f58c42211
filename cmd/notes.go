package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/store/localstate"
)

func runNotes(s *session, when string) error {
	result, err := view.Notes(s.ctx, s.stores, s.Scope, when)
	return present(s, result, err, func(r view.NotesResult) error {
		s.otherNotes(r)
		return s.printLong(notesText(r, s.streams.OutColour))
	})
}

// otherNotes says that there are no notes of the days, or that compact has put them
// elsewhere.
func (s *session) otherNotes(r view.NotesResult) {
	days := "on " + r.From
	if r.From != r.To {
		days = "from " + r.From + " to " + r.To
	}
	switch {
	case len(r.Folded) > 0:
		s.talk("note: the notes " + days + " are in the summary of their month")
		for _, name := range r.Folded {
			s.hint("memctl summary --conversation " + shell.Quote(name))
		}
	case len(r.Notes)+len(r.Days) == 0:
		s.talk("note: no notes " + days)
		s.hint(`memctl note "what was done, tried or decided"`)
	}
}

// notesText is the journal: a heading for each day, its notes with their times, and the note
// that memctl made of it.
func notesText(r view.NotesResult, colour bool) string {
	byDay := map[string]string{}
	for _, v := range r.Notes {
		stamp, _ := entry.ParseTime(v.Created)
		lines := strings.Split(v.Text, "\n")
		v.Text = lines[0]
		text := "  " + stamp.Format("15:04") + "  " + term.Faint.Paint(colour, short(inert(v.ID))) + "  " + recordText(v, inert) + recordFacts(v) + "\n"
		for _, line := range lines[1:] {
			text += "                   " + inert(line) + "\n"
		}
		byDay[stamp.Format(time.DateOnly)] += text
	}
	for _, d := range r.Days {
		byDay[d.Day] += dayText(d, colour)
	}
	var parts []string
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		parts = append(parts, term.Strong.Paint(colour, day)+"\n"+byDay[day])
	}
	return strings.Join(parts, "\n")
}

// shownOfDay is how many of each a day's note shows. With --json there are all.
const shownOfDay = 8

// dayText is the note that memctl made of a day.
func dayText(d localstate.DayNote, colour bool) string {
	t := term.Table{Indent: "    "}
	row := func(name string, texts []string) {
		if more := len(texts) - shownOfDay; more > 0 {
			texts = append(texts[:shownOfDay:shownOfDay], fmt.Sprintf("and %d more", more))
		}
		if len(texts) > 0 {
			t.Row(name, inert(strings.Join(texts, ", ")))
		}
	}
	row("files", d.Files)
	row("commands", commandRuns(d.Commands))
	row("commits", d.Commits)
	for i, e := range d.Errors[:min(len(d.Errors), shownOfDay)] {
		t.Row([]string{"errors", ""}[min(i, 1)], commandEnd(e))
	}
	var b strings.Builder
	b.WriteString("  " + term.Faint.Paint(colour, "made by memctl from this worktree's sessions, not in git") + "\n")
	_ = t.Write(&b, colour)
	return b.String()
}

// commandRuns lists commands with how often each ran and failed.
func commandRuns(runs []localstate.CommandRun) []string {
	var list []string
	for _, c := range runs {
		text := fmt.Sprintf("%s %d", inert(c.Command), c.Runs)
		if c.Fails > 0 {
			text += fmt.Sprintf(" (%d failed)", c.Fails)
		}
		list = append(list, text)
	}
	return list
}

// commandEnd says how often a command line failed, and which one passed then.
func commandEnd(e localstate.CommandEnd) string {
	text := inert(e.Command) + " failed"
	if e.Fails > 1 {
		text += " " + count(e.Fails, "time")
	}
	if e.EndedBy == e.Command {
		return text + ", then passed"
	}
	if e.EndedBy != "" {
		text += ", then this passed: " + inert(e.EndedBy)
	}
	return text
}
