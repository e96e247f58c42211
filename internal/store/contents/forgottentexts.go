package contents

import (
	"context"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
)

// Forgotten tells what was forgotten in a store: the texts that its tombstones hold or have
// hashes of, and those that a hash of this machine stands for while its tombstone exists.
// It may be asked by several goroutines.
type Forgotten struct {
	keys    map[string]bool                 // of items
	under   map[string][]*memfile.Tombstone // those that recognise a value under that key alone
	several []several
	hashes  map[string]*memfile.Tombstone
	salts   []string // of the tombstones' own hashes
	key     []byte   // of this machine's hashes
}

// several is a forgotten text of more than one line.
type several struct {
	lines string // the hashes of its lines, each with a break before and behind it
	tomb  *memfile.Tombstone
}

// ReadForgotten reads once what the tests of texts need.
func ReadForgotten(ctx context.Context, st *store.Store) (*Forgotten, error) {
	tombs, err := tombstones(ctx, st)
	if err != nil {
		return nil, err
	}
	return ForgottenOf(st, memfile.Document{Deletions: tombs})
}

// ForgottenOf is what the tombstones of a document hold, and this machine's hashes for them.
func ForgottenOf(st *store.Store, doc memfile.Document) (*Forgotten, error) {
	list, key, err := forgottenHashes(st, doc)
	if err != nil {
		return nil, err
	}
	return newForgotten(doc, list, key), nil
}

// forgottenHashes are this machine's hashes of what was forgotten, with the keys that
// each was forgotten under, and the key that they are made with.
func forgottenHashes(st *store.Store, doc memfile.Document) (list map[string][]string, key []byte, err error) {
	if len(doc.Deletions) == 0 || st.Dir == "" {
		return nil, nil, nil
	}
	if list, err = ForgottenHashes(st).Read(); err != nil || len(list) == 0 {
		return nil, nil, err
	}
	key, err = st.Stores.DataState().Read(MachineKey)
	return list, key, err
}

func newForgotten(doc memfile.Document, list map[string][]string, key []byte) *Forgotten {
	f, salt := &Forgotten{keys: map[string]bool{}, under: map[string][]*memfile.Tombstone{}, hashes: map[string]*memfile.Tombstone{}}, ""
	for i := range doc.Deletions {
		t := &doc.Deletions[i]
		f.keys[t.Key] = true
		if !memfile.KeyForm(t.Key) {
			_, nearest := memfile.NormalKey(t.Key) // see IsTombstoneOf
			f.keys[nearest] = true
		}
		if t.Value != nil && salt == "" { // an earlier version left the text
			salt = Salt(doc)
		}
		switch of := t.Hashed(salt); {
		case of.Salt() == "":
		case of.UnderKey() != "":
			f.under[of.UnderKey()] = append(f.under[of.UnderKey()], t)
		default:
			f.hashed(t, of)
		}
	}
	for sum, keys := range list {
		for _, key := range keys {
			if t := Tombstone(doc, key); t != nil && (f.hashes[sum] == nil || t.OfEntry()) {
				f.hashes[sum] = t
			}
		}
	}
	if len(list) > 0 && len(f.hashes) > 0 {
		f.key = key
	}
	return f
}

// hashed adds the hashes of a tombstone.
func (f *Forgotten) hashed(t *memfile.Tombstone, of memfile.Tombstone) {
	if !slices.Contains(f.salts, of.Salt()) {
		f.salts = append(f.salts, of.Salt())
	}
	if f.hashes[of.Hashes[0]] == nil || t.OfEntry() {
		f.hashes[of.Hashes[0]] = t
	}
	if lines := of.Hashes[1:]; len(lines) > 1 {
		f.several = append(f.several, several{inLines(lines), t})
	}
}

func inLines(hashes []string) string { return "\n" + strings.Join(hashes, "\n") + "\n" }

// said is the tombstone of what a text says, with or without a label; nil where there is none.
func (f *Forgotten) said(text string) *memfile.Tombstone {
	if t := f.exactly(text); t != nil {
		return t
	}
	if bare := memfile.Bare(text); bare != text {
		return f.exactly(bare)
	}
	return nil
}

func (f *Forgotten) exactly(text string) *memfile.Tombstone {
	gist := memfile.Gist(text)
	if gist == "" {
		return nil
	}
	for _, salt := range f.salts {
		if t := f.hashes[memfile.HashGist(salt, gist)]; t != nil {
			return t
		}
	}
	if len(f.key) == 0 {
		return nil
	}
	return f.hashes[memfile.GistVersion+hash(f.key, gist)]
}

// WholeTombstone is the tombstone of a text, whatever its length; nil where there is none.
func (f *Forgotten) WholeTombstone(text string) *memfile.Tombstone {
	if len(f.hashes) == 0 {
		return nil
	}
	return f.said(text)
}

