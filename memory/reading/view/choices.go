package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Option is one of the values that a decision is about.
type Option struct {
	Name  string // "" if there is only one
	Value memfile.Value
	From  string // its scope, or its confidence, day and source, and who committed it
}

// Choice is one answer to a thing that waits. Every door offers the same ones.
type Choice struct {
	Key   string `json:"key"` // the key of the keyboard
	Label string `json:"label"`
	Help  string `json:"-"`
	Act   string `json:"act"`             // ActKeep, ActEdit, ActDrop or ActKeepSession
	Value int    `json:"value,omitempty"` // with ActKeep: take the other value of that number, from 1, in the order of the choices
	// Command makes the choice without a question.
	Command string `json:"command,omitempty"`
}

// The acts of a choice.
const (
	ActKeep = "keep" // as the person's own statement
	ActEdit = "edit" // keep other words
	ActDrop = "drop"
	// ActReplace keeps it in the place of the closest item.
	ActReplace = "replace"
	// ActKeepSession keeps all proposals of the same session.
	ActKeepSession = "keep-session"
)

// maxTaken is how many other values have a key of their own.
const maxTaken = 9

// setChoices fills in the values that the decision is about, and the answers to it with their commands.
func (w *Waiting) setChoices() {
	w.setAnswers()
	for i := range w.Choices {
		c := &w.Choices[i]
		c.Command = w.command() + " " + c.flag()
	}
}

// command is the command of a decision without its flag. An id stands for one thing in all scopes.
func (w *Waiting) command() string {
	if w.ID != "" || w.Scope == store.Only {
		return "memctl review " + shell.Quote(cmp.Or(w.ID, w.Key))
	}
	return "memctl review " + shell.Quote(w.Key) + " --scope " + w.Scope
}

// Command is the command that makes each choice, with the flags to choose from in brackets, so that a shell refuses the line as
// it is.
func (w *Waiting) Command() string {
	flags := make([]string, len(w.Choices))
	for i, c := range w.Choices {
		flags[i] = c.flag()
	}
	if len(flags) < 2 {
		return w.command() + " " + strings.Join(flags, "")
	}
	last := len(flags) - 1
	return w.command() + " (" + strings.Join(flags[:last], ", ") + " or " + flags[last] + ")"
}

func (c *Choice) flag() string {
	switch {
	case c.Act == ActEdit:
		return "--edit TEXT"
	case c.Value > 0:
		return "--take " + strconv.Itoa(c.Value)
	}
	return "--" + c.Act
}

func (w *Waiting) setAnswers() {
	w.Choices = nil
	w.setOptions()
	edit := Choice{Key: "e", Label: "edit", Help: "keep it in other words", Act: ActEdit}
	if len(w.Options) == 1 {
		w.Choices = []Choice{{Key: "k", Label: "keep", Help: "keep it as your own statement", Act: ActKeep}}
		if w.Session != "" {
			w.Choices = append(w.Choices, Choice{Key: "a", Label: "keep all of this session", Help: "keep this and all other proposals from that session", Act: ActKeepSession})
		}
		if w.Near != nil {
			replace := "replace " + policy.Inert(w.Near.Key) + " (" + shortValue(w.Near.Value) + ")"
			w.Choices = append(w.Choices, Choice{Key: "r", Label: replace, Help: "put it in the place of that one", Act: ActReplace})
		}
		w.Choices = append(w.Choices, edit, Choice{Key: "d", Label: "drop", Help: w.dropHelp(), Act: ActDrop})
		return
	}
	for i, o := range w.Options[:min(len(w.Options), maxTaken+1)] {
		c := Choice{Key: strconv.Itoa(i), Label: fmt.Sprintf("take %s (%s)", o.Name, shortValue(o.Value)), Help: "put this value in its place", Act: ActKeep, Value: i}
		switch {
		case i == 0:
			c.Key, c.Label, c.Help = "m", fmt.Sprintf("keep %s (%s)", o.Name, shortValue(o.Value)), "keep this value, and drop the other"
		case len(w.Options) == 2:
			c.Key = "t"
		}
		w.Choices = append(w.Choices, c)
	}
	w.Choices = append(w.Choices, edit)
}

// setOptions lists the values between which the person chooses: the one in force, then the others in the order of the item's
// conflict, which is that of show and confirm --value.
func (w *Waiting) setOptions() {
	w.Options = []Option{{Value: w.Value}}
	first, second := "present value", ""
	switch {
	case w.Stated != nil:
		w.Options = []Option{{Value: w.Stated.Value, From: w.Stated.Scope}, {Value: w.Value, From: w.Scope}}
		for _, rival := range w.Conflict {
			w.Options = append(w.Options, optionOf(rival))
		}
		if first, second = "stated value", ", the agent's"; w.Correction() {
			first, second = "earlier value", ", the new one"
		}
	case len(w.Conflict) > 0:
		w.Options = []Option{optionOf(w.first.Rival())}
		for _, rival := range w.Conflict {
			w.Options = append(w.Options, optionOf(rival))
		}
	default:
		return
	}
	for i := range w.Options {
		switch name := "value " + strconv.Itoa(i); i {
		case 0:
			w.Options[i].Name = first
		case 1:
			w.Options[i].Name = name + second
		default:
			w.Options[i].Name = name
		}
	}
}

