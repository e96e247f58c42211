package edit

import (
	"strings"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Request is one memory to keep: an item, or an entry if it has a Role.
type Request struct {
	memory.Options
	// Labels are those that the memory gets. Source "" takes the origin's own; Confidence is ""
	// or a lower one than the origin gives. In Paths and Commands a person's "" alone empties
	// the item's list. The act sets Seen, Signals, Locked and By.
	labels.Labels
	Repeated bool // automatic: a signal that was seen before, so medium
	// Acknowledged: the person was shown why the policy holds this, and keeps it.
	// Milder personal data then goes into a store of their own, with an
	// allowance beside it.
	Acknowledged bool
	Lasts        bool    // the person was asked, and it lasts though it sounds temporary
	Queued       *Queued // it was said before, and waited until a commit was possible; nil for others
	typedOn      string  // the day on which the person typed what an agent passes on; "" if no prompt has it

	// Of an item.
	Key   string
	Value memfile.Value
	NoAsk bool // do not ask any more

	// Of an entry.
	Role         string // entry.RoleFact, RoleNote or RoleSummary
	Text         string
	Category     string // of a fact; "" takes the one that the text begins with in brackets
	Topics       []string
	Session      string
	Conversation string // "" takes the scope's own
	Anchors      []string
	Weight       float64
	Replace      string // id, or its beginning, of the fact that this one takes the place of
	Created      time.Time
}

// plain is the text of the memory, as a person reads it.
func (req Request) plain() string {
	if req.Role != "" {
		return req.Text
	}
	return req.Value.Plain()
}

// Temporary reports whether a person states something for good that sounds temporary. A
// door that can ask them does so, and sets Lasts. Lessons, notes and summaries tell of their time.
func (req Request) Temporary() bool {
	if req.Role != "" && req.Role != entry.RoleFact || req.Role == "" && strings.HasPrefix(req.Key, lessonPrefix) {
		return false
	}
	everySession := req.Confidence == "" || req.Confidence == memfile.High
	return req.Explicit() && !req.Lasts && !req.Acknowledged && req.Expires == "" && everySession && policy.Passing(req.plain())
}

// KeysRequest is an act on items named by key: doubt, lock, unlock.
type KeysRequest struct {
	memory.Options
	Keys []string
}

// ConfirmRequest is one `confirm`. Value picks a rival of the item's conflict, from 1; 0 keeps the item's own value.
type ConfirmRequest struct {
	memory.Options
	Keys  []string
	Value int
	Said  string // what review says in place of "Confirmed"
}

// ForgetRequest is one `forget`: keys, or texts that match one value.
type ForgetRequest struct {
	memory.Options
	Targets []string
	Reason  string
	// All: each target is a text, and everything that contains it goes, once the person has agreed
	// to the list. nil: they have.
	All   bool
	Agree func(matches []string) bool
}

// temporaryNote tells a person who could not be asked that their own words sound temporary.
func temporaryNote(confidence string) string {
	if confidence == "" {
		return "it sounds temporary, so its confidence is medium, and it is kept until somebody forgets it; --expires DAY sets an end, --confidence high raises it"
	}
	return "it sounds temporary, and is kept until somebody forgets it; --expires DAY sets an end"
}

// MoveRequest moves items, named by key, to another scope. Options.Scope says
// where they are now; "" finds out.
type MoveRequest struct {
	memory.Options
	Keys []string
	To   string
}

// RenameRequest gives the item of Key the key New. Lift removes the tombstone of a new key
// that was forgotten.
type RenameRequest struct {
	memory.Options
	Key, New string
	Lift     bool
}
