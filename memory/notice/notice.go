// Package notice handles what a person says to an agent in passing: it stores what they ask to
// remember, asks the agent about what the rules suspect, and reads transcripts for the note of the day.
package notice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/capture/rules"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// hookWait bounds the wait for another writer.
	hookWait = 200 * time.Millisecond
	// oftenSaid is in how many sessions a person says something before memctl says so.
	oftenSaid = 3
)

// Prompt is a person's prompt, as a hook was told of it.
type Prompt struct {
	Agent      string
	Session    string
	Text       string
	Previous   func() string // gives what the agent said last; nil where it is not needed
	Typed      bool          // a person gives the session's prompts, as far as the client can say it
	Transcript string        // where the client will show that a person typed the prompt; "" where it does not
	CanStore   func() string // how the agent itself can store: a tool or a command; nil or "" for not at all
}

// Noticed is what came of a prompt.
type Noticed struct {
	Person string // lines for the person, "" for none
	Agent  string // a line for the agent, "" for none
}

// on reports whether what a person says is to be noticed.
func on(ctx context.Context, ss *store.Stores) bool {
	v, err := ss.Setting(ctx, store.Capture)
	return err == nil && v.Text != store.CaptureOff && enabled(ctx, ss)
}

// enabled reports whether memory is on. A model that memctl itself starts has it off.
func enabled(ctx context.Context, ss *store.Stores) bool {
	mine, err := ss.Setting(ctx, store.Enabled)
	return err == nil && mine.On()
}

// Note records the words of a person's prompt, and looks for lasting statements in it. What the person asks to
// remember becomes a record, if the client's transcript can show that they typed it. About the rest the agent is asked, if it
// can store, and else the person. Errors: the local state cannot be written.
func Note(ctx context.Context, ss *store.Stores, p Prompt) (n Noticed, err error) {
	if p.Text == "" || p.Session == "" || !enabled(ctx, ss) {
		return n, nil
	}
	previous := ""
	if p.Previous != nil && on(ctx, ss) {
		previous = p.Previous()
	}
	found := capture.Said(p.Text, previous)
	seen := localstate.Prompt{
		Agent: p.Agent, Session: p.Session, Long: capture.Long(p.Text),
		Lasting: len(found.Statements)+len(found.Suspected) > 0 || capture.AsksToRemember(p.Text),
	}
	if on(ctx, ss) {
		n = p.statements(ctx, ss, found, &seen)
	}
	switch {
	case p.Typed:
		return n, memory.RecordPrompt(ss, seen, capture.OwnWords(p.Text))
	case len(seen.Stored) > 0:
		return n, memory.RecordPrompt(ss, seen, "")
	}
	return n, nil
}

// statements looks at the lasting statements that were found in the prompt, and notes in seen which of them became a record.
func (p Prompt) statements(ctx context.Context, ss *store.Stores, found rules.Found, seen *localstate.Prompt) (n Noticed) {
	var lines []string
	var rest []statement
	for _, s := range found.Statements {
		st := statement{s, p.Text[s.From:s.To]}
		switch {
		case !allowed(ss, s.Key, s.Text):
			continue
		case !allowed(ss, s.Key, st.sentence):
			st.sentence = s.Text
		}
		if s.Explicit && !seen.Long && p.Transcript != "" && (s.Person || ss.Repo() != nil || ss.Alone()) {
			if stored, line := p.store(ctx, ss, st); line != "" {
				lines = append(lines, line)
				if stored != nil {
					seen.Stored = append(seen.Stored, *stored)
				}
				continue
			}
		}
		rest = append(rest, st)
	}
	lines = append(lines, p.doubtful(ctx, ss, rest, found.Suspected, &n)...)
	n.Person = strings.Join(lines, "\n")
	if len(seen.Stored) > 0 {
		seen.Prompt, seen.Transcript, seen.Offset = localstate.TextDigest(p.Text), p.Transcript, sizeOf(p.Transcript)
	}
	return n
}

