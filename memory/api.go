// Package memory holds the acts: what a user can do with memory, written once,
// whichever door it came through. It keeps no state.
package memory

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/session"
)

// SchemaNumber stands in every JSON object that memctl prints.
const SchemaNumber = 1

// Origin says on whose behalf a write happens.
type Origin struct {
	Kind string // Explicit, Relayed or Automatic
	Name string // the agent's name, where one is known
}

// The kinds of origin.
const (
	Explicit  = "explicit"
	Relayed   = "relayed"
	Automatic = "automatic"
)

// Options are what every act that writes takes.
type Options struct {
	Scope   string // "" lets the act choose
	Message string // an extra line for the commit
	DryRun  bool
	Origin  Origin
}

// Finding is one reason in a ruling, as the doors print it.
type Finding struct {
	Rule    string `json:"rule"`
	Where   string `json:"where,omitempty"`
	Message string `json:"message"`
}

// About names what the finding is about, before its message: the key, with its field where
// that is neither the key nor the value, or the flag whose text is no part of the item; ""
// where there is nothing to name.
func (f Finding) About(key string) string {
	field, _, _ := strings.Cut(f.Where, "[")
	switch {
	case field == "message":
		return "--message"
	case key == "":
		return ""
	case slices.Contains([]string{"source", "reason", "tags", "paths", "commands"}, field):
		return quoted(key) + " (" + field + ")"
	}
	return quoted(key)
}

// Write is what an act that writes says of one key.
type Write struct {
	Schema   int       `json:"schema"`
	Act      string    `json:"act"`
	Key      string    `json:"key"`
	Scope    string    `json:"scope"`
	Origin   string    `json:"origin"`
	Verdict  string    `json:"verdict"` // accept, hold or refuse
	Findings []Finding `json:"findings"`
	Commit   *string   `json:"commit"` // null: not committed; Why says why
	Why      string    `json:"why"`    // "", "nothing changed", "not a repository", "merge in progress", "dry run", …
	Changed  bool      `json:"changed"`
	Hints    []string  `json:"hints,omitempty"` // commands to paste
	Saved    string    `json:"-"`               // the one line that says what was done; for add "" after `announce off`
	Diff     string    `json:"diff,omitempty"`  // with DryRun: unified diff of the memory file
	Notes    []string  `json:"notes,omitempty"` // what the person should know: git still has it, what will commit it
	// Similar is the item that a new one probably repeats; nil for none.
	Similar *Similar `json:"similar,omitempty"`
	// WouldWait: the verdict is hold, and with DryRun nothing waits for it.
	WouldWait bool `json:"would_wait,omitempty"`
}

// AddRequest is one `add`.
type AddRequest struct {
	Options
	Key        string
	Value      memfile.Value
	Source     string // "" takes the origin's own
	Confidence string // "" or a lower one than the origin gives
	Tags       []string
	Expires    string
	Pin        bool
	Paths      []string // globs; a person's "" alone empties the item's list, as with Commands
	Commands   []string // globs; the words of a command, with single spaces, match them
	Ask        bool
	NoAsk      bool // do not ask any more
	Repeated   bool // automatic: a signal that was seen before, so medium
	// Seen: the person was shown why the policy holds this, and keeps it.
	// Milder personal data then goes into a store of their own, with an
	// allowance beside it.
	Seen  bool
	Lasts bool // the person was asked, and it lasts though it sounds temporary
	// Waited: it was said before, and waited until a commit was possible.
	Waited bool
}

// KeysRequest is an act on items named by key: doubt, lock, unlock.
type KeysRequest struct {
	Options
	Keys []string
}

// ConfirmRequest is one `confirm`. Value picks a rival of the item's conflict, from 1; 0 keeps the item's own value.
type ConfirmRequest struct {
	Options
	Keys  []string
	Value int
	said  string // what review says in place of "Confirmed"
}

// ForgetRequest is one `forget`: keys, or texts that match one value.
type ForgetRequest struct {
	Options
	Targets []string
	Reason  string
	Also    bool // also the entries that only contain the text
}

// SettingRequest sets one of the file's shared switches: "enabled" or "announce_writes".
type SettingRequest struct {
	Options
	Name string
	On   bool
}

