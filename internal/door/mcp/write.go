package mcp

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/review"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/policy"
)

// doing is one act, on stores that were opened for it.
type doing func(*store.Stores, memory.Options) (memory.Write, error)

// where are arguments of every tool that writes.
type where struct {
	Said  bool   `json:"said_by_user"`
	Scope string `json:"scope" oneof:"project private user"`
}

type rememberArguments struct {
	Key      string        `json:"key" doc:"like test.run"`
	Value    memfile.Value `json:"value" need:"true" doc:"short; lessons.* take issue, outcome, fix"`
	Said     bool          `json:"said_by_user"`
	Prompt   numbered      `json:"prompt" doc:"the reminder's number"`
	Scope    string        `json:"scope" oneof:"project private user" doc:"leave it out; user = all repositories"`
	When     []string      `json:"when" doc:"8 to 10 rare words of later requests, errors, files"`
	Commands []string      `json:"commands" doc:"show it before these"`
	Tier     string        `json:"tier" oneof:"fact note"`
	Category string        `json:"category" doc:"decision, gotcha, pattern, architecture"`
	Expires  string        `json:"expires"`
}

// numbered is a number that an agent may also write as text.
type numbered int

// UnmarshalJSON reads 1 and "1".
func (n *numbered) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(bytes.Trim(data, `"`), (*int)(n))
}

// remember records an item where a key is given, else a fact or a note.
func (c *call) remember(in rememberArguments) (any, error) {
	carried := labels.Labels{Commands: withArguments(in.Commands), When: in.When, Expires: in.Expires}
	value, text := inOrder(in.Value), in.Value.Plain()
	said := in.Said || in.Prompt > 0
	role := map[string]string{"": entry.RoleFact, entry.Fact: entry.RoleFact, entry.Note: entry.RoleNote}[in.Tier]
	switch {
	case in.Key != "" && (in.Tier != "" || in.Category != ""):
		return nil, wrong("tier and category are a fact's or a note's, which has no key")
	case in.Key != "":
		return c.write(said, in.Scope, func(ss *store.Stores, o memory.Options) (memory.Write, error) {
			return edit.Add(c.ctx, ss, edit.Request{Options: o, Neighbours: true, Key: in.Key, Value: value, Labels: carried, Prompt: int(in.Prompt)})
		}, "record "+in.Key+" = "+brief(value))
	case text == "":
		return nil, wrong(`"value" is missing`)
	case role == "":
		return nil, wrong(`"tier" must be fact or note`)
	}
	return c.write(said, in.Scope, func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return edit.Add(c.ctx, ss, edit.Request{Options: o, Neighbours: true, Prompt: int(in.Prompt), Text: text, Role: role, Category: in.Category, Labels: carried})
	}, "remember: "+brief(in.Value))
}

// withArguments makes commands match with any arguments, as an agent means them.
func withArguments(commands []string) []string {
	var globs []string
	for _, c := range commands {
		if c = strings.TrimSpace(c); c != "" && !strings.ContainsAny(c, "*?") {
			c += "*"
		}
		globs = append(globs, c)
	}
	return globs
}

type updateArguments struct {
	Key     string        `json:"key" need:"true"`
	Value   memfile.Value `json:"value"`
	Confirm bool          `json:"confirm"`
	Choice  int           `json:"choice" doc:"value of a conflict, from 1"`
	where
	Prompt numbered `json:"prompt"`
}

