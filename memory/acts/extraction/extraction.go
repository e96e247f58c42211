// Package extraction lets a configured model read what a person said to agents, and stores what
// it finds, as memctl's own conclusions.
package extraction

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/capture/extract"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/setup"
	"github.com/memctl/memctl/policy"
)

// Conversation is a stretch of a session that a model has not read.
type Conversation struct {
	Agent   string // the client's name, or ""
	Session string // its id, or ""
	Scope   string // where everything goes; "" lets each statement say
	Name    string // what facts and the summary belong to, and all that is stored; "" for the scope's own and the session's
	Time    time.Time
	Turns   []extract.Turn
	// NoSummary keeps no rolling summary.
	NoSummary bool
}

// Result is what came of conversations.
type Result struct {
	Act        string         `json:"act"`
	Requests   int            `json:"request_count"`    // answered by a model
	Tokens     int            `json:"token_count"`      // that they used
	Found      int            `json:"found_count"`      // statements in the answers
	Ungrounded int            `json:"ungrounded_count"` // of these, the person did not say so
	Known      int            `json:"known_count"`      // of these, memory had so many
	Refused    int            `json:"refused_count"`    // of these, the policy or the person's rules refuse so many
	Waiting    int            `json:"waiting_count"`    // segments that still wait
	Writes     []memory.Write `json:"writes"`
}

// NewResult returns the result of no conversation.
func NewResult() Result {
	return Result{Act: "capture", Writes: []memory.Write{}}
}

// reading is the reading of one conversation.
type reading struct {
	ctx      context.Context
	ss       *store.Stores
	chain    llm.Chain
	c        Conversation
	res      *Result
	requests []edit.Request // what was found in a part, to be stored
}

// Extract lets the chain's models read a conversation and stores what they find, as the origin
// automatic. Facts wait for the person's review, like every automatic write. Errors: those of
// llm.Chain.Ask, with nothing of the part stored that no model could read; a store that cannot be
// read or written.
func Extract(ctx context.Context, ss *store.Stores, chain llm.Chain, c Conversation, res *Result) error {
	r := &reading{ctx: ctx, ss: ss, chain: chain, c: c, res: res}
	for i := range c.Turns {
		c.Turns[i].Text = memory.Redacted(c.Turns[i].Text) // no provider gets a secret
	}
	for _, part := range extract.Batches(c.Turns) {
		if err := r.part(part); err != nil {
			return err
		}
	}
	return nil
}

// part extracts one part of the conversation, if it has words of the person.
func (r *reading) part(part []extract.Turn) error {
	if !slices.ContainsFunc(part, func(t extract.Turn) bool { return t.By == transcript.Person }) {
		return nil
	}
	previous, err := r.summary()
	if err != nil {
		return err
	}
	answer, err := r.chain.Ask(r.ctx, extract.Request(part, previous, setup.UserFields()))
	r.res.Tokens += answer.Usage.Total()
	if err != nil {
		return err
	}
	r.res.Requests++
	found, err := extract.Read(answer.JSON)
	if err != nil {
		return err
	}
	r.res.Found += found.Count()
	found, dropped := found.Quoted(part, previous)
	r.res.Ungrounded += dropped
	if r.c.Name != "" { // the rest belongs to no conversation, and others would get it
		found = extract.Findings{Facts: found.Facts, Topics: found.Topics, Summary: found.Summary}
	}
	if len(found.Daily) > 0 {
		r.requests = append(r.requests, edit.Request{
			Options: r.options(r.place(false)), Role: entry.RoleNote, Text: strings.Join(found.Daily, " "), Topics: found.Topics, Session: r.c.Session, Created: r.c.Time,
		})
	}
	r.lessons(found)
	err = errors.Join(r.facts(found), r.storeProfile(found), r.projects(found))
	r.summarize(previous, found)
	return errors.Join(err, r.store())
}

// options are those of a write in a scope.
func (r *reading) options(scope string) memory.Options {
	return memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Automatic, Name: r.c.Agent}, SaidOn: r.c.Time.UTC().Format(time.DateOnly)}
}

// note counts a write.
func (r *reading) note(w memory.Write) {
	switch {
	case w.Verdict == policy.Refuse.String():
		r.res.Refused++
	case !w.Changed && w.Verdict == policy.Accept.String() && !r.ss.DryRun():
		r.res.Known++
	default:
		r.res.Writes = append(r.res.Writes, w)
	}
}

