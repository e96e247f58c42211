package mcpserver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/character"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/review"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// written is the answer of a tool that writes.
type written struct {
	Schema  int      `json:"schema"`
	Verdict string   `json:"verdict"`
	Act     string   `json:"act"`
	Key     string   `json:"key"`
	Scope   string   `json:"scope,omitempty"`
	Origin  string   `json:"origin"`
	Changed bool     `json:"changed"`
	Message string   `json:"message"`
	Rules   []string `json:"rules,omitempty"`
	Commit  *string  `json:"commit"`
	Why     string   `json:"why,omitempty"`
	Item    any      `json:"item,omitempty"` // as it stands now: a hit
	Person  []string `json:"for_the_person,omitempty"`
	// Similar is the known item that a new one probably repeats.
	Similar *memory.Similar `json:"similar,omitempty"`
}

func (w written) failed() bool { return w.Verdict == policy.Refuse.String() }

// doing is one act, on stores that were opened for it.
type doing func(*store.Stores, memory.Options) (memory.Write, error)

func (c *call) update() (any, error) {
	var in struct {
		Key   string        `json:"key"`
		Value memfile.Value `json:"value"`
		Said  bool          `json:"said_by_user"`
		Scope string        `json:"scope"`
	}
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	if in.Key == "" {
		return nil, missing("key")
	}
	fact, err := c.entry(in.Key, in.Scope)
	if err != nil {
		return nil, err
	}
	if fact != nil {
		return c.updateFact(in.Key, in.Value.Plain(), fact, in.Said)
	}
	scope, err := c.holder(in.Key, in.Scope)
	if err != nil {
		return nil, err
	}
	value := inOrder(in.Value)
	add := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return edit.Add(c.ctx, ss, edit.AddRequest{Options: o, Key: in.Key, Value: value})
	}
	return c.write(in.Said, scope, add, "change "+in.Key+" to "+brief(value))
}

// holder is the one scope that has the key: an update goes where the item is,
// not where a new one would go.
func (c *call) holder(key, scope string) (string, error) {
	ss, err := c.stores()
	if err != nil {
		return "", err
	}
	exact := view.ShowRequest{Scope: scope, Patterns: []string{key}}
	res, err := view.Show(c.ctx, ss, exact)
	if err != nil {
		return "", err
	}
	normal, _ := memfile.NormalKey(key)
	var scopes []string
	for _, sc := range res.Scopes {
		if slices.ContainsFunc(sc.Items, func(it view.Record) bool { return it.Key == key || it.Key == normal }) {
			scopes = append(scopes, sc.Scope)
		}
	}
	switch len(scopes) {
	case 1:
		return scopes[0], nil
	case 0:
		return "", &fault.Error{Code: "not-found", Status: 1, Cause: `"` + key + `": no item has this key; remember records a new one`, Why: "show"}
	}
	return "", &fault.Error{Code: "ambiguous", Status: 1, Cause: `"` + key + `": exists in several scopes; name one of them: ` + strings.Join(scopes, ", ")}
}

func (c *call) forget() (any, error) {
	var in struct {
		Target string `json:"target"`
		Reason string `json:"reason"`
		Said   bool   `json:"said_by_user"`
		Scope  string `json:"scope"`
	}
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	if in.Target == "" {
		return nil, missing("target")
	}
	do := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return memory.First(edit.Forget(c.ctx, ss, edit.ForgetRequest{Options: o, Targets: []string{in.Target}, Reason: in.Reason}))
	}
	return c.write(in.Said, in.Scope, do, "forget "+in.Target)
}

// inOrder puts the parts of a lesson in the order in which they are kept: an
// agent's JSON may have any.
func inOrder(v memfile.Value) memfile.Value {
	place := func(f memfile.Field) int { return slices.Index([]string{"issue", "outcome", "fix"}, f.Name) }
	if v.Kind != memfile.Map || slices.ContainsFunc(v.Map, func(f memfile.Field) bool { return place(f) < 0 }) {
		return v
	}
	slices.SortStableFunc(v.Map, func(a, b memfile.Field) int { return cmp.Compare(place(a), place(b)) })
	return v
}

// origin is on whose behalf the call writes: what the person set outright,
// else relayed where it passes on their words, else automatic.
func (c *call) origin(said bool) memory.Origin {
	o := memory.Origin{Kind: memory.Automatic, Name: c.client()}
	switch {
	case c.link.env.Origin != "":
		o.Kind = c.link.env.Origin
	case said:
		o.Kind = memory.Relayed
	}
	return o
}

// maxClientName caps the part of a client's name that is recorded.
const maxClientName = 40

// client is what the client calls itself, as one plain word; "" where it does
// not say.
func (c *call) client() string { return clientName(c.req.ClientInfo()) }

func clientName(info *mcp.Implementation) string {
	if info == nil {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, info.Name)
	return strings.Trim(name[:min(len(name), maxClientName)], "-._")
}

