package edit

import (
	"context"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// whyNotReceived says why an item that was just written or confirmed is not handed to the sessions
// of this folder, and what changes that; nothing where it is handed out, or where its own
// fields say so, as paths do.
func whyNotReceived(ctx context.Context, ss *store.Stores, o memory.Options, key, scope string) []fault.Note {
	if !memfile.KeyForm(key) {
		return nil
	}
	v := contents.NewView(ctx, ss, contents.Person)
	memories, err := v.Memories("")
	if err != nil {
		return nil
	}
	if mine, err := ss.Setting(ctx, store.Enabled); err == nil && !mine.On() {
		off, command := view.SwitchedOff(mine)
		return []fault.Note{fault.NewNote("memory-disabled", "no session receives it: "+off+"; `"+command+"`")}
	}
	on := memory.HandedOut(ctx, ss, false)
	choice := session.Choose(memories, on)
	why := ""
	for _, l := range choice.Profile(on).LeftOut {
		if l.Key == key && l.Scope == scope {
			why = l.Why
		}
	}
	switch why {
	case "":
		if scope == store.Project && ss.Repo() != nil && !ss.Alone() && !ss.Trusted(ctx) {
			return []fault.Note{fault.NewNote("untrusted", "hooks give agents nothing from this project, because you have not trusted it: `memctl trust`")}
		}
	case session.WhyLow, session.WhyUnconfirmed:
		return []fault.Note{waitsNote(key, scope)}
	case session.WhyCap:
		return []fault.Note{fault.NewNote("profile-full", "the profile has no room for its value, so sessions receive only its key; `memctl profile --all` lists the others")}
	case session.WhyDisabled:
		return []fault.Note{fault.NewNote("scope-disabled", "no session receives it while memory is disabled: `memctl enable"+memory.ScopeFlag(scope)+"`")}
	case session.WhyWithheld:
		return []fault.Note{fault.NewNote("withheld", "it is withheld from agents: `memctl show "+key+"` says by which rule")}
	case session.WhyShadowed, session.WhyOutranked:
		return appliesInstead(choice, o, key, scope)
	}
	return nil
}

// waitsNote says that an item or a fact waits for confirmation.
func waitsNote(name, scope string) fault.Note {
	return fault.NewNote("unconfirmed", "it waits for confirmation: agents find it when they ask, and no session receives it unasked until a person runs `memctl confirm "+name+memory.ScopeFlag(scope)+"`, or an agent concludes it again on another day")
}

// appliesInstead names the item of another scope that sessions here are handed in place
// of the one that was written. A person who named the scope knows.
func appliesInstead(choice *session.Choice, o memory.Options, key, scope string) []fault.Note {
	if o.Explicit() && o.Scope != "" {
		return nil
	}
	for _, offer := range choice.Offers() {
		switch {
		case offer.Item.Key != key || offer.Scope == scope:
		case o.Explicit():
			return []fault.Note{fault.NewNote("other-scope-applies", "scope "+offer.Scope+" has this key too, and that value applies here; `memctl forget "+key+" --scope "+offer.Scope+"` removes it there")}
		case offer.Item.Stated():
			return []fault.Note{fault.NewNote("persons-value-applies", "a person's value of this key in scope "+offer.Scope+" applies here, so no session receives this one; a person can choose with `memctl review`")}
		}
	}
	return nil
}

// elsewhereNotes names the project's memory file on another branch, where a write went to another scope because this branch has
// none, and says why no session receives what was written.
func elsewhereNotes(ctx context.Context, ss *store.Stores, o memory.Options, key, scope string) (notes []fault.Note) {
	if o.Scope == "" && scope != store.Project && !o.Automatic() && ss.Repo() != nil && !strings.HasPrefix(key, memory.UserPrefix) {
		notes = txn.Elsewhere(ctx, ss)
	}
	return append(notes, whyNotReceived(ctx, ss, o, key, scope)...)
}

// placed adds to the end of an answer, such as " (undo: memctl undo)", in which scope of the person's own a write is.
func placed(scope, end string) string {
	where := map[string]string{store.User: "in all your repositories", store.Private: "private to this repository"}[scope]
	switch {
	case where == "":
		return end
	case end == "":
		return " (" + where + ")"
	}
	return " (" + where + "; " + strings.TrimPrefix(end, " (")
}
