// Package notice keeps what a person says to an agent in passing: hooks note it, later acts put
// it into memory or before the person.
package notice

import (
	"context"
	"os"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/localstate"
)

const (
	// askEvery is how many prompts of a session lie between two questions to the agent.
	askEvery = 5
)

// Prompt is a person's prompt, as a hook was told of it.
type Prompt struct {
	Agent      string
	Session    string
	Text       string
	Previous   func() string               // gives what the agent said last; nil where it is not needed
	Transcript string                      // the path of the agent's own record, "" where it is not known
	HasTools   func() bool                 // reports whether the agent has memctl's tools; nil for no
	HintsOf    func(memory.Write) []string // the commands that help after a write
}

// Noticed is what came of a prompt.
type Noticed struct {
	Person string // a line for the person, "" for none
	Agent  string // a line for the agent, "" for none
}

// on reports whether what a person says is to be noticed.
func on(ctx context.Context, ss *store.Stores) bool {
	v, err := ss.Setting(ctx, store.Capture)
	if err != nil || v.Text == store.CaptureOff {
		return false
	}
	mine, err := ss.Setting(ctx, store.Enabled) // a model that memctl itself starts has memory off
	return err == nil && mine.On()
}

// Note notes what a prompt states. Errors: the local state cannot be written or is held.
func Note(ctx context.Context, ss *store.Stores, p Prompt) (Noticed, error) {
	var none Noticed
	if p.Text == "" || p.Session == "" || !on(ctx, ss) {
		return none, nil
	}
	previous := ""
	if p.Previous != nil {
		previous = p.Previous()
	}
	found := capture.Said(p.Text, previous)
	ask := found.Ask && len(found.Statements) == 0 && p.HasTools != nil && p.HasTools()
	asked := record(ss, p, previous, ask)
	var list, waiting []localstate.Noted
	if len(found.Statements) > 0 {
		waiting, _ = localstate.NotedStatements(ss) // without them, two notes that contradict get two keys
	}
	long := capture.Long(p.Text)
	for _, s := range found.Statements {
		sentence := p.Text[s.From:s.To]
		switch {
		case !allowed(ss, s.Key, s.Text):
			continue
		case !allowed(ss, s.Key, sentence):
			sentence = s.Text
		}
		n := localstate.Noted{
			Agent: p.Agent, Session: p.Session, Prompt: localstate.TextDigest(p.Text), Transcript: p.Transcript, Offset: sizeOf(p.Transcript),
			Sentence: sentence, Text: s.Text, Key: s.Key, Kind: string(s.Kind), Explicit: s.Explicit, Person: s.Person, Long: long,
		}
		n.Key = keyFor(ctx, ss, n, waiting)
		list = append(list, n)
	}
	if len(list) == 0 {
		if asked {
			return Noticed{Agent: askLine}, nil
		}
		return none, nil
	}
	added, err := localstate.Note(ctx, ss, list)
	if err != nil || len(added) == 0 {
		return none, err
	}
	return Noticed{Person: p.personLine(ctx, ss, added)}, nil
}

// askLine asks the agent to decide what the rules cannot.
const askLine = "If the person just stated something that should hold beyond this task, keep it with `remember`, a `key` and `said_by_user`; otherwise ignore this."

// minAnswer is how many distinctive words a prompt has that says something by itself. A shorter one,
// such as "yes, always", answers the agent.
const minAnswer = 2

// surePrompt is from how many words on a prompt shows in which language it is. It is few: that a
// prompt counts as English makes memctl distrust what the agent says of it.
const surePrompt = 3

// maxCompared is up to what size, in bytes, the words of a prompt are kept: a hook has no time for
// those of a pasted text.
const maxCompared = 4000

// record keeps which words the prompt has, until the session ends. ask reports whether the agent
// could be asked about it, and asked whether it is.
func record(ss *store.Stores, p Prompt, previous string, ask bool) (asked bool) {
	rec := localstate.Prompt{Agent: p.Agent, Session: p.Session, Cut: len(p.Text) > maxCompared}
	var words []string
	if !rec.Cut {
		words = similar.Distinctive(p.Text)
		rec.English = similar.English(p.Text, surePrompt)
		rec.Answers = len(words) < minAnswer || strings.Contains(previous, "?")
	}
	if ask {
		rec.Asked = localstate.Unasked
		if asked = mayAsk(ss, p); asked {
			rec.Asked = localstate.Asked
		}
	}
	return localstate.RecordPrompt(ss, rec, words) == nil && asked
}

// mayAsk reports whether the agent may be asked about this prompt: of the prompts that the
// rules cannot decide, the first and every fifth after it. Where several sessions of the agent run,
// none is asked, because it could not be told whose answer a write is.
func mayAsk(ss *store.Stores, p Prompt) bool {
	prompts, _ := memory.PromptsOf(ss, p.Agent)
	since := askEvery
	for _, was := range prompts {
		switch {
		case was.Session != p.Session && memory.Running(ss, was):
			return false
		case was.Session != p.Session:
		case was.Asked == localstate.Asked:
			since = 1
		case was.Asked == localstate.Unasked:
			since++
		}
	}
	return since >= askEvery
}

// allowed asks the policy, which rules on captured text as on any other that no person typed
// into memctl: nothing it refuses is even noted.
func allowed(ss *store.Stores, key, text string) bool {
	r := ss.Rule(policy.Candidate{Key: key, Value: memfile.Str(text), Automatic: true, Said: true})
	return r.Verdict != policy.Refuse
}

// personLine says what was noted and how to drop it, and why a wish will not be kept.
func (p Prompt) personLine(ctx context.Context, ss *store.Stores, added []localstate.Noted) string {
	var texts, keys, not []string
	for _, n := range added {
		text := `"` + policy.Inert(n.Text) + `"`
		if n.Explicit { // of a proposal the person is asked in any case
			if w := declined(ctx, ss, n); w != nil {
				not = append(not, "did not note "+text+": "+p.why(*w))
				continue
			}
		}
		texts, keys = append(texts, text+contradiction(ctx, ss, n)), append(keys, n.Key)
	}
	if len(texts) > 0 {
		not = append([]string{"noted " + strings.Join(texts, " and ") + "; to drop it: memctl forget --captured " + strings.Join(keys, " ")}, not...)
	}
	return "memctl: " + strings.Join(not, "; ")
}

// declined is memory's refusal of a statement, for example because the person forgot it; nil where
// memory takes the statement.
func declined(ctx context.Context, ss *store.Stores, n localstate.Noted) *memory.Write {
	req := request(ss, n)
	w, err := edit.Add(ctx, ss.Trial(), req)
	if err != nil || w.Verdict != policy.Refuse.String() || len(w.Findings) == 0 {
		return nil
	}
	return &w
}

// why is the reason of a refusal, with the command that changes it.
func (p Prompt) why(w memory.Write) string {
	if hints := p.HintsOf(w); len(hints) > 0 {
		return w.Findings[0].Message + " (" + hints[0] + ")"
	}
	return w.Findings[0].Message
}

// sizeOf is the size of a file, 0 where there is none.
func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
