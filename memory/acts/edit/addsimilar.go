package edit

import (
	"slices"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/spelling"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

const (
	// ruleSimilarKey refuses an agent's new key that is probably a known one misspelled.
	ruleSimilarKey = "similar-key"
	// ruleSimilarValue refuses an agent's new item whose text a known one has.
	ruleSimilarValue = "similar-value"
	// minTextWords is how many telling words equal texts under two keys have: "30 seconds" says nothing without its key.
	minTextWords = 3
)

// The values of Similar.By.
const (
	similarByKey   = "key"
	similarByValue = "value"
)

// repeated is a known item that the add probably repeats.
type repeated struct {
	memory.Similar
	value memfile.Value
}

// shown names the item, with its scope where that is another one.
func (r *repeated) shown(scope string) string {
	name := memory.Quoted(r.Key) + " (" + memory.OneLine(r.value) + ")"
	if r.Scope != scope {
		name += " in scope " + r.Scope
	}
	return name
}

// repeats returns the item that the add of a new key probably repeats, one with a similar key before others; nil for none. It
// compares only with memories that agents may read, so that it reveals no other, and with the request's scope alone if it
// names one. Errors: a scope that cannot be read.
func (c *candidate) repeats() (found *repeated, err error) {
	// A person is compared with what any session of theirs is handed, an agent with what it may read unasked.
	v := contents.NewView(c.ctx, c.ss, contents.Person.OrHook(!c.Explicit() || c.ss.Trusted(c.ctx)))
	memories, err := v.Memories(c.Scope)
	if err != nil {
		return nil, err
	}
	said := spelling.NewText(words(c.value()))
	alone := said.Words() >= minTextWords
	for _, m := range memories {
		counts := func(it *contents.Item) bool {
			return m.Store.Scope == c.st.Scope || memory.Rank(it.Confidence) > memory.Rank(memfile.Low)
		}
		for i := range m.Items {
			it := &m.Items[i]
			r := &repeated{memory.Similar{Key: it.Key, Scope: m.Store.Scope, By: similarByKey}, it.Value}
			switch {
			case it.Key == c.Key || it.Reasons()&^(contents.Doubts|contents.Off) != 0:
			case c.isItem() && !c.derived && spelling.IsMisspelled(c.Key, it.Key):
				return r, nil
			case found == nil && alone && counts(it) && c.holdsWhere(it) && said.Same(words(it.Value)):
				found, r.By = r, similarByValue
			}
		}
	}
	return found, nil
}

// holdsWhere reports whether the item holds in the same files, at the same commands and until
// the same day as what is added. Else both can be needed, whatever they say.
func (c *candidate) holdsWhere(it *contents.Item) bool {
	return labels.Same(it.Labels, c.Labels, labels.Applicability)
}

// words is the text of a string; "" for a list or map, which repeats only an equal one.
func words(v memfile.Value) string {
	if v.Kind != memfile.String {
		return ""
	}
	return v.Text
}

// notRepeated refuses an agent's new item that probably repeats a known one, and names the
// key under which the same call counts as a signal. A queued write was checked when it was
// queued. Errors: *memory.Refusal; a scope that cannot be read.
func (c *candidate) notRepeated() error {
	if c.Explicit() || c.Queued != nil || !c.isItem() && c.Role != entry.RoleFact {
		return nil
	}
	memories, err := contents.Readable(c.ctx, c.ss, "")
	if err != nil || slices.ContainsFunc(memories, func(m *contents.Memory) bool { return m.Find(c.Key) != nil }) {
		return err
	}
	known, err := c.repeats()
	if known == nil || err != nil {
		return err
	}
	rule, why := ruleSimilarValue, "this says the same as "+known.shown(c.st.Scope)+"; use that key to count it as a repeat, or say in the value what is different"
	if known.By == similarByKey {
		rule, why = ruleSimilarKey, "this is probably a misspelling of "+known.shown(c.st.Scope)+"; use that key if you mean that item, or one that differs in more than a letter"
	}
	instead := ""
	if (known.Scope == c.st.Scope || known.By == similarByKey) && sameValue(known.value, c.value()) { // else the command would replace another value
		instead = c.commandWithKey(known.Key)
	}
	r := memory.Refuse(rule, why, instead)
	r.Similar = &known.Similar
	return r
}

// notForgotten checks the tombstones of every scope: what was forgotten in one
// does not come back through another.
func (c *candidate) notForgotten(doc *memfile.Document) error {
	refusal := func() *memory.Refusal {
		r := memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", c.personsCommand())
		r.Restore = policy.Inert(memory.Redacted(c.name()))
		return r
	}
	if !c.isItem() {
		var err error
		if c.forgotten == nil {
			c.forgotten, err = memory.Forgotten(c.ctx, c.ss)
		}
		if err == nil && slices.ContainsFunc(c.forgotten, func(f *contents.Forgotten) bool { return f.BindsEntry(c.e) }) {
			return refusal()
		}
		return err
	}
	if contents.Tombstone(*doc, c.Key) != nil {
		return refusal()
	}
	stores, err := memory.StoresOf(c.ctx, c.ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		others, err := c.tombstones(st, doc)
		if err != nil {
			return err
		}
		if contents.Tombstone(others, c.Key) != nil {
			return refusal()
		}
		key, found, err := contents.ForgottenValue(st, others, c.Key, c.Value, append(slices.Clone(c.Tags), c.source())...)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		refusal := refusal()
		switch name := policy.Inert(memory.Redacted(key)); {
		case key == "": // a value whose key has another one now, a tag, the source or the text of an entry
			refusal.Restore = ""
		case key != c.Key:
			refusal.Findings[0].Message, refusal.Restore = "this was forgotten, as "+name+": only a person can restore it", name
		}
		return refusal
	}
	return nil
}

// tombstones returns a store's; for the act's own store, those of the document that it changes.
func (c *candidate) tombstones(st *store.Store, doc *memfile.Document) (memfile.Document, error) {
	m, err := contents.Read(c.ctx, st)
	if err != nil {
		return memfile.Document{}, err
	}
	if st.Scope == c.st.Scope && m.Exists {
		return *doc, nil
	}
	list, err := m.Tombstones(c.ctx)
	return memfile.Document{Deletions: list}, err
}

// commandWithKey is addCommand of the agent's own command with another key.
func (c *candidate) commandWithKey(key string) string {
	flags := c.Asked()
	if c.Automatic() {
		flags += "--auto "
	}
	return addCommand(key, c.value(), flags+c.flags())
}

// addCommand is the command that adds a value; "" where the value is long, has more than one line or is not for showing. A word in its place would
// be stored.
func addCommand(key string, v memfile.Value, flags string) string {
	const limit = 1000
	text := v.Text
	if v.Kind == memfile.List || v.Kind == memfile.Map {
		flags, text = flags+"--yaml ", v.YAML()
	}
	value := pasteable(text, "")
	if value == "" || len(text) > limit {
		return ""
	}
	return "memctl add " + flags + policy.Inert(memory.Redacted(key)) + " " + value
}

// pasteable is a text as a word of a shell's command; otherwise where it is empty or not for
// showing.
func pasteable(text, otherwise string) string {
	if text == "" || policy.Inert(text) != text || memory.Redacted(text) != text {
		return otherwise
	}
	return shell.QuoteAlways(text)
}
