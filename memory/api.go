// Package memory holds what the acts share: who asks and what the answer says, which store
// and which item is meant, refusals, and what agents may see. The acts are in the folders
// below it: what a user can do with memory, written once, whichever door it came through.
// None of them keeps state.
package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/fault"
)

// SchemaNumber stands in every JSON object that memctl prints.
const SchemaNumber = 1

// JSON is an answer as every door prints it, with SchemaNumber as its first member.
func JSON(answer any) ([]byte, error) {
	text, err := RowJSON(answer)
	if err == nil && !bytes.HasPrefix(text, []byte(`{"schema":`)) {
		head := fmt.Sprintf(`{"schema":%d,`, SchemaNumber)
		text = append([]byte(head[:len(head)-1+min(len(text)-2, 1)]), text[1:]...)
	}
	return text, err
}

// RowJSON is one of several objects that are printed together. Signs of markup stay as they are: escapes would cost an
// agent tokens.
func RowJSON(row any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(row)
	return bytes.TrimSpace(b.Bytes()), err
}

// Origin says on whose behalf a write happens.
type Origin struct {
	Kind    string // Explicit, Relayed or Automatic
	Name    string // the agent's name, where one is known
	Session string // the agent's id of its session, where one is known
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
	Origin  Origin
	Command string // names the command or call that acts: one undo reverts all acts of the same one; "" for none
	SaidOn  string // the day on which the person said it to an agent, where memctl itself noted it
	// Expected are the records as the person saw them. Options.Update refuses the act if one of them is not so any more.
	Expected []Condition
}

// About names what a finding is about, before its message: the key, with its field where
// that is neither the key nor the value, or the flag whose text is no part of the item; ""
// where there is nothing to name.
func About(f fault.Finding, key string) string {
	field, _, _ := strings.Cut(f.Where, "[")
	switch {
	case field == "message":
		return "--message"
	case key == "":
		return ""
	case slices.Contains([]string{"source", "reason", "tags", "paths", "commands", "when"}, field):
		return Quoted(key) + " (" + field + ")"
	}
	return Quoted(key)
}

// Write is what an act that writes says of one key.
type Write struct {
	Schema   int             `json:"schema"`
	Act      string          `json:"act"`
	Key      string          `json:"key"`
	Scope    string          `json:"scope"`
	Origin   string          `json:"origin"`
	Verdict  string          `json:"verdict"` // accept, hold or refuse
	Findings []fault.Finding `json:"findings"`
	Commit   *string         `json:"commit"` // null: not committed; Why says why
	Why      string          `json:"why"`    // "", "nothing changed", "not a repository", "merge in progress", "dry run", …
	Changed  bool            `json:"changed"`
	Hints    []string        `json:"hints,omitempty"` // commands to paste
	Saved    string          `json:"-"`               // the one line that says what was done; for add "" where announce_writes is off
	Diff     string          `json:"diff,omitempty"`  // in a dry run: a unified diff of the memory file
	fault.Noted
	// Near are the records that are closest to what was stored.
	Near []Neighbour `json:"near,omitempty"`
	// Similar is the item that a new one probably repeats; nil for none.
	Similar *Similar `json:"similar,omitempty"`
	// WouldWait: the verdict is hold, and in a dry run nothing waits for it.
	WouldWait bool `json:"would_wait,omitempty"`
	// Left is the commit of a move in the scope that the item left.
	Left ScopeCommit `json:"-"`
}

// ScopeCommit is a commit in the store of a scope.
type ScopeCommit struct{ Scope, Hash string }

// Commits are the commits of the write, one for each scope that it changed, in the order in
// which undo takes them back.
func (w Write) Commits() []ScopeCommit {
	var list []ScopeCommit
	if w.Left.Hash != "" {
		list = append(list, w.Left)
	}
	if w.Commit != nil && w.Changed {
		list = append(list, ScopeCommit{w.Scope, *w.Commit})
	}
	return list
}

// Similar names the item that a new one probably repeats.
type Similar struct {
	Key   string `json:"key"`
	Scope string `json:"scope"`
	By    string `json:"by"` // key: one of the two keys is misspelled; value: both have one text
}

// Neighbour is an item or a fact that is close to what was stored.
type Neighbour struct {
	Key   string `json:"key,omitempty"` // of an item
	ID    string `json:"id,omitempty"`  // of a fact
	Scope string `json:"scope"`
	Text  string `json:"text"` // one line, cut
}

// NearLine names the neighbours on one line: "near: git.messages = …"; "" for none.
func (w Write) NearLine() string {
	var list []string
	for _, n := range w.Near {
		list = append(list, n.Key+n.ID+" = "+n.Text)
	}
	if list == nil {
		return ""
	}
	return "near: " + strings.Join(list, "; ")
}

// First is the answer of an act on one key.
func First(list []Write, err error) (Write, error) {
	if len(list) == 0 {
		return Write{}, err
	}
	return list[0], err
}
