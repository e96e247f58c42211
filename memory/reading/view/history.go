package view

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
)

// ActRename is the act whose commit names two keys in its trailers: the old one, then the
// new one. Log and Why follow it.
const ActRename = "rename"

// LogRequest asks for history: of one key or id, or of all.
type LogRequest struct {
	Key   string // or an entry's id
	Scope string
	Max   int  // acts, each with all of its changes; 0: no limit
	All   bool // of every branch, and of what only the journal has
}

// LogResult is the history of items and entries, newest first.
type LogResult struct {
	Changes Changes `json:"changes"`
	memory.Withheld
}

// Change is one change of one item, entry, tombstone or setting.
type Change struct {
	Commit string         `json:"commit"`
	Date   string         `json:"date"` // RFC 3339, UTC
	Author string         `json:"author"`
	Act    string         `json:"act"`    // from the trailer, else added, changed, removed
	Kind   string         `json:"kind"`   // item, tombstone, setting or entry
	Change string         `json:"change"` // added, changed or removed; what is withheld is told by this alone
	Key    string         `json:"key"`
	Scope  string         `json:"scope"`
	Source string         `json:"source"`
	Before *memfile.Value `json:"before"`
	After  *memfile.Value `json:"after"`
	contents.Verdict
	Journal bool `json:"journal,omitempty"` // only the journal has it: Commit is its entry there
	// Fields names what else changed: confidence, tags, …
	Fields []FieldChange    `json:"fields,omitempty"`
	held   contents.Verdict // what keeps it from agents alone
	tomb   bool             // a tombstone came, went or changed
}

// Sign is +, ~ or -: whether the change added, changed or removed something. What only happened to the tombstone of an item is a
// change.
func (c Change) Sign() string {
	switch {
	case c.Kind == memfile.DeltaTombstone:
	case c.Change == "added":
		return "+"
	case c.Change == "removed":
		return "-"
	}
	return "~"
}

// Name is the key, or what to call something whose key is not shown.
func (c Change) Name() string {
	switch {
	case c.Key != "":
		return c.Key
	case c.Kind == memfile.DeltaItem:
		return "an item"
	}
	return "a fact or note"
}

// Note is the act, where the sign does not say it, and the source.
func (c Change) Note() string {
	note := []string{c.Act, c.Source}
	if slices.Contains([]string{"added", "changed", "removed"}, c.Act) {
		note[0] = ""
	}
	return strings.Join(slices.DeleteFunc(note, func(s string) bool { return s == "" }), ", ")
}

// Act is the changes of one commit, of one entry of the journal, or of what is not committed.
type Act struct {
	Commit, Date, Author, Scope string
	Journal                     bool
	Changes                     Changes
	known                       bool // its author
}

// Changes are the changes of a history.
type Changes []Change

// Acts puts the changes together by act, in the same order.
func (changes Changes) Acts() (acts []Act) {
	for _, c := range changes {
		n := len(acts) - 1
		if n < 0 || acts[n].Commit != c.Commit || acts[n].Scope != c.Scope {
			acts, n = append(acts, Act{Commit: c.Commit, Date: c.Date, Scope: c.Scope, Journal: c.Journal, Author: "author unknown"}), n+1
		}
		a := &acts[n]
		a.Changes = append(a.Changes, c)
		switch {
		case a.known:
		case c.Author != "":
			a.Author, a.known = c.Author, true
		case c.Hidden() || c.Act == "forgotten": // an agent is not told
			a.Author = "author withheld"
		}
	}
	return acts
}

// Day is the day in UTC, "" of what is not committed.
func (a Act) Day() string {
	day, _, _ := strings.Cut(a.Date, "T")
	return day
}

// Clock is the hour and minute in UTC.
func (a Act) Clock() string {
	_, clock, _ := strings.Cut(a.Date, "T")
	return clock[:min(len(clock), len("15:04"))]
}

// CanUndo reports whether it is a commit that undo can take back. Of the commit at which a shallow clone was cut off nobody knows
// the author, nor the changes.
func (a Act) CanUndo() bool { return a.Commit != "" && !a.Journal && a.known }

// FieldChange is one field of an item that changed beside its value.
type FieldChange struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// DiffRequest compares two versions: From "" is HEAD, To "" is the file on disk.
type DiffRequest struct {
	From, To, Scope string
}

// DiffResult lists the differences by item.
type DiffResult struct {
	From    string  `json:"from"`
	To      string  `json:"to"`
	Changes Changes `json:"changes"`
	memory.Withheld
}

// WhyResult says where one item comes from.
type WhyResult struct {
	Key       string             `json:"key"`
	Scope     string             `json:"scope"`
	Item      *Record            `json:"item"`            // nil where it is not there now
	Entry     *Record            `json:"entry,omitempty"` // where an id was asked for and it stands
	Deleted   *TombstoneView     `json:"deletion"`
	InProfile bool               `json:"in_profile"`
	LeftOut   string             `json:"left_out,omitempty"` // why it is not in the profile
	InFile    string             `json:"in_file,omitempty"`  // the instruction file and line whose agents are not handed the item
	Handed    *localstate.Handed `json:"handed,omitempty"`   // how often agents got it without asking; nil for never
	Changes   Changes            `json:"changes"`            // newest first
	Note      string             `json:"note,omitempty"`     // e.g. no history outside a repository
	Restore   string             `json:"restore,omitempty"`  // the command that brings back what was forgotten
	noKey     bool               // the reader may not have it
	memory.Withheld
}

// changesFor leaves in each change what the reader may have. Of a withheld one an agent gets where and when it was made, and
// the rules.
func changesFor(who contents.Reader, changes []Change) (w memory.Withheld) {
	if who == contents.Person {
		return w
	}
	for i := range changes {
		c := &changes[i]
		if rules := c.And(c.held); rules.Hidden() {
			*c = Change{
				Commit: c.Commit, Date: c.Date, Kind: c.Kind, Change: c.Change, Act: c.Change, Key: memory.KeyForAgent(c.Key, rules), Scope: c.Scope,
				Journal: c.Journal, Verdict: rules,
			}
			w.WithheldCount++
			continue
		}
		if c.tomb {
			c.Source, c.Author = "", ""
		}
		for _, s := range []*string{&c.Author, &c.Act, &c.Source} { // whoever made the commit wrote these
			if memory.Objected(*s) {
				*s = ""
			}
		}
	}
	return w
}
