package memory

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

// State is whose a record is.
type State int

// The states of a record, in the order of the columns of the table.
const (
	StateAbsent    State = iota // there is none, or the act is on none
	StateConcluded              // an agent wrote it by itself
	StatePassedOn               // an agent passed it on from the person
	StateStated                 // a person wrote or confirmed it
	StateLocked
	StateForgotten
)

// StateOf returns the state of a record with these labels.
func StateOf(l *labels.Labels) State {
	switch {
	case l.Locked:
		return StateLocked
	case l.IsStated():
		return StateStated
	case l.By == memfile.ByRelayed:
		return StatePassedOn
	}
	return StateConcluded
}

// Ruling is what an act may do to a record.
type Ruling byte

// The rulings, as the table has them.
const (
	Allowed    Ruling = '+'
	Beside     Ruling = 'b' // the value goes into the record's conflict, beside its own
	Waits      Ruling = 'w' // it is stored, and waits for a person to confirm it
	ForPerson  Ruling = 'p' // refused: only a person may
	IfAsked    Ruling = 'a' // refused: an agent may if the person asked it to
	IsLocked   Ruling = 'l' // refused: locked
	IsRemoved  Ruling = 'f' // refused: forgotten
	Impossible Ruling = '.' // no such case
)

// authority has a row for each act: what an agent may do that passes on a person's words, and what it may do by itself, with
// a ruling for each State. A person may do everything. docs/acts.md has it as a table.
var authority = [...]struct{ act, does, relayed, automatic string }{
	// Acts on a record.
	{"add", "change", "+++blf", "wbbblf"},
	{"remember", "change", "++++lf", "w+++lf"},
	{"remember --replace", "replace", ".++pl.", ".++pl."},
	{"summary", "replace", "+++pl.", "++ppl."},
	{"confirm", "confirm", ".+++l.", ".pppl."},
	{"confirm --value", "choose among the values of", ".pppl.", ".pppl."},
	{"doubt", "doubt", ".++pl.", ".++pl."},
	{"lock", "lock", ".++pl.", ".++pl."},
	{"unlock", "unlock", ".pppl.", ".pppl."},
	{"verify", "verify", ".+++l.", ".aaal."},
	{"forget", "forget", ".+++l+", ".+aal+"},
	{"forget TEXT", "forget by its text", ".++pl+", ".+apl+"},
	{"undo", "undo", "+++pl.", "++apl."},
	{"move", "move", ".++pl.", ".+apl."},
	{"move --to user", "move to scope user", ".++pl.", ".aapl."},
	// Acts that only a person does.
	{"move --to project", "move memory to the project", "pppppp", "pppppp"},
	{"move, untrusted project", "move untrusted memory out of the project", "pppppp", "pppppp"},
	{"rename", "rename an item", "pppppp", "pppppp"},
	{"restore", "restore what was forgotten", "pppppp", "pppppp"},
	{"redo", "redo an undo", "pppppp", "pppppp"},
	{"review", "review what waits", "pppppp", "pppppp"},
	{"--pin", "pin a memory", "pppppp", "pppppp"},
	{"--ask", "set or remove --ask", "pppppp", "pppppp"},
	{"forget --all", "forget everything that contains a text", "pppppp", "pppppp"},
	{"accept", "accept what the policy withholds", "pppppp", "pppppp"},
	{"enable", "change this switch", "pppppp", "pppppp"},
	{"config", "change settings", "pppppp", "pppppp"},
	{"edit", "use an editor", "pppppp", "pppppp"},
	{"capture --all", "read the sessions of other folders", "pppppp", "pppppp"},
	{"recall --history --all", "read the sessions of other folders", "pppppp", "pppppp"},
	{"capture --scope project", "put captured statements into the project's memory", "pppppp", "pppppp"},
	{"export --to", "write memory into an instruction file", "pppppp", "pppppp"},
	{"skills add", "add skills", "pppppp", "pppppp"},
	{"skills remove", "remove a skill", "pppppp", "pppppp"},
	{"skills grant", "decide who may use a skill", "pppppp", "pppppp"},
	{"skills check --accept", "accept a skill", "pppppp", "pppppp"},
	{"context init", "create an agent", "pppppp", "pppppp"},
	{"context edit agent.md", "change agent.md", "pppppp", "pppppp"},
	{"trust", "trust a repository's memory", "pppppp", "pppppp"},
	{"import, untrusted project", "import from a repository that is not trusted", "pppppp", "pppppp"},
	{"compact", "compact memory; this is only a preview", "pppppp", "pppppp"},
	{"purge --yes", "purge, because a purge cannot be undone", "pppppp", "pppppp"},
	{"sync --remote", "set the remote of a store", "pppppp", "pppppp"},
	{"index", "push to the shared index, pull from it or drop it", "pppppp", "pppppp"},
}

// Authority returns what a writer of that origin may do to a record in that state. An act that is not in the table is a bug.
func Authority(act, origin string, state State) (r Ruling, does string) {
	for i := range authority {
		row := &authority[i]
		switch {
		case row.act != act:
			continue
		case origin == Explicit:
			return Allowed, row.does
		case origin == Relayed:
			return Ruling(row.relayed[state]), row.does
		}
		return Ruling(row.automatic[state]), row.does
	}
	panic("memory: " + act + " is not in the table of authority")
}

// Permit refuses what the writer may not do. The hints are those of Refuse: the command with which the person does it.
func (o Options) Permit(act string, state State, hints ...string) error {
	ruling, does := Authority(act, o.Origin.Kind, state)
	refuse := func(rule, message string) error { return Refuse(rule, message, hints...) }
	switch ruling {
	case ForPerson:
		if state == StateStated {
			return refuse(RuleExplicitOnly, "a person stated this, so only a person can "+object(does))
		}
		return refuse(RuleExplicitOnly, "only a person can "+does)
	case IfAsked:
		return refuse(RuleExplicitOnly, "an agent can "+object(does)+" only if the person asks for that")
	case IsLocked:
		return refuse(RuleLocked, "it is locked: only a person can "+object(does))
	case IsRemoved:
		return refuse(RuleForgotten, "this was forgotten; only a person can restore it")
	}
	return nil
}

// object is the verb with "it": "forget by its text" becomes "forget it by its text".
func object(does string) string {
	verb, rest, _ := strings.Cut(does, " ")
	if strings.HasSuffix(does, " of") { // choose among the values of
		return does + " it"
	}
	return strings.TrimSpace(verb + " it " + rest)
}

// ItemUnconfirmed reports whether an item waits for confirmation.
func ItemUnconfirmed(it *memfile.Item) bool {
	return it.HasTag(memfile.TagNeedsConfirmation) || it.Confidence != memfile.Medium && it.Confidence != memfile.High
}

// Confirmed reports whether an entry may reach an agent that did not ask for it.
func Confirmed(e *contents.Entry) bool {
	return e.Tier() != entry.Turn && !InDoubt(&e.Entry)
}

// InDoubt reports whether an entry waits for confirmation.
func InDoubt(e *entry.Entry) bool {
	return e.Confidence == memfile.Low || slices.Contains(e.Tags, memfile.TagNeedsConfirmation)
}

// Rank is the rank of a confidence; any other text counts as low.
func Rank(text string) int { return max(1, labels.ConfidenceRank(text)) }

// Raise sets a confidence above low; the tag goes with it.
func Raise(it *labels.Labels, confidence string) {
	if it.Confidence, it.Tags = confidence, memfile.WithoutDoubt(it.Tags); len(it.Tags) == 0 {
		it.Tags = nil
	}
}
