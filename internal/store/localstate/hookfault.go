package localstate

import (
	"path/filepath"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

// HookFault is the last time that a hook had no answer because something was
// wrong. A hook tells nobody: its agent goes on without memory. It holds no text of
// a person's or an agent's.
type HookFault struct {
	Time  time.Time `json:"time"`
	Agent string    `json:"agent"`
	Event string    `json:"event,omitempty"`
	Code  string    `json:"code"` // of the error; timeout, panic, no-event, no-agent, no-such-agent
}

const (
	// HookFaultFile holds the last fault of a hook.
	HookFaultFile = "hook-fault.json"
	// maxFaultField bounds each of its texts, in bytes.
	maxFaultField = 64
)

// NoteHookFault writes it down in this worktree's local state, in place of the one
// before. Errors: the state cannot be written.
func NoteHookFault(ss *store.Stores, f HookFault) error {
	if !filepath.IsAbs(ss.SessionsState().Folder) {
		return fault.New(fault.Scope, "HOME", statedir.NoDataFolder)
	}
	f.Time = ss.Now().UTC().Truncate(time.Second)
	for _, field := range []*string{&f.Agent, &f.Event, &f.Code} {
		*field = (*field)[:min(len(*field), maxFaultField)]
	}
	return ss.SessionsState().WriteQuickJSON(HookFaultFile, f)
}

// LastHookFault is what NoteHookFault wrote last; its Code is "" where nothing
// did.
func LastHookFault(ss *store.Stores) (f HookFault, err error) {
	err = ss.SessionsState().ReadJSON(HookFaultFile, &f)
	return f, err
}

// ClearHookFault forgets the fault where the agent's hook has an answer again. One of
// a call that named no agent goes with anybody's. Where there is none, it costs one
// look at a file that is not there. Errors: the state cannot be read or written.
func ClearHookFault(ss *store.Stores, agent string) error {
	f, err := LastHookFault(ss)
	if err != nil || f.Code == "" || f.Agent != "" && f.Agent != agent {
		return err
	}
	return ss.SessionsState().Remove(HookFaultFile)
}