// write carries an act out. Where only the person may do it and the agent
// passes on their words, the person is asked; a yes makes it theirs.
func (c *call) write(said bool, scope string, do doing, what string) (any, error) {
	w, err := c.act(do, memory.Options{Scope: scope, Origin: c.origin(said)})
	if err != nil {
		return nil, err
	}
	if !said || !forPerson(w) || !c.canAsk() {
		return c.answer(w, said), nil
	}
	refused := func() (any, error) { return c.answer(w, true), nil }
	return c.asPerson(do, memory.Options{Scope: scope}, what+" ("+w.Findings[0].Message+")", w, refused)
}

// asPerson asks the person whether to do it, and does it as their own act on a
// yes. On a no the answer is the refusal. Without an answer, otherwise does what the agent
// may do where nobody can be asked.
func (c *call) asPerson(do doing, o memory.Options, what string, refusal memory.Write, otherwise func() (any, error)) (any, error) {
	said, pending := c.ask(what)
	switch {
	case pending != nil:
		return asking{pending}, nil
	case said == unanswered:
		return otherwise()
	case said == no:
		a := c.answer(refusal, true)
		a.Message = "Not done: the person was asked and did not agree."
		return a, nil
	}
	o.Origin = memory.Origin{Kind: memory.Explicit, Name: c.client()}
	w, err := c.act(do, o)
	if err != nil {
		return nil, err
	}
	return c.answer(w, true), nil
}

// act carries an act out, after what waits.
func (c *call) act(do doing, o memory.Options) (memory.Write, error) {
	ss, err := c.stores()
	if err != nil {
		return memory.Write{}, err
	}
	notes := append(review.BringIn(c.ctx, ss, o), character.Finish(c.ctx, ss)...)
	w, err := do(ss, o)
	w.Notes = append(notes, w.Notes...)
	return w, err
}

// forPerson reports whether a refusal is one that the person themselves would
// not have met.
func forPerson(w memory.Write) bool {
	if w.Verdict != policy.Refuse.String() || len(w.Findings) == 0 {
		return false
	}
	return slices.Contains([]string{"explicit-only", "locked", "forgotten"}, w.Findings[0].Rule)
}

// answer puts what became of a write in words that the agent can pass on.
func (c *call) answer(w memory.Write, said bool) written {
	a := written{
		Schema: w.Schema, Verdict: w.Verdict, Act: c.tool, Key: plain(w.Key), Scope: w.Scope, Origin: w.Origin, Changed: w.Changed,
		Commit: w.Commit, Why: w.Why, Person: commands(c.link.env.HintsOf(w)), Similar: w.Similar,
	}
	var found []string
	for _, f := range w.Findings {
		a.Rules = append(a.Rules, f.Rule)
		found = append(found, plain(f.Message))
	}
	reason := strings.Join(found, "; ")
	switch w.Verdict {
	case policy.Refuse.String():
		a.Message = "Not done: " + reason + "."
		if w.Similar != nil {
			a.Person = nil // the agent itself makes the call again
		}
		if !said && forPerson(w) {
			a.Message += " If the person asked for this themselves, say so with said_by_user."
		}
	case policy.Hold.String():
		a.Message = "Waiting for the person's review, and not in memory until then: " + cmp.Or(reason, w.Why) + "."
		if reason == "" && len(w.Notes) > 0 {
			a.Message = "Not in memory yet (" + plain(w.Why) + "): " + plain(w.Notes[0]) + "."
		}
	default:
		c.stands(&a, w)
	}
	return a
}

// stands fills in what stands now, and tells what was done.
func (c *call) stands(a *written, w memory.Write) {
	a.Message = accepted(w, "", false)
	if c.tool == "forget" {
		return
	}
	if r, _ := c.one(w.Key, w.Scope); r != nil {
		a.Item, a.Message = newHit(*r), accepted(w, r.Confidence, len(r.Conflict) > 0)
	}
}

// accepted tells what was done, and what the person should know.
func accepted(w memory.Write, confidence string, conflict bool) string {
	text := plain(w.Saved) + "."
	switch {
	case !w.Changed && w.Saved == "": // else it says what memory has
		text = "Nothing changed: memory has this already."
	case w.Saved == "":
		text = "Done. The person has turned announcements of writes off."
	}
	if conflict {
		text += " The item has values in conflict. The first applies until the person decides (confirm with choice)."
	} else if confidence == memfile.Low && !w.Changed { // else a note says so
		text += " It waits for the person's confirmation, and no profile includes it until then."
	}
	for _, note := range w.Notes {
		text += " Note: " + plain(note) + "."
	}
	return text
}

// one is the item of a key, or the entry of an id, as the agent may have it; nil where
// there is not just one.
func (c *call) one(key, scope string) (*view.Record, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	res, err := view.Find(c.ctx, ss, view.FindRequest{Tier: view.Item, Patterns: []string{key}, Scope: scope})
	if err != nil {
		return nil, err
	}
	normal, _ := memfile.NormalKey(key)
	own := slices.DeleteFunc(res.Items, func(r view.Record) bool { return r.Key != key && r.Key != normal }) // an area has the key's name too
	switch len(own) {
	case 0:
		return view.OneEntry(c.ctx, ss, scope, key)
	case 1:
		return &own[0], nil
	}
	return nil, nil
}

// maxBrief caps a value in a question, in runes.
const maxBrief = 300

// brief is a value for a question.
func brief(v memfile.Value) string { return policy.Cut(plain(v.Plain()), maxBrief) }
