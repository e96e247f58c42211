// Package notice looks at what a person says to an agent in passing. It reminds the agent of what seems to last, keeps what
// the person asked to remember until a write answers it or they decide, and reads transcripts for the note of the day. It
// stores no memory.
package notice

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/policy"
)

// Prompt is a person's prompt, as a hook was told of it.
type Prompt struct {
	Agent    string
	Session  string
	Turn     string // tells it from the session's other prompts
	Text     string
	Previous func() string // gives what the agent said last; nil where it is not needed
	Typed    bool          // a person gives the session's prompts, as far as the client can say it
	Lesson   func() bool   // whether a command has passed at last since the last prompt; nil where it is not known
	CanStore func() string // how the agent itself can store: the call or command, up to the prompt's number; nil where it is not told
}

// Noticed is what came of a prompt.
type Noticed struct {
	Person string // lines for the person, "" for none
	Agent  string // a line for the agent, "" for none
}

// isNoticing reports whether what a person says is to be noticed.
func isNoticing(ctx context.Context, ss *store.Stores) bool {
	v, err := ss.Setting(ctx, store.Capture)
	return err == nil && v.Text != store.CaptureOff && enabled(ctx, ss)
}

// enabled reports whether memory is on. A model that memctl itself starts has it off.
func enabled(ctx context.Context, ss *store.Stores) bool {
	mine, err := ss.Setting(ctx, store.Enabled)
	return err == nil && mine.Bool()
}

// Note records the words of a person's prompt, and looks for lasting statements in it. If there may be one, the agent is
// told to store it. What the person asks to remember is pending until a write answers it; if a program may have given the
// prompt, it becomes a proposal at once. Errors: the local state cannot be written.
func Note(ctx context.Context, ss *store.Stores, p Prompt) (n Noticed, err error) {
	if p.Text == "" || p.Session == "" || !enabled(ctx, ss) {
		return n, nil
	}
	capturing, previous := isNoticing(ctx, ss), ""
	if p.Previous != nil && capturing {
		previous = p.Previous()
	}
	found, own := capture.Said(p.Text, previous), capture.OwnWords(p.Text)
	suspected := len(found.Statements) > 0 || found.Suspected != ""
	seen := localstate.Prompt{Agent: p.Agent, Session: p.Session, Turn: p.Turn, Long: capture.IsPasted(p.Text), Lasting: suspected || capture.AsksToRemember(p.Text)}
	how := ""
	var lines []string
	if capturing && suspected {
		seen.Asked, lines = askedToRemember(ctx, ss, found.Statements, p.Text)
		if p.Typed && p.CanStore != nil && (len(lines) == 0 || len(seen.Asked) > 0) { // the person was told why it cannot be remembered
			how = p.CanStore()
		}
	}
	number := 0
	if how != "" {
		number, err = memory.RecordPrompt(ss, seen, own, true)
	}
	if number > 0 {
		n.Agent = reminder(how, number, seen.Asked, nearKey(ctx, ss, found, seen.Asked))
	} else {
		seen.Asked = slices.DeleteFunc(seen.Asked, func(a localstate.Asked) bool {
			became := propose(ctx, ss, a, p.Agent, p.Session, ss.Today())
			if became == proposed {
				lines = append(lines, heardLine(a))
			}
			return became != failed
		})
	}
	n.Person = strings.Join(lines, "\n")
	if !p.Typed {
		return n, nil
	}
	if how == "" {
		_, err = memory.RecordPrompt(ss, seen, own, false)
	}
	if capturing && p.Lesson != nil && p.Lesson() && p.CanStore != nil {
		n.Agent = strings.TrimPrefix(n.Agent+"\n"+lessonLine, "\n")
	}
	return n, err
}

// lessonLine reminds the agent of a lesson.
const lessonLine = "A command passed at last. If others would meet this, remember a lesson (issue, outcome, fix)."

// reminder is the line to the agent, of what the person asked to remember or of what only may last.
func reminder(how string, number int, asked []localstate.Asked, near string) string {
	const scope = " (scope user if for all repositories)."
	if how += " " + strconv.Itoa(number); near != "" {
		how += ", key " + policy.Inert(near)
	}
	if len(asked) == 0 {
		return "Lasting? " + how + scope + " Else ignore."
	}
	head := "Asked to remember. "
	if len(asked) > 1 {
		head = fmt.Sprintf("Asked to remember %d things. ", len(asked))
	}
	return head + how + scope
}

