package cmd

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// finish prints what an act did, one key an object or a line, and ends with
// status 1 where one was refused. An act that failed half way has said what it
// did before the error.
func (a *app) finish(writes []memory.Write, err error) error {
	refused := false
	for i, w := range writes {
		if i > 0 && !a.global.json && w.Diff != "" && w.Diff == writes[i-1].Diff {
			continue // one preview of all keys
		}
		a.printWrite(w)
		refused = refused || w.Verdict == "refuse"
	}
	switch {
	case err != nil:
		return err
	case refused:
		return statusError(statusRefused)
	}
	return nil
}

// finishOne is finish for an act on one key.
func (a *app) finishOne(w memory.Write, err error) error {
	if err != nil {
		return err
	}
	return a.finish([]memory.Write{w}, nil)
}

func (a *app) printWrite(w memory.Write) error {
	w.Notes = a.withPendingNotes(w.Notes)
	if w.Verdict == "refuse" && len(w.Findings) > 0 {
		w.Hints = a.hintsOf(w.Hints, w.Findings[0].Rule, w.Origin)
	}
	if a.global.json {
		if w.Findings == nil {
			w.Findings = []fault.Finding{}
		}
		return a.printJSON(&w)
	}
	switch w.Verdict {
	case "refuse":
		for _, f := range w.Findings {
			a.errorLine(findingText(w.Key, f))
		}
		a.notes(w.Notes)
	case "hold":
		held := "held: "
		if w.WouldWait {
			held = "would be held: "
		}
		for _, f := range w.Findings {
			a.talk(held + findingText(w.Key, f))
		}
		if len(w.Findings) == 0 {
			a.talk(held + named(w.Key, w.Why))
		}
		a.notes(w.Notes)
	default:
		a.printAccepted(w)
	}
	a.hints(w.Hints)
	return nil
}

// printAccepted prints the diff of a dry run, else the one line that announces
// the change, and what the person should know.
func (a *app) printAccepted(w memory.Write) {
	for _, f := range w.Findings {
		a.note(f.Rule, findingText(w.Key, f))
	}
	switch {
	case w.Diff != "":
		a.printDiff(w.Diff)
	case w.Changed && w.Why == txn.WhyDryRun: // of an agent
		a.print("Would change " + inert(cmp.Or(w.Key, w.Scope)) + "\n")
	case w.Saved != "" && !a.global.quiet:
		a.print(inert(w.Saved) + "\n")
		if near := w.NearLine(); near != "" {
			a.print(inert(near) + "\n")
		}
	}
	if !w.Changed && w.Saved == "" && !slices.ContainsFunc(w.Notes, func(n fault.Note) bool { return n.Code == "already-stored" }) {
		a.note("unchanged", named(w.Key, "nothing changed"))
	}
	a.notes(w.Notes)
}

// committedText is the line about the commit of an act, or why it made none; "" where there is nothing to say.
func committedText(c memory.Committed, done bool) string {
	switch {
	case c.Commit != nil:
		return "committed: " + short(*c.Commit) + "\n"
	case done && c.Why != "":
		return "not committed: " + inert(c.Why) + "\n"
	}
	return ""
}

// withPendingNotes puts the notes about pending writes, which were committed first, before those of the act.
func (a *app) withPendingNotes(notes []fault.Note) []fault.Note {
	notes, a.pendingNotes = slices.Concat(a.pendingNotes, notes), nil
	return notes
}

// notes prints those notes that the command has not printed before, as of another write.
func (a *app) notes(list []fault.Note) {
	for _, note := range list {
		if !slices.Contains(a.noted, note) {
			a.noted = append(a.noted, note)
			a.note(note.Code, note.Text)
		}
	}
}

func (a *app) warnings(list []string) {
	for _, warning := range list {
		a.talk("warning: " + warning)
	}
}

func (a *app) hints(list []string) {
	for _, hint := range list {
		a.hint(hint)
	}
}

// findingText is a finding with what it is about before it.
func findingText(key string, f fault.Finding) string {
	text := f.Message + ruleMark(f.Rule)
	if about := memory.About(f, key); about != "" {
		return about + ": " + text
	}
	return text
}

// named puts the key before a message, quoted, where there is one.
func named(key, message string) string {
	if key == "" {
		return message
	}
	return fault.WithThing(`"`+key+`"`, message)
}

func ruleMark(rule string) string {
	if rule == "" {
		return ""
	}
	return " [" + rule + "]"
}
