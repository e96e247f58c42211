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
	Scope string
	Text  string
	YAML  bool     // the value is no string, and Text is its YAML
	When  []string // the new words of when; nil keeps them, and one that is empty removes them
	fact  *view.LiveEntry
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
		t := Text{Name: key, Scope: st.Scope, Text: it.Value.Text, YAML: it.Value.Kind != memfile.String}
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
	return Text{Name: memory.ShortID(e.ID), Scope: st.Scope, Text: e.Text, fact: e}, nil
}

// Store stores what a person made of the text, with the checks of add.
func (t Text) Store(ctx context.Context, ss *store.Stores, o memory.Options, text string) (memory.Write, error) {
	o.Scope = t.Scope
	if t.fact != nil && t.When != nil && text == t.Text {
		return Add(ctx, ss, Request{Options: o, Role: entry.RoleFact, Text: text, Labels: labels.Labels{When: t.When}, Conversation: t.fact.Conversation, Lasts: true})
	}
	if t.fact != nil {
		kept := t.fact.Labels
		kept.Source, kept.Confidence = "", "" // of the earlier text
		if t.When != nil {
			kept.When = t.When
		}
		return Add(ctx, ss, Request{
			Options: o, Neighbours: true, Role: entry.RoleFact, Text: text, Replace: t.fact.ID, Category: t.fact.Category, Labels: kept, Topics: t.fact.Topics,
			Conversation: t.fact.Conversation, Weight: t.fact.Weight, Lasts: true,
		})
	}
	value := memfile.Str(text)
	if t.YAML {
		var err error
		if value, err = ParseYAML(t.Name, text); err != nil {
			return memory.Write{}, err
		}
	}
	return Add(ctx, ss, Request{Options: o, Neighbours: true, Key: t.Name, Value: value, Labels: labels.Labels{When: t.When}, Lasts: true})
}

// ParseYAML reads the value of a key from YAML that a person edited. Errors: code value-form.
func ParseYAML(key, text string) (memfile.Value, error) {
	value, err := memfile.ParseValue(text)
	if err != nil {
		return value, &fault.Error{Code: "value-form", Status: 1, Cause: memory.Quoted(key) + ": not YAML: " + err.Error()}
	}
	return value, nil
}