// InitRequest is one `init`. Ask puts a yes/no question to a person at a terminal; nil where there is none.
type InitRequest struct {
	Options
	Ask func(question string) bool
}

// InitResult is what `init` did.
type InitResult struct {
	Schema    int    `json:"schema"`
	Scope     string `json:"scope"`
	Path      string `json:"path"`
	Created   bool   `json:"created"`
	Trusted   bool   `json:"trusted"`
	AutoScope string `json:"auto_scope"` // where automatic writes go now
	// MergeDriver: git was told to merge memory by meaning here; false where it knew.
	MergeDriver bool     `json:"merge_driver"`
	Commit      *string  `json:"commit"`
	Why         string   `json:"why"`
	Notes       []string `json:"notes"`
	Diff        string   `json:"diff,omitempty"`
}

// ShowRequest is one `show`: all, or what matches the keys and globs.
type ShowRequest struct {
	Scope    string
	Patterns []string
	Person   bool // a person asks, who is told of a missing key that the journal has
}

// ShowResult is all that is remembered.
type ShowResult struct {
	Schema int         `json:"schema"`
	Scopes []ScopeView `json:"scopes"`
	// Entries are the facts and notes that were asked for by their ids.
	Entries []EntryView `json:"entries,omitempty"`
}

// ScopeView is one scope's memory.
type ScopeView struct {
	Scope          string          `json:"scope"`
	Path           string          `json:"path"`
	Enabled        bool            `json:"enabled"`
	AnnounceWrites bool            `json:"announce_writes"`
	Updated        string          `json:"updated"`
	Items          []ItemView      `json:"items"`
	Deletions      []TombstoneView `json:"deletions"`
	Salvaged       bool            `json:"salvaged,omitempty"` // the file is damaged: this is what can be read of it; Mend mends it
	Mend           string          `json:"-"`                  // a command
}

// ItemView is an item as the doors print it.
type ItemView struct {
	Key        string        `json:"key"`
	Value      memfile.Value `json:"value"`
	Added      string        `json:"added"`
	Source     string        `json:"source"`
	Confidence string        `json:"confidence"`
	Tags       []string      `json:"tags"`
	Updated    string        `json:"updated,omitempty"`
	Seen       string        `json:"seen,omitempty"`
	Signals    int           `json:"signals,omitempty"`
	Expires    string        `json:"expires,omitempty"`
	Pinned     bool          `json:"pinned,omitempty"`
	Locked     bool          `json:"locked,omitempty"`
	Paths      []string      `json:"paths,omitempty"`
	Commands   []string      `json:"commands,omitempty"`
	Ask        bool          `json:"ask,omitempty"`
	By         string        `json:"by,omitempty"`
	Conflict   []RivalView   `json:"conflict,omitempty"`
	Withheld   []string      `json:"withheld,omitempty"` // rules that keep it from agents; a secret's Value is null then
}

// RivalView is one other value of an item in conflict; `confirm KEY --value N` picks it.
type RivalView struct {
	Value      memfile.Value `json:"value"`
	Added      string        `json:"added,omitempty"`
	Source     string        `json:"source,omitempty"`
	Confidence string        `json:"confidence,omitempty"`
	By         string        `json:"by,omitempty"`
	Signals    int           `json:"signals,omitempty"`
	Seen       string        `json:"seen,omitempty"`
}

// TombstoneView is one deletion as the doors print it.
type TombstoneView struct {
	Key      string         `json:"key,omitempty"`
	Value    *memfile.Value `json:"value,omitempty"`
	Removed  string         `json:"removed"`
	Reason   string         `json:"reason"`
	Conflict []RivalView    `json:"conflict,omitempty"` // values that a merge set aside
	Withheld []string       `json:"withheld,omitempty"` // why an agent does not get Value and Conflict
	// objections are the policy's rules against the key.
	objections []string
}

// ProfileResult is the Active Profile.
type ProfileResult struct {
	Schema   int       `json:"schema"`
	Preamble string    `json:"preamble"`
	Bullets  []Bullet  `json:"bullets"`
	LeftOut  []LeftOut `json:"left_out"`
	Bytes    int       `json:"bytes"`
	Tokens   int       `json:"tokens"`
	Warnings []string  `json:"warnings,omitempty"` // memory files that are damaged
	Text     string    `json:"-"`                  // the whole as printed: preamble, blank line, bullets
}

