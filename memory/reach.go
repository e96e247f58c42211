package memory

import (
	"context"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
)

// reach says why an item that was just written or confirmed is not handed to the sessions
// of this folder, and what changes that; nothing where it is handed out, or where its own
// fields say so, as paths do.
func reach(ctx context.Context, ss *store.Stores, o Options, key, scope string) []string {
	if !memfile.KeyForm(key) {
		return nil
	}
	memories, err := contents.Readable(ctx, ss, "")
	if err == nil {
		memories, err = bindings(ctx, ss, false).memories(memories)
	}
	if err != nil {
		return nil // the write itself is done
	}
	if mine, err := ss.Setting(ctx, store.Enabled); err == nil && !mine.On() {
		off, command := SwitchedOff(mine)
		return []string{"no session is handed it: " + off + "; `" + command + "`"}
	}
	on := handedOut(ctx, ss, false)
	p := session.Build(memories, on)
	why := ""
	for _, l := range p.LeftOut {
		if l.Key == key && l.Scope == scope {
			why = l.Why
		}
	}
	switch why {
	case "":
		if scope == store.Project && ss.Repo() != nil && !ss.Alone() && !ss.Trusted(ctx) {
			return []string{"agents' hooks are handed nothing of this project, because you have not said that you trust it: `memctl trust`"}
		}
	case session.WhyLow, session.WhyUnconfirmed:
		return []string{waitsNote(key, scope)}
	case session.WhyCap:
		return []string{"the profile has no room for it, so sessions are told its key alone; `memctl profile --all` lists the others"}
	case session.WhyDisabled:
		return []string{"no session is handed it while memory is disabled: `memctl enable" + ScopeFlag(scope) + "`"}
	case session.WhyWithheld:
		return []string{"it is withheld from agents: `memctl show " + key + "` says by which rule"}
	case session.WhyShadowed, session.WhyOutranked:
		return appliesInstead(memories, on, o, key, scope)
	}
	return nil
}

// waitsNote says that an item or a fact waits for confirmation.
func waitsNote(name, scope string) string {
	return "it waits for confirmation, and no session is handed it until a person runs `memctl confirm " + name + ScopeFlag(scope) + "`"
}

// appliesInstead names the item of another scope that sessions here are handed in place
// of the one that was written. A person who named the scope knows.
func appliesInstead(memories []*contents.Memory, on session.Conditions, o Options, key, scope string) []string {
	if o.explicit() && o.Scope != "" {
		return nil
	}
	for _, offer := range session.Offered(memories, on) {
		switch {
		case offer.Item.Key != key || offer.Scope == scope:
		case o.explicit():
			return []string{"scope " + offer.Scope + " has this key too, and its value applies here; `memctl forget " + key + " --scope " + offer.Scope + "` takes it out there"}
		case offer.Item.Stated():
			return []string{"a person's value of this key in scope " + offer.Scope + " applies here, so no session is handed this one; a person chooses with `memctl review`"}
		}
	}
	return nil
}

// LeftOutText names the items that no session is handed, by reason.
func LeftOutText(list []LeftOut) string {
	var out []session.LeftOut
	for _, l := range list {
		out = append(out, session.LeftOut{Key: l.Key, Scope: l.Scope, Why: l.Why})
	}
	return strings.TrimSpace(session.LeftOutText(out))
}
