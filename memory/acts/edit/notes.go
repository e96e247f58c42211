package edit

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// noteTable has the notes on what a write leaves behind, the most important first: a person's answer has one of them. A word
// in braces is filled in.
var noteTable = [...]struct{ code, text string }{
	{"memory-disabled", "no session receives it: {why}; `{command}`"},
	{"scope-disabled", "no session receives it while memory is disabled: `memctl config enabled on --scope {scope}`"},
	{"untrusted", "hooks give agents nothing from this project, because you have not trusted it: `memctl trust`"},
	{"withheld", "it is withheld from agents: `memctl show {key}` says by which rule"},
	{"unconfirmed", "it waits for confirmation: no session receives it until a person runs `memctl confirm {key}{flag}`"},
	{"persons-value-applies", "a person's value of this key in scope {other} applies here, so no session receives this one; a person can choose with `memctl review`"},
	{"stated-item", "a person stated this item, so only a person can change its {kept}{command}"},
	{"profile-full", "the profile has no room for its value, so sessions receive only its key; `memctl profile --all` lists the others"},
	{"takes-room", "sessions no longer have room for {others}, because this item ranks higher; `memctl profile --all` lists all items without room"},
	{"in-file", "{place}, has the same words"},
	{"already-stored", "it is remembered already, as {known}"},
	{"agents-may-have-it", "your agents on this machine get it (undo: memctl trust off --item {key})"},
	{"nearly-same-key", "the key is nearly the same as {other}"},
	{"says-the-same", "this says the same as {other}"},
	{"reads-as", "agents read it as: {text}"},
	{"exact-glob", "matches exactly `{glob}`; to match arguments too: --command {wider}"},
	{"root-glob", "matches `{glob}` in the root folder only; to match it everywhere: --path {wider}"},
	{"temporary", "it sounds temporary{lowered}; use --expires DAY to let it expire{raise}"},
	{"queued", "it {waits} in the queue, without a change to your files: the first memctl write after {end} commits it"},
}

// noteOn returns the note of the table with that code; the pairs are the words in braces and what takes their place.
func noteOn(code string, pairs ...string) []fault.Note {
	text := noteTable[rankOf(code)].text
	return []fault.Note{fault.NewNote(code, strings.NewReplacer(pairs...).Replace(text))}
}

// rankOf is the place of a code in the table, -1 for that of another package.
func rankOf(code string) int {
	return slices.IndexFunc(noteTable[:], func(row struct{ code, text string }) bool { return row.code == code })
}

// keepImportant keeps of the notes for a person the most important one. One that is not of the table goes before.
func (req Request) keepImportant(notes []fault.Note) []fault.Note {
	if !req.Explicit() || len(notes) < 2 {
		return notes
	}
	return []fault.Note{slices.MinFunc(notes, func(a, b fault.Note) int { return cmp.Compare(rankOf(a.Code), rankOf(b.Code)) })}
}

// withNotes adds to the answer to an add what follows from it for sessions, and what the person may not have meant.
func (c *candidate) withNotes(w memory.Write, out txn.Outcome) memory.Write {
	var notes []fault.Note
	key := c.Key
	if !c.isItem() {
		key = keyPrefixFor(c.e)
	}
	if c.corrected.Kind == memfile.Null { // else sessions get both values, as the announcement says
		notes = whyNotReceived(c.ctx, c.ss, c.Options, key, c.st.Scope)
	}
	if shown, text := session.Defuse(c.Value.Plain()), c.Value.Plain(); !slices.Equal(strings.Fields(shown), strings.Fields(text)) {
		notes = append(notes, noteOn("reads-as", "{text}", shown)...)
	}
	notes = append(notes, c.globNotes()...)
	if out.Changed && c.Role == entry.RoleFact && unconfirmed(c.stored) {
		notes = append(notes, noteOn("unconfirmed", "{key}", w.Key, "{flag}", memory.ScopeFlag(c.st.Scope))...)
	}
	if c.isItem() && c.Explicit() && out.Changed && !c.known {
		notes = append(notes, c.nameRepeated(&w, out)...)
	}
	if c.kept != "" {
		command := addCommand(c.Key, c.Value, c.Asked()+c.flags())
		if command != "" {
			command = ", as with `" + command + "`"
		}
		notes = append(notes, noteOn("stated-item", "{kept}", c.kept, "{command}", command)...)
	}
	if out.Changed {
		notes = append(notes, c.temporaryNotes()...)
		if place := contextfile.SaysSo(c.ctx, c.ss, c.value().Plain()); place != "" {
			notes = append(notes, noteOn("in-file", "{place}", place)...)
		}
	}
	w.Notes = append(w.Notes, c.keepImportant(notes)...)
	return w
}