// Bullet is one line of the profile.
type Bullet struct {
	Key        string `json:"key"`
	Text       string `json:"text"`
	Scope      string `json:"scope"`
	Confidence string `json:"confidence"`
	Pinned     bool   `json:"pinned,omitempty"`
	// Items are the items that share the bullet, where there are several: Key is then the
	// first part of their keys, or "also", and Text has each with the rest of its key.
	Items []session.BulletItem `json:"items,omitempty"`
}

// Each is a bullet for each of its items.
func (b Bullet) Each() (list []Bullet) {
	for _, one := range session.Bullet(b).Each() {
		list = append(list, Bullet(one))
	}
	return list
}

// LeftOut is one item that is left out, and why.
type LeftOut struct {
	Key   string `json:"key"`
	Scope string `json:"scope"`
	Why   string `json:"why"` // low, needs-confirmation, expired, lesson, withheld, paths, shadowed, cap, disabled, untrusted
}

// ValidateRequest names files; none means the session's own memory file.
type ValidateRequest struct {
	Files  []string
	Scope  string
	Staged bool   // read the files as they stand in the index
	Rev    string // read the files as they stand in this revision
	Base   string // also say what has gone wrong since this revision
	Strict bool   // what has gone wrong since is an error, not a warning
}

// ValidateResult is what is wrong.
type ValidateResult struct {
	Schema    int          `json:"schema"`
	FileCount int          `json:"file_count"`
	Findings  []Validation `json:"findings"`
}

// Validation is one finding of `validate`.
type Validation struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // error or warning
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Key      string `json:"key"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	// UTF16Column is Column, which counts bytes, in UTF-16 units.
	UTF16Column int `json:"-"`
}

// RecoverRequest is one `recover`.
type RecoverRequest struct {
	Options
	NoSalvage bool
}

// RecoverResult is what `recover` did, or would do.
type RecoverResult struct {
	Schema   int        `json:"schema"`
	Needed   bool       `json:"needed"`
	Reasons  []string   `json:"reasons"`
	Kept     int        `json:"kept_count"`
	Salvaged int        `json:"salvaged_count"`
	SetAside []SetAside `json:"set_aside"`
	Path     string     `json:"path"`
	Scope    string     `json:"scope"`
	Commit   *string    `json:"commit"`
	Why      string     `json:"why"`
	Diff     string     `json:"diff,omitempty"`
	Notes    []string   `json:"notes,omitempty"`
}

// SetAside is what recovery left in the notes.
type SetAside struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// ReviewResult is what waits for a person.
type ReviewResult struct {
	Schema  int       `json:"schema"`
	Waiting []Waiting `json:"waiting"`
}

// Waiting is one thing that waits: from the queue (ID is set) or in the file.
type Waiting struct {
	ID       string        `json:"id,omitempty"` // queue entries only
	Key      string        `json:"key"`
	Tier     string        `json:"tier,omitempty"` // fact, where Key is the beginning of its id
	Scope    string        `json:"scope"`
	Why      string        `json:"why"` // held, deferred, low, needs-confirmation, conflict, outranked, untouched
	Rules    []string      `json:"rules,omitempty"`
	Value    memfile.Value `json:"value"`
	Source   string        `json:"source"`
	Day      string        `json:"day"`
	Conflict []RivalView   `json:"conflict,omitempty"`
	Stated   *StatedView   `json:"stated,omitempty"` // with outranked: the person's value that wins
}

// StatedView is a person's value of a key, and its scope.
type StatedView struct {
	Scope string        `json:"scope"`
	Value memfile.Value `json:"value"`
}

// Decision is a person's answer about one waiting thing.
type Decision struct {
	Options
	Waiting Waiting
	Action  string         // keep, edit, forget (skip needs no call)
	Value   *memfile.Value // for edit
	Choice  int            // take the other value of that number in place of the person's, from 1; 0 keeps the person's
}

// SettingView is one setting, its value and where it came from.
type SettingView struct {
	Name    string `json:"name"`
	Value   string `json:"value"`  // keys and passwords print as "set"
	Origin  string `json:"origin"` // default, environment variable NAME, git config (global) FILE, …
	Default string `json:"default"`
	Env     string `json:"env"`
	Help    string `json:"help"`
}