// optionOf is one value of a key.
func optionOf(value memfile.Rival) Option {
	facts := slices.DeleteFunc([]string{value.Confidence, value.Added, value.Source}, func(s string) bool { return s == "" })
	return Option{Value: value.Value, From: strings.Join(facts, ", ")}
}

// Detail is a line about what waits: a value, or what else is known of it.
type Detail struct{ Name, Text string }

// Details are the values that the decision is about, the person's sentence of a proposal, the value that they had stated, and
// the item that it may replace. They are safe to print.
func (w Waiting) Details() (list []Detail) {
	for _, o := range w.Options {
		text := policy.Inert(o.Value.Plain())
		if o.From != "" {
			text += "  (" + policy.Inert(o.From) + ")"
		}
		list = append(list, Detail{o.Name, text})
	}
	if w.Said != "" && w.Said != w.Value.Plain() {
		list = append(list, Detail{"you said on " + policy.Inert(w.Day), policy.Inert(w.Said)})
	}
	if w.Was != nil {
		list = append(list, Detail{"was", policy.Inert(memory.Redacted(w.Was.Plain()))})
	}
	if w.Near != nil {
		list = append(list, Detail{"may replace " + policy.Inert(w.Near.Key), policy.Inert(w.Near.Value.Plain())})
	}
	return list
}

func (w *Waiting) dropHelp() string {
	switch {
	case w.ID != "":
		return "drop it: nothing is saved"
	case w.Why == WaitsForgotten:
		return "leave the item forgotten, and drop this value"
	}
	if w.Before != "" {
		return "bring the earlier value back"
	}
	return "forget it"
}

// Proposed is the text that an editor opens with: of a proposal the person's whole sentence.
func (w Waiting) Proposed() string {
	switch {
	case w.Said != "" && w.Value.Kind == memfile.String:
		return w.Said
	case w.Value.Kind == memfile.String:
		return w.Value.Text
	}
	return w.Value.YAML()
}

// Correction reports whether it is what the person said to an agent against a value that they had stated.
func (w Waiting) Correction() bool {
	_, said := memfile.SaidOn(w.Source, w.By)
	return said && w.Stated != nil
}

// Title is what it is called: its key, with its tier where it is no item.
func (w Waiting) Title() string {
	name := cmp.Or(policy.Inert(memory.Redacted(strings.TrimSpace(w.Key))), w.ID, "(no key)")
	return strings.TrimSpace(w.Tier + " " + name)
}

// Reason says why it waits.
func (w Waiting) Reason() string {
	if w.Correction() {
		return "You said it to an agent, against your own value; sessions have both"
	}
	says := map[string]string{
		proposed: "A proposal from what you said", memory.Held: "Held by a rule", waitsConflict: "Two values are in conflict", memfile.Low: "Low confidence",
		memfile.TagNeedsConfirmation: "Needs your confirmation", waitsEdited: "Another program changed your value", contents.RuleWithdrawn: "Its line was removed from the file",
		WaitsForgotten: "You forgot this, and another branch changed it", session.WhyUnreviewed: "Not reviewed yet", WaitsOutranked: "A person's value in another scope wins",
		WaitsNew: "An agent stored it, and sessions have it",
	}
	return cmp.Or(says[w.Why], strings.ToUpper(w.Why[:min(1, len(w.Why))])+policy.Inert(w.Why[min(1, len(w.Why)):]))
}

// OtherRules are the rules that are not its reason.
func (w Waiting) OtherRules() []string {
	return slices.DeleteFunc(slices.Clone(w.Rules), func(rule string) bool { return rule == w.Why })
}

// Facts are where it comes from, its day, and the agent that stored it lately.
func (w Waiting) Facts() (list []string) {
	if w.Source != "" {
		list = append(list, w.Source)
	}
	if w.Said == "" && w.Day != "" && !strings.HasSuffix(w.Source, w.Day) {
		list = append(list, w.Day)
	}
	if w.New != "" {
		list = append(list, "new from "+w.New)
	}
	return list
}

// Single reports whether the decision is one that can be made together with others: there is one value to keep or to drop.
func (w Waiting) Single() bool { return len(w.Options) == 1 && w.Why != WaitsForgotten }

// shortValue is a value for a question; the text above it has all of the value.
func shortValue(v memfile.Value) string { return policy.Cut(policy.Inert(v.Plain()), 40) }