func (c *call) update(in updateArguments) (any, error) {
	switch {
	case (in.Confirm || in.Choice != 0) == (in.Value.Kind != memfile.Null):
		return nil, wrong(`"value": give it, or confirm`)
	case in.Value.Kind == memfile.Null:
		return c.confirm(in)
	}
	found, err := c.named(in.Key, in.Scope)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0: // the agent may not have it, or it is not there
		ss, err := c.stores()
		if err != nil {
			return nil, err
		}
		if _, err := view.Show(c.ctx, ss, contents.Agent, view.ShowRequest{Scope: in.Scope, Patterns: []string{in.Key}}); err != nil {
			return nil, err
		}
		found = []view.Record{{Tier: view.Item, Scope: in.Scope}}
	case len(found) > 1:
		var scopes []string
		for _, r := range found {
			scopes = append(scopes, r.Scope)
		}
		return nil, &fault.Error{Code: "ambiguous", Status: 1, Cause: `"` + in.Key + `": exists in several scopes; name one of them: ` + strings.Join(scopes, ", ")}
	}
	was, value := found[0], inOrder(in.Value)
	return c.write(in.Said || in.Prompt > 0, was.Scope, func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		if was.Tier == view.Item {
			return edit.Add(c.ctx, ss, edit.Request{Options: o, Neighbours: true, Prompt: int(in.Prompt), Key: cmp.Or(was.Key, in.Key), Value: value})
		}
		return edit.Add(c.ctx, ss, edit.Request{Options: o, Neighbours: true, Prompt: int(in.Prompt), Text: value.Plain(), Role: was.Role, Conversation: was.Conversation, Replace: cmp.Or(was.ID, in.Key)})
	}, "change "+in.Key+" to "+brief(value))
}

type forgetArguments struct {
	Target string `json:"target" need:"true" doc:"key, id or text"`
	where
}

func (c *call) forget(in forgetArguments) (any, error) {
	do := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return memory.First(edit.Forget(c.ctx, ss, edit.ForgetRequest{Options: o, Targets: []string{in.Target}}))
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
// else relayed where it passes on the words of a person, else automatic.
func (c *call) origin(said bool) memory.Origin {
	agent := c.link.env.Agent
	o := memory.Origin{Kind: memory.Automatic, Name: c.client(), Session: agent.Session}
	switch {
	case c.link.env.Origin != "":
		o.Kind = c.link.env.Origin
	case said && agent.Kind != memory.Automatic:
		o.Kind = memory.Relayed
	}
	return o
}

// maxClientName caps the part of a client's name that is recorded.
const maxClientName = 40

// client is what the client calls itself, as one plain word; "" where it does
// not say.
func (c *call) client() string {
	info := c.req.ClientInfo()
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
	w, err := c.act(do, memory.Options{Scope: scope, Origin: c.origin(said), Command: rand.Text()})
	if err != nil {
		return nil, err
	}
	if !said || !needsPerson(w) || !c.canAsk() {
		return c.answer(w, said), nil
	}
	refused := func() (any, error) { return c.answer(w, true), nil }
	return c.asPerson(do, memory.Options{Scope: scope}, what+" ("+w.Findings[0].Message+")", refused)
}

// asPerson asks the person whether to do it, and does it as their own act on a
// yes. Without an answer, otherwise does what the agent may do where nobody can be asked.
func (c *call) asPerson(do doing, o memory.Options, what string, otherwise func() (any, error)) (any, error) {
	said, pending := c.ask(what)
	switch {
	case pending != nil:
		return asking{pending}, nil
	case said == unanswered:
		return otherwise()
	case said == no:
		return line{"refused: the person was asked and did not agree", true}, nil
	}
	o.Origin = memory.Origin{Kind: memory.Explicit, Name: c.client(), Session: c.link.env.Agent.Session}
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
	notes := review.BringIn(c.ctx, ss, o)
	w, err := do(ss, o)
	w.Notes = append(notes, w.Notes...)
	return w, err
}

// named are the items of a key, or the entry of an id, as the agent may have them.
func (c *call) named(name, scope string) ([]view.Record, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	res, err := view.Find(c.ctx, ss, view.Query{Tier: view.Item, Patterns: []string{name}, Scope: scope})
	if err != nil {
		return nil, err
	}
	normal, _ := memfile.NormalKey(name)
	own := slices.DeleteFunc(res.Records, func(r view.Record) bool { return r.Key != name && r.Key != normal }) // an area has the key's name too
	if len(own) > 0 {
		return own, nil
	}
	r, err := view.OneEntry(c.ctx, ss, contents.Agent, scope, name)
	switch {
	case r != nil:
		return []view.Record{*r}, err
	case !strings.Contains(name, " "):
		return nil, err
	}
	return view.WithText(c.ctx, ss, contents.Agent, scope, name)
}

// maxBrief caps a value in a question, in runes.
const maxBrief = 300

// brief is a value for a question.
func brief(v memfile.Value) string { return `"` + policy.Cut(plain(v.Plain()), maxBrief) + `"` }