// nearKey is the key of the listed item that the first statement changes or says again, "" for none.
func nearKey(ctx context.Context, ss *store.Stores, found capture.Found, asked []localstate.Asked) string {
	for _, a := range asked {
		if a.Near != "" {
			return a.Near
		}
	}
	text := found.Suspected
	if len(found.Statements) > 0 {
		text = found.Statements[0].Text
	}
	if len(asked) > 0 {
		return ""
	}
	if near, _ := nearest(ctx, ss, localstate.Asked{Text: text}); near != nil {
		return near.Key
	}
	return ""
}

// askedToRemember are the statements that the person asks to remember. The lines tell them of those that memory may not have.
func askedToRemember(ctx context.Context, ss *store.Stores, list []capture.Statement, prompt string) (pending []localstate.Asked, lines []string) {
	for _, s := range list {
		if !s.Explicit {
			continue
		}
		a := localstate.Asked{Scope: memory.SaidScope(ss, s.Person), Key: s.Key, Text: s.Text, Sentence: prompt[s.From:s.To]}
		if why := whyRefused(ss, a.Key, a.Text); why != "" {
			lines = append(lines, "memctl heard what you asked to remember; not remembered: "+why)
			continue
		}
		if whyRefused(ss, a.Key, a.Sentence) != "" {
			a.Sentence = a.Text
		}
		near, same := nearest(ctx, ss, a)
		if near != nil {
			a.Near = near.Key
		}
		if w := trial(ctx, ss, a.Scope, a.Key, a.Text); !same && w.Verdict == policy.Refuse.String() && len(w.Findings) > 0 &&
			slices.Contains([]string{memory.RuleForgotten, memory.RuleLocked}, w.Findings[0].Rule) {
			line := "memctl heard " + quoted(a.Text) + "; not remembered: " + w.Findings[0].Message
			if len(w.Hints) > 0 {
				line += " (" + w.Hints[0] + ")"
			}
			lines = append(lines, line)
			continue
		}
		pending = append(pending, a)
	}
	return pending, lines
}

// whyRefused says why the policy lets nothing keep the words, "" if it lets something. It judges them like text that no
// person typed into memctl.
func whyRefused(ss *store.Stores, key, text string) string {
	r := ss.Rule(policy.Candidate{Key: key, Value: memfile.Str(text), Automatic: true, SaidByPerson: true})
	if r.Verdict != policy.Refuse {
		return ""
	}
	if len(r.Findings) == 0 {
		return "the policy refuses it"
	}
	return r.Findings[0].Message
}

// trial is the answer to a dry run of the write that an agent could make of a statement.
func trial(ctx context.Context, ss *store.Stores, scope, key, text string) memory.Write {
	o := memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Relayed}, SaidOn: ss.Today()}
	w, _ := edit.Add(ctx, ss.Trial(), edit.Request{Options: o, Key: key, Value: memfile.Str(text)})
	return w
}

// quoted is a text of the person for a line to them.
func quoted(text string) string { return `"` + policy.Inert(text) + `"` }

// heardLine tells the person of a proposal.
func heardLine(a localstate.Asked) string {
	line := "memctl heard " + quoted(a.Text) + "; not remembered until you keep it: memctl review"
	if a.Near != "" {
		line += fmt.Sprintf(" (near: %s)", policy.Inert(a.Near))
	}
	return line
}

// nearest finds the listed item that a statement changes or says again: the one that says it, else that of the same key or
// of the key misspelled, else the one that it concerns most. It is nil where there is none; same reports whether it says the
// statement already.
func nearest(ctx context.Context, ss *store.Stores, a localstate.Asked) (near *contents.Item, same bool) {
	memories, err := contents.NewView(ctx, ss, contents.Hook).Memories("")
	if err != nil {
		return nil, false
	}
	best := 0.
	for _, m := range memories {
		for i := range m.Items {
			it := &m.Items[i]
			if it.Reasons()&^contents.Doubts != 0 {
				continue
			}
			if it.Reasons() == 0 && capture.Same(it.Key, it.Value.Plain(), a.Key, a.Text) {
				return it, true
			}
			score := memory.Concerns(a.Text, it.Key, it.Value.Plain())
			if it.Key == a.Key || spelling.IsMisspelled(it.Key, a.Key) {
				score = 2
			}
			if score > best {
				near, best = it, score
			}
		}
	}
	return near, false
}