// nameRepeated names the known item that a person's new one probably repeats; the answer gets the command that makes one item
// of the two.
func (c *candidate) nameRepeated(w *memory.Write, out txn.Outcome) []fault.Note {
	known, err := c.repeats()
	if known == nil || err != nil {
		return nil // the write itself is done
	}
	code := map[string]string{similarByKey: "nearly-same-key", similarByValue: "says-the-same"}[known.By]
	w.Similar = &known.Similar
	command := addCommand(known.Key, c.Value, strings.TrimLeft(memory.ScopeFlag(known.Scope)+" ", " ")+c.flags())
	if out.Why != txn.WhyDryRun && command != "" && sameValue(known.value, c.Value) { // else the command would replace another rule
		w.Hints = []string{memory.UndoCommand(out, "forget", w.Key) + " && " + command}
	}
	return noteOn(code, "{other}", known.shown(c.st.Scope))
}

// whyNotReceived says why an item that was just written or confirmed is not handed to the sessions
// of this folder, and what changes that; nothing where it is handed out, or where its own
// fields say so, as paths do.
func whyNotReceived(ctx context.Context, ss *store.Stores, o memory.Options, key, scope string) []fault.Note {
	memories, err := contents.NewView(ctx, ss, contents.Person).Memories("")
	if err != nil || !memfile.KeyForm(key) {
		return nil
	}
	if mine, err := ss.Setting(ctx, store.Enabled); err == nil && !mine.Bool() {
		off, command := view.SwitchedOff(mine)
		return noteOn("memory-disabled", "{why}", off, "{command}", command)
	}
	on := memory.HandedOut(ctx, ss, false)
	choice := session.Choose(memories, on)
	profile := choice.Profile(on)
	why, code, other, full := "", "", "", false
	for _, l := range profile.LeftOut {
		full = full || l.Why == session.WhyCap
		if l.Key == key && l.Scope == scope {
			why = l.Why
		}
	}
	switch why {
	case "":
		if scope == store.Project && ss.Repo() != nil && !ss.IsSingleStore() && !ss.Trusted(ctx) {
			code = "untrusted"
		} else if full {
			if others := choice.Displaced(profile, scope, key, on); len(others) > 0 {
				return noteOn("takes-room", "{others}", policy.Inert(strings.Join(others, ", ")))
			}
		}
	case session.WhyLow, session.WhyUnconfirmed:
		code = "unconfirmed"
	case session.WhyCap:
		code = "profile-full"
	case session.WhyDisabled:
		code = "scope-disabled"
	case session.WhyWithheld:
		code = "withheld"
	case session.WhyShadowed, session.WhyOutranked:
		code, other = appliesInstead(choice, o, key, scope)
	}
	if code == "" {
		return nil
	}
	return noteOn(code, "{key}", key, "{scope}", scope, "{flag}", memory.ScopeFlag(scope), "{other}", other)
}

// appliesInstead returns the note on a person's item of another scope that sessions here are handed in place of what an agent
// wrote, and that scope.
func appliesInstead(choice *session.Choice, o memory.Options, key, scope string) (code, other string) {
	for _, offer := range choice.Offers() {
		if offer.Item.Key == key && offer.Scope != scope && !o.Explicit() && offer.Item.IsStated() {
			return "persons-value-applies", offer.Scope
		}
	}
	return "", ""
}

// queued says what a queued write waits for: the end of a git command or of the person's operation, or the memory file.
func queued(st *store.Store, why string) []fault.Note {
	end := map[string]string{store.WhyAbsent: "the file is back", store.WhyOperation: "you finish or abort the operation"}[why]
	if end == "" && gitops.HandsOff(why) {
		end = "that git command ends"
	}
	if end == "" {
		return nil
	}
	return noteOn("queued", "{waits}", st.Stores.Said("waits", "would wait"), "{end}", end)
}

// globNotes names the globs that match less than they seem to, with the wider ones.
func (req Request) globNotes() (notes []fault.Note) {
	for _, glob := range req.Commands {
		if glob = strings.Join(strings.Fields(glob), " "); glob != "" && !strings.ContainsAny(glob, "*?") {
			notes = append(notes, noteOn("exact-glob", "{glob}", glob, "{wider}", pasteable(glob+"*", "GLOB"))...)
		}
	}
	for _, glob := range req.Paths {
		name := strings.TrimPrefix(path.Clean("/"+glob), "/")
		if strings.HasPrefix(name, "*") && strings.Contains(name, ".") && !strings.ContainsAny(name, "/") {
			notes = append(notes, noteOn("root-glob", "{glob}", name, "{wider}", pasteable("**/"+name, "GLOB"))...)
		}
	}
	return notes
}

// temporaryNotes tells a person who could not be asked that their own words sound temporary.
func (req Request) temporaryNotes() []fault.Note {
	switch {
	case !req.Temporary():
		return nil
	case req.Confidence == "":
		return noteOn("temporary", "{lowered}", ", so its confidence is medium", "{raise}", ", or --confidence high to raise the confidence")
	}
	return noteOn("temporary", "{lowered}", "", "{raise}", "")
}