// statement is a statement with the sentence that shows it.
type statement struct {
	rules.Statement
	sentence string
}

// allowed asks the policy, which rules on captured text as on any other that no person typed
// into memctl: nothing it refuses is even noted.
func allowed(ss *store.Stores, key, text string) bool {
	r := ss.Rule(policy.Candidate{Key: key, Value: memfile.Str(text), Automatic: true, Said: true})
	return r.Verdict != policy.Refuse
}

// quoted is a text of the person for a line to them.
func quoted(text string) string { return `"` + policy.Inert(text) + `"` }

// store makes a record of what the person asks to remember. line tells them what came of it; it is
// "" where the record could not be written.
func (p Prompt) store(ctx context.Context, ss *store.Stores, s statement) (stored *localstate.Stored, line string) {
	if it, scope := p.known(ctx, ss, s); it != nil {
		return nil, "memctl will remember " + quoted(s.Text) + " (" + scope + " has it as " + policy.Inert(it.Key) + ")"
	}
	scope := memory.SaidScope(ss, s.Person)
	other := contradicts(ctx, ss, scope, s.Key, s.Text)
	if other != nil {
		s.Key = other.key
	}
	w, err := edit.Add(ctx, ss, edit.Request{
		Options: memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Relayed, Name: p.Agent}, SaidOn: ss.Today()},
		Key:     s.Key, Value: memfile.Str(s.Text),
	})
	switch {
	case err != nil, w.Why == memory.Held:
		return nil, ""
	case w.Verdict == policy.Refuse.String():
		return nil, p.heard(s, w, "not remembered")
	}
	stored = &localstate.Stored{Scope: w.Scope, Key: w.Key, Text: s.Text, Sentence: s.sentence}
	if w.Verdict == policy.Hold.String() {
		return stored, p.heard(s, w, "it waits, because git cannot commit now: "+w.Why)
	}
	if other != nil && other.stated {
		all := ""
		if other.scope == store.Project {
			all = ", for everyone"
		}
		return stored, fmt.Sprintf("memctl has %s = %s, which you stated; sessions get both, %s first. To put it in place of the whole old text"+all+": memctl confirm %s; to drop it: memctl forget --captured %s",
			w.Key, quoted(memory.OneLine(other.value)), quoted(s.Text), w.Key, w.Key)
	}
	before := ""
	if other != nil && w.Changed {
		before = " in place of " + quoted(memory.OneLine(other.value))
	}
	return stored, "memctl will remember " + quoted(s.Text) + before + " (" + forWhom(ctx, ss, w) + "drop it: memctl forget --captured " + w.Key + ")"
}

// forWhom says where a stored statement counts, if others could expect it elsewhere, and how it gets to them.
func forWhom(ctx context.Context, ss *store.Stores, w memory.Write) string {
	switch project, err := memory.ProjectMemory(ctx, ss); {
	case w.Scope == store.User:
		return "in all repositories; "
	case w.Scope == store.Private && err == nil && project != nil && project.Exists:
		return "for you; for everyone: memctl move " + w.Key + " --to project; "
	}
	return ""
}

// heard says what became of a statement that is not stored, and why, with the command that changes it.
func (p Prompt) heard(s statement, w memory.Write, became string) string {
	why := ""
	if len(w.Findings) > 0 {
		why = ": " + w.Findings[0].Message
	}
	if len(w.Hints) > 0 {
		why += " (" + w.Hints[0] + ")"
	}
	return "memctl heard " + quoted(s.Text) + "; " + became + why
}