// tombstoneOfLines is the tombstone of some lines of a text; of one line where that has
// words enough to be said of one thing only. nil where there is none.
func (f *Forgotten) tombstoneOfLines(text string) *memfile.Tombstone {
	if len(f.hashes) == 0 {
		return nil
	}
	for line := range strings.FieldsFuncSeq(text, memfile.IsBreak) {
		if !isLongEnoughToMatch(line) {
			continue
		}
		if t := f.said(line); t != nil {
			return t
		}
	}
	if len(f.several) == 0 {
		return nil
	}
	for _, salt := range f.salts {
		all := inLines(memfile.TextHashes(salt, text)[1:])
		for _, s := range f.several {
			if strings.Contains(all, s.lines) {
				return s.tomb
			}
		}
	}
	return nil
}

// value is the tombstone of an item's value or of a line of it, nil where there is none.
// A text of fewer words counts where it was forgotten under this key, or is the whole value and was an entry's.
func (f *Forgotten) value(key string, v memfile.Value) *memfile.Tombstone {
	for _, t := range f.under[key] {
		if t.Recognises(v.Plain()) {
			return t
		}
	}
	if len(f.hashes) == 0 {
		return nil
	}
	if v.Kind == memfile.String {
		t, oneLine := f.WholeTombstone(v.Text), !strings.ContainsFunc(v.Text, memfile.IsBreak)
		if t == nil && oneLine || t != nil && (BindsEveryKey(v) || t.OfEntry()) {
			return t
		}
	}
	for _, s := range v.Strings() {
		if t := f.tombstoneOfLines(s.Text); t != nil {
			return t
		}
	}
	return nil
}

// HasValue reports whether an item's value was forgotten, or a line of it.
func (f *Forgotten) HasValue(key string, v memfile.Value) bool { return f.value(key, v) != nil }

// BindsItem reports whether an item may not be written beside the tombstones: one is of its key,
// or what it says was forgotten, or stands beside it: a tag, the source.
func (f *Forgotten) BindsItem(it memfile.Item) bool {
	return it.Key != "" && f.keys[it.Key] || f.HasValue(it.Key, it.Value) || slices.ContainsFunc(it.Tags, f.HasLine) || f.HasLine(it.Source)
}

// HasText reports whether a text was forgotten, or a line of it.
func (f *Forgotten) HasText(text string) bool {
	// A text of one line is that line.
	return f.WholeTombstone(text) != nil || strings.ContainsFunc(text, memfile.IsBreak) && f.tombstoneOfLines(text) != nil
}

// HasLine reports whether one line of a longer text was forgotten.
func (f *Forgotten) HasLine(line string) bool { return f.tombstoneOfLines(line) != nil }

// BindsEntry reports whether the text of an entry was forgotten, or a line of it, or what
// stands beside it: a tag, a topic, the source.
func (f *Forgotten) BindsEntry(e entry.Entry) bool {
	return f.HasText(e.Text) || slices.ContainsFunc(otherTexts(e), f.HasLine)
}

// otherTexts are the texts of an entry other than its own.
func otherTexts(e entry.Entry) []string {
	list := slices.Concat(e.Tags, e.Topics, []string{e.Source, e.Reason, e.Conversation, e.Session, e.Category})
	for _, x := range e.Extra {
		list = append(list, x.Scalars...)
	}
	return list
}

// LiftText takes away the tombstones of a text: not those of its lines.
func LiftText(st *store.Store, doc *memfile.Document, text string) error {
	return removeTombstones(st, doc, func(f *Forgotten) bool { return f.WholeTombstone(text) != nil })
}

// LiftEntry takes away the tombstones that forbid an entry, so that a person can
// bring it back.
func LiftEntry(st *store.Store, doc *memfile.Document, e entry.Entry) error {
	return removeTombstones(st, doc, func(f *Forgotten) bool { return f.BindsEntry(e) })
}

func removeTombstones(st *store.Store, doc *memfile.Document, forbids func(f *Forgotten) bool) error {
	list, key, err := forgottenHashes(st, *doc)
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(doc.Deletions), func(t memfile.Tombstone) bool {
		return forbids(newForgotten(memfile.Document{Deletions: []memfile.Tombstone{t}}, list, key))
	})
	if len(kept) != len(doc.Deletions) {
		doc.Deletions = kept
	}
	return nil
}

// TombstoneKey is a key for the tombstone of a text that must not stand in the
// file: of its hash under a key that only this machine has.
func TombstoneKey(ss *store.Stores, text string) (string, error) {
	key, err := hashKey(ss)
	if err != nil {
		return "", err
	}
	return memfile.EntryTombstone + hash(key, memfile.Gist(text))[:12], nil
}
