package edit

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/similar"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
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

// repeats returns the item that the add of a new key probably repeats, nil where
// there is none: one with a similar key before others, one of the same scope before others. It
// compares with what agents may read, so its answer tells an agent nothing else; where the
// request names a scope, with that scope alone. Errors: a scope that cannot be read.
func (a *adding) repeats() (*repeated, error) {
	// A person is compared with what any session of theirs is handed, an agent with what it may read unasked.
	v := contents.NewView(a.ctx, a.ss, contents.Person.OrHook(!a.Explicit() || a.ss.Trusted(a.ctx)))
	memories, err := v.Memories(a.Scope)
	if err != nil {
		return nil, err
	}
	said, alone := similar.NewText(words(a.Value)), len(similar.Distinctive(words(a.Value))) >= minTextWords
	var best *repeated
	points := 0
	for _, m := range memories {
		here := m.Store.Scope == a.st.Scope
		for i := range m.Items {
			it := &m.Items[i]
			if it.Key == a.Key || it.Out()&^(contents.Doubts|contents.Off) != 0 {
				continue
			}
			r := repeated{memory.Similar{Key: it.Key, Scope: m.Store.Scope}, it.Value}
			n := 0
			switch {
			case !a.derived && similar.Keys(a.Key, it.Key):
				r.By, n = similarByKey, 4
			case (here || memory.Rank(it.Confidence) > memory.Rank(memfile.Low)) && alone && a.holdsWhere(it) && said.Same(words(it.Value)):
				r.By, n = similarByValue, 2
			default:
				continue
			}
			if here {
				n++
			}
			if n > points {
				best, points = &r, n
			}
		}
	}
	return best, nil
}

// holdsWhere reports whether the item holds in the same files, at the same commands and until
// the same day as what is added. Else both can be needed, whatever they say.
func (a *adding) holdsWhere(it *contents.Item) bool {
	return labels.Same(it.Labels, a.Labels, labels.Place)
}

// words is the text of a value that is one. Lists and maps repeat only an equal value.
func words(v memfile.Value) string {
	if v.Kind != memfile.String {
		return ""
	}
	return v.Text
}

// says reports whether the value of the key's item is equal to what the add states.
func (a *adding) says(v memfile.Value) bool {
	return memfile.Same(v, a.Value) || words(v) != "" && similar.Same(words(v), words(a.Value))
}

// notRepeated refuses an agent's new item that probably repeats a known one, and names the
// key under which the same call counts as a signal. What waited was ruled on when it was
// said. Errors: *memory.Refusal; a scope that cannot be read.
func (a *adding) notRepeated() error {
	if a.Explicit() || a.Queued != nil {
		return nil
	}
	memories, err := contents.Readable(a.ctx, a.ss, "")
	if err != nil || slices.ContainsFunc(memories, func(m *contents.Memory) bool { return m.Find(a.Key) != nil }) {
		return err
	}
	known, err := a.repeats()
	if known == nil || err != nil {
		return err
	}
	name := memory.Quoted(known.Key) + " (" + memory.OneLine(known.value) + ")"
	var r *memory.Refusal
	switch {
	case known.By == similarByKey && a.says(known.value):
		r = memory.Refuse(ruleSimilarKey, "this is probably a misspelling of "+name+"; use that key, or one that differs in more than a letter", a.under(known.Key))
	case known.By == similarByKey: // a command would put this value in the place of that one
		r = memory.Refuse(ruleSimilarKey, "this is probably a misspelling of "+name+"; use that key if you mean that item, or one that differs in more than a letter")
	case known.Scope != a.st.Scope:
		r = memory.Refuse(ruleSimilarValue, "scope "+known.Scope+" has this rule already, as "+name+"; for another rule, say in the value what is different")
	default:
		r = memory.Refuse(ruleSimilarValue, "this says the same as "+name+"; use that key to count it as a repeat, or say in the value what is different", a.under(known.Key))
	}
	r.Similar = &known.Similar
	return r
}

// notForgotten checks the tombstones of every scope: what was forgotten in one
// does not come back through another.
func (a *adding) notForgotten(doc *memfile.Document) error {
	forgotten := memory.Refuse(memory.RuleForgotten, "this was forgotten; only a person can restore it", addCommand(a.Key, a.Value, a.Asked()))
	forgotten.Restore = policy.Inert(memory.Redacted(a.Key))
	if contents.Tombstone(*doc, a.Key) != nil {
		return forgotten
	}
	stores, err := memory.StoresOf(a.ctx, a.ss, "")
	if err != nil {
		return err
	}
	for _, st := range stores {
		others, err := a.tombstones(st, doc)
		if err != nil {
			return err
		}
		if contents.Tombstone(others, a.Key) != nil {
			return forgotten
		}
		key, found, err := contents.ForgottenValue(st, others, a.Value, append(slices.Clone(a.Tags), a.source())...)
		if err != nil {
			return err
		}
		switch name := policy.Inert(memory.Redacted(key)); {
		case !found:
			continue
		case key == "", strings.HasPrefix(key, memfile.EntryTombstone): // a tag, the source or the text of an entry
			forgotten.Restore = ""
		case key != a.Key:
			forgotten.Findings[0].Message, forgotten.Restore = "this was forgotten, as "+name+": only a person can restore it", name
		}
		return forgotten
	}
	return nil
}

// tombstones are those of a store; of the act's own, those of the document that it changes.
func (a *adding) tombstones(st *store.Store, doc *memfile.Document) (memfile.Document, error) {
	m, err := contents.Read(a.ctx, st)
	if err != nil {
		return memfile.Document{}, err
	}
	if st.Scope == a.st.Scope && m.Exists {
		return *doc, nil
	}
	list, err := m.Tombstones(a.ctx)
	return memfile.Document{Deletions: list}, err
}

// under is addCommand of the agent's own command with another key.
func (a *adding) under(key string) string {
	flags := a.Asked()
	if a.Automatic() {
		flags += "--auto "
	}
	return addCommand(key, a.Value, flags+a.globs())
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