// store stores what was found. One undo reverts it.
func (r *reading) store() error {
	var failed error
	command, keys := rand.Text(), map[string]bool{}
	for _, req := range r.requests {
		if req.Key == "" || !keys[req.Key] { // an undo reverts one act on each record
			req.Command = command
		}
		keys[req.Key] = true
		if w, err := edit.Add(r.ctx, r.ss, req); err != nil {
			failed = errors.Join(failed, err)
		} else {
			r.note(w)
		}
	}
	r.requests = nil
	return failed
}

// summarized is the conversation of the rolling summary, "" for none.
func (c Conversation) summarized() string {
	switch {
	case c.NoSummary:
		return ""
	case c.Name != "" || c.Session == "":
		return c.Name
	}
	return briefing.SessionConversation(c.Session)
}

// place is where what is about the person goes, or about the project.
func (r *reading) place(person bool) string {
	if r.c.Scope != "" {
		return r.c.Scope
	}
	return memory.SaidScope(r.ss, person)
}

// remember is the request that stores a fact.
func (r *reading) remember(f extract.Fact, topics []string) edit.Request {
	if len(f.Topics) > 0 {
		topics = f.Topics
	}
	person := f.Category == "personal" || capture.ScopeOf("", f.Text) == store.User
	return edit.Request{
		Options: r.options(r.place(person)), Role: entry.RoleFact, Text: f.Text, Category: f.Category, Topics: topics, Session: r.c.Session, Conversation: r.c.Name,
	}
}

func (r *reading) storeProfile(found extract.Findings) error {
	var names []string
	values := map[string][]string{}
	for _, f := range found.Profile {
		if values[f.Name] == nil {
			names = append(names, f.Name)
		}
		values[f.Name] = append(values[f.Name], f.Value)
	}
	for _, name := range names {
		req, err := setup.UserRequest(r.ctx, r.ss, r.options(r.place(true)), name, values[name]...)
		if err := r.add(req, err); err != nil {
			return err
		}
	}
	return nil
}

// add has an item stored; a refusal is counted.
func (r *reading) add(req edit.Request, err error) error {
	var refusal *memory.Refusal
	switch {
	case errors.As(err, &refusal):
		r.res.Refused++
	case err != nil:
		return err
	default:
		r.requests = append(r.requests, req)
	}
	return nil
}

func (r *reading) projects(found extract.Findings) error {
	for _, p := range found.Projects {
		req := setup.ProjectRequest{Options: r.options(r.place(true)), Name: p.Name, Description: p.Quote, Technologies: p.Technologies}
		if err := r.add(req.Add(r.ctx, r.ss)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) lessons(found extract.Findings) {
	for _, l := range found.Lessons {
		value := memfile.Value{Kind: memfile.Map}
		for _, part := range [][2]string{{"issue", l.Issue}, {"outcome", l.Fix}, {"fix", l.Fix}} {
			value.Map = append(value.Map, memfile.Field{Name: part[0], Value: memfile.Str(part[1])})
		}
		key, best := memfile.NormalKey("lessons." + l.Name)
		if !memfile.KeyForm(key) {
			key = best
		}
		r.requests = append(r.requests, edit.Request{Options: r.options(r.place(false)), Key: key, Value: value})
	}
}

// summary is the session's rolling summary so far.
func (r *reading) summary() (string, error) {
	st, err := r.ss.Get(r.ctx, r.place(false))
	if err != nil || r.c.summarized() == "" {
		return "", err
	}
	e := entry.Entry{Role: entry.RoleSummary, Conversation: r.c.summarized()}
	data, err := contents.EntryBytes(st, e.Path())
	if err != nil || data == nil {
		return "", err
	}
	f, _ := entry.Parse(e.Path(), data)
	if f == nil {
		return "", nil
	}
	return f.Entry().Text, nil
}

// summarize stores the rolling summary: the model's, or one by rule where the model gave none.
func (r *reading) summarize(previous string, found extract.Findings) {
	if r.c.summarized() == "" {
		return
	}
	text := extract.Shorten(strings.Join(found.Summary, "\n"))
	if text == "" {
		var facts []string
		for _, f := range found.Facts {
			facts = append(facts, f.Text)
		}
		text = extract.Summarize(previous, facts)
	}
	if text == "" || text == previous {
		return
	}
	r.requests = append(r.requests, edit.Request{
		Options: r.options(r.place(false)), Role: entry.RoleSummary, Text: text, Session: r.c.Session, Conversation: r.c.summarized(),
	})
}
