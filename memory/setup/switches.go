package setup

import (
	"context"
	"strconv"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
)

// SetSetting sets one of the file's shared switches.
func SetSetting(ctx context.Context, ss *store.Stores, req SettingRequest) (memory.Write, error) {
	act, done := switching(req.Name, req.On)
	w := req.Answer(act, req.Name, req.Scope)
	st, err := settingStore(ctx, ss, req.Scope)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope = st.Scope
	out, err := req.Update(ctx, st, txn.Write{
		Act: act, Create: memory.CreatesFile(st.Scope),
		Change: func(doc *txn.Draft) error {
			if err := req.Permit("enable", memory.StateAbsent, "memctl config "+req.Name+" "+strconv.FormatBool(req.On)+" --scope "+st.Scope); err != nil {
				return err
			}
			*doc.Settings.Switch(req.Name) = req.On
			return nil
		},
	})
	if err != nil {
		return w.Refused(err)
	}
	w = w.Outcome(out)
	if out.Changed {
		w.Saved = done + " in scope " + st.Scope + memory.UndoHint(out, "config "+req.Name+" "+strconv.FormatBool(!req.On)+" --scope "+st.Scope, "")
		if req.Name == FileEnabled && !req.On && req.Explicit() {
			w.Notes = append(w.Notes, fault.NewNote("agents-switched-off", "agents receive nothing from it and cannot write to it; your own show, recall, add and forget still work"))
		}
	}
	return w, nil
}

// switching returns the act, as the journal names it, and what it does in words.
func switching(name string, on bool) (act, done string) {
	switch {
	case name == FileEnabled && on:
		return "enable", "Memory is enabled"
	case name == FileEnabled:
		return "disable", "Memory is disabled"
	case on:
		return "config announce_writes on", "Writes are announced"
	}
	return "config announce_writes off", "Writes are no longer announced"
}

// settingStore is the store whose switch is meant: the project's where it has
// a memory, else the user's.
func settingStore(ctx context.Context, ss *store.Stores, scope string) (*store.Store, error) {
	if scope == "" && !ss.IsSingleStore() {
		m, err := memory.ProjectMemory(ctx, ss)
		if err != nil {
			return nil, err
		}
		scope = store.User
		if m != nil && (m.Exists || m.Foreign || txn.Absent(ctx, m)) {
			scope = store.Project
		}
	}
	if scope == "" {
		scope = store.Only
	}
	return ss.Get(ctx, scope)
}

// SettingRequest sets one of the file's shared switches: "enabled" or "announce_writes".
type SettingRequest struct {
	memory.Options
	Name string
	On   bool
}
