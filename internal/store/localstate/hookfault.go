package localstate

import (
	"time"

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
	hookFaultFile = "hook-fault.json"
	// maxFaultField bounds each of its texts, in bytes.
	maxFaultField = 64
)

// NoteHookFault writes it down in this worktree's local state, in place of the one
// before. Errors: the state cannot be written.
func NoteHookFault(ss *store.Stores, f HookFault) error {
	f.Time = ss.Now().UTC().Truncate(time.Second)
	for _, field := range []*string{&f.Agent, &f.Event, &f.Code} {
		*field = (*field)[:min(len(*field), maxFaultField)]
	}
	return HookFaultOf(ss).Write(f)
}

// LastHookFault is what NoteHookFault wrote last; its Code is "" where nothing
// did.
func LastHookFault(ss *store.Stores) (HookFault, error) { return HookFaultOf(ss).Read() }

// HookFaultOf is its file.
func HookFaultOf(ss *store.Stores) statedir.File[HookFault] {
	return statedir.File[HookFault]{In: ss.SessionsState(), Name: hookFaultFile, Quick: true}
}

// ClearHookFault forgets the fault where the agent's hook has an answer again. One of
// a call that named no agent goes with anybody's. Where there is none, it costs one
// look at a file that is not there. Errors: the state cannot be read or written.
func ClearHookFault(ss *store.Stores, agent string) error {
	f, err := LastHookFault(ss)
	if err != nil || f.Code == "" || f.Agent != "" && f.Agent != agent {
		return err
	}
	return HookFaultOf(ss).Remove()
}
