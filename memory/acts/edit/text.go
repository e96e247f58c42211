package edit

import (
	"context"
	"path/filepath"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/view"
)

// Text is the value of an item, or the text of a fact, as a person edits it.
type Text struct {
	Name  string // the item's key, or the beginning of the fact's id
	Key   string // the key that the item gets; "" keeps it
	Scope string
	Text  string
	YAML  bool // the value is no string, and Text is its YAML
	// Labels are those that it has, and gets: tags, days, globs, words and the pin can be changed.
	labels.Labels
	fact *view.LiveEntry
}

// FindText finds what a person wants to edit: the item of a key, or the fact of an id. Errors:
// a refusal where there is none, or several; where it is a note or a summary.
func FindText(ctx context.Context, ss *store.Stores, scope, name string) (Text, error) {
	st, key, err := memory.Locate(ctx, ss, name, scope)
	if err == nil {
		m, err := contents.Read(ctx, st)
		if err != nil {
			return Text{}, err
		}
		it := m.Find(key)
		if it == nil {
			return Text{}, memory.Refuse(memory.RuleNotFound, "no item has this key")
		}
		t := Text{Name: key, Scope: st.Scope, Text: it.Value.Text, YAML: it.Value.Kind != memfile.String, Labels: ownLabels(it.Labels)}
		if t.YAML {
			t.Text = it.Value.YAML()
		}
		return t, nil
	}
	if memfile.KeyForm(name) || !fault.Is(memory.AsError(name, err), memory.RuleNotFound) {
		return Text{}, err
	}
	st, e, err := view.EntryByID(ctx, ss, scope, name)
	if err != nil {
		return Text{}, err
	}
	if e.Role != entry.RoleFact {
		return Text{}, memory.Refuse(memory.RuleValue, "only items and facts can be edited this way; a note or summary is a file: "+filepath.Join(st.Dir, filepath.FromSlash(e.Path)))
	}
	return Text{Name: memory.ShortID(e.ID), Scope: st.Scope, Text: e.Text, Labels: ownLabels(e.Labels), fact: e}, nil
}

// ownLabels are the labels that a person edits. A person's edit settles whether it needs confirmation.
func ownLabels(l labels.Labels) labels.Labels {
	return labels.Labels{Tags: memfile.WithoutDoubt(l.Tags), Expires: l.Expires, Pinned: l.Pinned, Paths: l.Paths, Commands: l.Commands, When: l.When, Ask: l.Ask}
}

// Store stores what a person made of the text, with the checks of add.
func (t Text) Store(ctx context.Context, ss *store.Stores, o memory.Options, text string) (memory.Write, error) {
	o.Scope = t.Scope
	req := Request{Options: o, Labels: t.Labels, Exact: true, Neighbours: text != t.Text, Lasts: true}
	if req.Neighbours && t.Expired(ss.Today()) {
		req.Expires = "" // what is said now holds
	}
	if t.fact != nil {
		if req.Role, req.Text, req.Conversation = entry.RoleFact, text, t.fact.Conversation; req.Neighbours {
			req.Replace, req.Category, req.Topics, req.Weight = t.fact.ID, t.fact.Category, t.fact.Topics, t.fact.Weight
		}
		return Add(ctx, ss, req)
	}
	if req.Key, req.Value = t.Name, memfile.Str(text); t.Key != "" && t.Key != t.Name {
		req.Key, req.Was = t.Key, t.Name
	}
	if t.YAML {
		var err error
		if req.Value, err = ParseYAML(t.Name, text); err != nil {
			return memory.Write{}, err
		}
	}
	return Add(ctx, ss, req)
}

// ParseYAML reads the value of a key from YAML that a person edited. Errors: code value-form.
func ParseYAML(key, text string) (memfile.Value, error) {
	value, err := memfile.ParseValue(text)
	if err != nil {
		return value, &fault.Error{Code: "value-form", Status: 1, Cause: memory.Quoted(key) + ": not YAML: " + err.Error()}
	}
	return value, nil
}