// known finds the item that makes the same statement already, where sessions get it. It counts a
// signal for an item of the person's own scopes.
func (p Prompt) known(ctx context.Context, ss *store.Stores, s statement) (known *contents.Item, scope string) {
	v := contents.NewView(ctx, ss, contents.Hook)
	memories, err := v.Memories("")
	if err != nil {
		return nil, ""
	}
	for _, m := range memories {
		for i := range m.Items {
			if it := &m.Items[i]; it.Out() == 0 && capture.Same(it.Key, it.Value.Plain(), s.Key, s.Text) {
				known, scope = it, m.Store.Scope
			}
		}
	}
	if known == nil {
		return nil, ""
	}
	if contents.PersonsOwn(scope) {
		_, _ = edit.Add(ctx, ss, edit.Request{
			Options: memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Automatic, Name: p.Agent}}, Key: known.Key, Value: known.Value,
		})
	}
	return known, scope
}

// doubtful asks about what the rules suspect: the agent if it can store, else the person. The same
// in a third session is said to be that.
func (p Prompt) doubtful(ctx context.Context, ss *store.Stores, list []statement, suspected string, n *Noticed) (lines []string) {
	if len(list) == 0 && suspected == "" {
		return nil
	}
	how := ""
	if p.CanStore != nil {
		how = p.CanStore()
	}
	sessions, said := 0, []string{suspected}
	for _, s := range list {
		said = append(said, s.Text)
	}
	for _, text := range said {
		if times, err := localstate.CountRepeat(ctx, ss, similar.Distinctive(text), p.Session); err == nil {
			sessions = max(sessions, times)
		}
	}
	if own := capture.OwnWords(p.Text); how == "" && capture.Long(p.Text) && len(strings.Fields(own)) < len(strings.Fields(p.Text)) {
		return nil // it has a paste, and what looks like a statement may be a part of that
	}
	if how != "" {
		n.Agent = "Lasting? " + how + " Else ignore."
		if sessions >= oftenSaid {
			n.Agent = fmt.Sprintf("The person has said this in %d sessions. %s", sessions, n.Agent)
		}
		return nil
	}
	dropped, err := localstate.DroppedStatements(ss)
	if err != nil {
		return nil
	}
	for _, s := range list {
		if !s.Explicit && dropped(s.Text) {
			continue
		}
		if p.propose(ctx, ss, s, sessions) {
			line := "memctl heard " + quoted(s.Text)
			if sessions >= oftenSaid {
				line += fmt.Sprintf(" in %d sessions", sessions)
			}
			lines = append(lines, line+"; not remembered until you keep it: memctl review")
		}
	}
	return lines
}

// propose puts the statement before the person, unless memory has it or they forgot it.
func (p Prompt) propose(ctx context.Context, ss *store.Stores, s statement, sessions int) bool {
	if it, _ := p.known(ctx, ss, s); it != nil {
		return false
	}
	if other := contradicts(ctx, ss, memory.SaidScope(ss, s.Person), s.Key, s.Text); other != nil {
		s.Key = other.key
	}
	w := proposalOf(localstate.Stored{Key: s.Key, Text: s.Text, Sentence: s.sentence}, p.Agent, p.Session, ss.Today())
	trial, err := edit.Add(ctx, ss.Trial(), edit.Request{
		Options: memory.Options{Scope: memory.SaidScope(ss, s.Person), Origin: memory.Origin{Kind: memory.Relayed, Name: p.Agent}, SaidOn: ss.Today()}, Key: s.Key, Value: w.Value,
	})
	if err != nil || trial.Verdict == policy.Refuse.String() && len(trial.Findings) > 0 {
		return false
	}
	st, err := ss.Get(ctx, memory.SaidScope(ss, s.Person))
	if err != nil {
		return false
	}
	w.Signals = sessions
	return ledger.Enqueue(ctx, st, w, hookWait) == nil
}

// proposalOf is a statement as it waits for the person.
func proposalOf(s localstate.Stored, agent, session, day string) ledger.Waiting {
	return ledger.Waiting{
		Act: "add", Key: s.Key, Value: memfile.Str(s.Text), Labels: labels.Labels{Confidence: memfile.Low}, Origin: memory.Automatic, Agent: agent, Why: ledger.WhyHeld,
		Said: s.Sentence, Session: session, SaidOn: day,
	}
}
