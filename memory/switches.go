package memory

import (
	"cmp"
	"context"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/txn"
)

// SwitchedOff says that the person's own switch keeps memory from agents, where it was set,
// and which command changes it there. The file's switch, which `memctl enable` sets, does not
// matter then.
func SwitchedOff(mine settings.Value) (why, command string) {
	why = "memory is switched off by " + mine.Name + " (" + mine.Origin + ")"
	return why, cmp.Or(mine.Change("true"), "memctl config")
}

// enabledFor refuses automatic and relayed writes where memory is switched
// off, by the file or by the person.
func enabledFor(ctx context.Context, ss *store.Stores, scope string, doc *memfile.Document) error {
	mine, err := ss.Setting(ctx, store.Enabled)
	if err != nil {
		return err
	}
	switch {
	case !mine.On():
		why, command := SwitchedOff(mine)
		return refuse(ruleDisabled, why+": only a person's own writes are taken", command)
	case !doc.Settings.Enabled:
		return refuse(ruleDisabled, "memory is disabled: only a person's own writes are taken", "memctl enable"+ScopeFlag(scope))
	}
	return nil
}

// SetSetting sets one of the file's shared switches.
func SetSetting(ctx context.Context, ss *store.Stores, req SettingRequest) (Write, error) {
	act := settingAct(req.Name, req.On)
	w := req.answer(act, req.Name, req.Scope)
	st, err := settingStore(ctx, ss, req.Scope)
	if err != nil {
		return w.refused(err)
	}
	w.Scope = st.Scope
	out, err := update(ctx, st, txn.Write{
		Act: act, Message: req.Message, Origin: req.Origin.Kind, Clean: !req.explicit(), Wait: req.wait(), DryRun: req.DryRun, Create: createsFile(st.Scope),
		Change: func(doc *memfile.Document) error {
			// To switch memory off is all that an agent may pass on: what a person switched
			// off stays so until they say otherwise.
			if !req.explicit() && (req.automatic() || act != "disable") {
				return refuse(ruleExplicitOnly, "only a person switches this", "memctl "+act+ScopeFlag(st.Scope))
			}
			switch req.Name {
			case "enabled":
				doc.Settings.Enabled = req.On
			default:
				doc.Settings.AnnounceWrites = req.On
			}
			return nil
		},
	})
	if err != nil {
		return w.refused(err)
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = settingDone(act) + " in scope " + st.Scope + takeBack(out, oppositeSwitch(act)+ScopeFlag(st.Scope), "")
		if act == "disable" && req.explicit() {
			w.Notes = append(w.Notes, "agents get none of it and cannot write; your own show, recall, add and forget work as before")
		}
	}
	return w, nil
}

// oppositeSwitch is the command that sets the switch the other way.
func oppositeSwitch(act string) string {
	switch act {
	case "enable":
		return "disable"
	case "disable":
		return "enable"
	case "announce on":
		return "announce off"
	}
	return "announce on"
}

// settingDone says what switching did.
func settingDone(act string) string {
	switch act {
	case "enable":
		return "Memory is enabled"
	case "disable":
		return "Memory is disabled"
	case "announce on":
		return "Writes are announced"
	}
	return "Writes are announced no more"
}

// settingStore is the store whose switch is meant: the project's where it has
// a memory, else the user's.
func settingStore(ctx context.Context, ss *store.Stores, scope string) (*store.Store, error) {
	if scope == "" && !ss.Alone() {
		m, err := projectMemory(ctx, ss)
		if err != nil {
			return nil, err
		}
		scope = store.User
		if m != nil && (m.Exists || m.Foreign || txn.Away(ctx, m)) {
			scope = store.Project
		}
	}
	if scope == "" {
		scope = store.Only
	}
	return ss.Get(ctx, scope)
}

func settingAct(name string, on bool) string {
	switch {
	case name == "enabled" && on:
		return "enable"
	case name == "enabled":
		return "disable"
	case on:
		return "announce on"
	}
	return "announce off"
}
