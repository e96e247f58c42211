package edit

import (
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// Request is one memory to keep: an item, or an entry if it has a Role.
type Request struct {
	memory.Options
	// Labels are those that the memory gets. Source "" takes the origin's own; Confidence is ""
	// or a lower one than the origin gives. In Paths and Commands a person's "" alone empties
	// the item's list. The act sets Seen, Signals, Locked and By.
	labels.Labels
	// Acknowledged: the person was shown why the policy holds this, and keeps it.
	// Milder personal data then goes into a store of their own, with an
	// allowance beside it.
	Acknowledged bool
	Prompt       int     // the number of the person's prompt that an agent passes on; 0 for none
	Lasts        bool    // the person was asked, and it lasts though it sounds temporary
	Neighbours   bool    // the answer names the records that are close
	Exact        bool    // the memory keeps no tag, day, glob or word that the Labels do not name
	Queued       *Queued // it was said before, and waited until a commit was possible; nil for others
	typedOn      string  // the day on which the person typed what an agent passes on; "" if no prompt has it

	// Of an item.
	Key   string
	Was   string // the key that the item has now, where the write renames it
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
	return req.Explicit() && !req.Lasts && !req.Acknowledged && req.Expires == "" && everySession && policy.IsTemporary(req.plain())
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

// checkLabels refuses labels that no memory can have, and what only a person may say about asking. A person's
// empty glob is not blank: it empties the list.
func (req Request) checkLabels() error {
	if req.Pinned {
		if err := req.Permit("--pin", memory.StateAbsent, req.personsCommand()); err != nil {
			return err
		}
	}
	if req.Ask || req.NoAsk {
		if err := req.Permit("--ask", memory.StateAbsent, req.personsCommand()); err != nil {
			return err
		}
	}
	if req.Was != "" {
		if err := req.Permit(view.ActRename, memory.StateAbsent); err != nil {
			return err
		}
	}
	blank := func(glob string) bool { return strings.TrimSpace(glob) == "" && (glob != "" || !req.Explicit()) }
	switch {
	case slices.ContainsFunc(req.Commands, blank):
		return memory.Refuse(memory.RuleValue, "a command glob must name at least a program, as in 'git push*'")
	case slices.ContainsFunc(req.Paths, blank):
		return memory.Refuse(memory.RuleValue, "a path glob must name at least a folder, as in 'cmd/**'")
	case req.Confidence != "" && labels.ConfidenceRank(req.Confidence) == 0:
		return memory.Refuse(memory.RuleConfidence, "unknown confidence (use low, medium or high)")
	}
	if _, err := time.Parse(time.DateOnly, req.Expires); err != nil && req.Expires != "" {
		return memory.Refuse(memory.RuleValue, "the day of expiry must have the form 2026-12-31")
	}
	return nil
}

// setGlobs sets the paths, the commands, the words of when and whether to ask. A memory about no path and no
// command asks nobody.
func (req Request) setGlobs(l *labels.Labels) {
	if len(req.Paths) > 0 {
		l.Paths = withoutEmpty(req.Paths)
	}
	if len(req.Commands) > 0 {
		l.Commands = withoutEmpty(req.Commands)
	}
	if len(req.When) > 0 && (req.Explicit() || !l.IsStated()) {
		l.When = wordsOfWhen(req.When)
	}
	l.Ask = (l.Ask || req.Ask) && !req.NoAsk
	if !req.AppliesEverywhere() && l.AppliesEverywhere() {
		l.Ask = false
	}
}

// withoutEmpty returns the globs that are not empty, nil where there is none.
func withoutEmpty(globs []string) []string {
	var list []string
	for _, glob := range globs {
		if glob != "" {
			list = append(list, glob)
		}
	}
	return list
}

const (
	// maxWhen and maxWhenBytes cap the words of when that a memory has.
	maxWhen, maxWhenBytes = 16, 80
)

// wordsOfWhen are the words and phrases of when, which commas separate: no more of them, and no longer ones, than count.
func wordsOfWhen(list []string) (words []string) {
	for _, some := range list {
		for word := range strings.SplitSeq(some, ",") {
			if word = policy.Cut(strings.Join(strings.Fields(word), " "), maxWhenBytes); word != "" && len(words) < maxWhen {
				words = append(words, word)
			}
		}
	}
	return words
}

// flags are the flags of the request's labels, to go into a command.
func (req Request) flags() (flags string) {
	names := map[string]string{
		"source": "source", "confidence": "confidence", "tags": "tag", "expires": "expires", "pinned": "pin",
		"paths": "path", "commands": "command", "ask": "ask", "when": "when",
	}
	for _, f := range req.Labels.Fields() {
		name := names[f.Name]
		if name == "" {
			continue
		}
		var texts []string
		switch at := f.At.(type) {
		case *bool:
			if *at {
				flags += "--" + name + " "
			}
		case *string:
			texts = []string{*at}
		case *[]string:
			texts = *at
		}
		for _, text := range withoutEmpty(texts) {
			flags += "--" + name + " " + pasteable(text, "TEXT") + " "
		}
	}
	if req.NoAsk {
		flags += "--ask=false "
	}
	return flags
}
