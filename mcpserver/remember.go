package mcpserver

import (
	"slices"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// remember records an item where a key is given, else a fact or a note.
func (c *call) remember() (any, error) {
	var in struct {
		Key      string        `json:"key"`
		Value    memfile.Value `json:"value"`
		Tier     string        `json:"tier"`
		Category string        `json:"category"`
		Topics   []string      `json:"topics"`
		Session  string        `json:"session"`
		Said     bool          `json:"said_by_user"`
		Tags     []string      `json:"tags"`
		Expires  string        `json:"expires"`
		Scope    string        `json:"scope"`
	}
	if err := c.arguments(&in); err != nil {
		return nil, err
	}
	if in.Key != "" {
		if in.Tier != "" || in.Category != "" || in.Topics != nil || in.Session != "" {
			return nil, wrong("tier, category, topics and session are a fact's or a note's, which has no key")
		}
		value := inOrder(in.Value)
		add := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
			return edit.Add(c.ctx, ss, edit.AddRequest{Options: o, Key: in.Key, Value: value, Labels: labels.Labels{Tags: slices.Clone(in.Tags), Expires: in.Expires}})
		}
		return c.write(in.Said, in.Scope, add, "record "+in.Key+" = "+brief(value))
	}
	text := in.Value.Plain()
	role := map[string]string{"": entry.RoleFact, entry.Fact: entry.RoleFact, entry.Note: entry.RoleNote}[in.Tier]
	switch {
	case text == "":
		return nil, missing("value")
	case role == "":
		return nil, wrong(`"tier": is fact or note`)
	}
	keep := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return edit.Remember(c.ctx, ss, edit.RememberRequest{
			Options: o, Text: text, Role: role, Category: in.Category, Labels: labels.Labels{Tags: in.Tags, Expires: in.Expires}, Topics: in.Topics, Session: in.Session,
		})
	}
	return c.write(in.Said, in.Scope, keep, "remember: "+policy.Cut(plain(text), maxBrief))
}

// updateFact puts a fact in the place of another.
func (c *call) updateFact(id, text string, was *view.Record, said bool) (any, error) {
	replace := func(ss *store.Stores, o memory.Options) (memory.Write, error) {
		return edit.Remember(c.ctx, ss, edit.RememberRequest{Options: o, Text: text, Role: was.Role, Conversation: was.Conversation, Replace: id})
	}
	return c.write(said, was.Scope, replace, "change the fact "+was.ID+" to "+policy.Cut(plain(text), maxBrief))
}

// entry is the entry that the name is an id of; nil where it is a key, or the id of
// none.
func (c *call) entry(name, scope string) (*view.Record, error) {
	ss, err := c.stores()
	if err != nil {
		return nil, err
	}
	return view.OneEntry(c.ctx, ss, scope, name)
}
