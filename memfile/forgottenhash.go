package memfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// GistVersion is the version of Gist's rules, and begins each hash of such a gist. Whoever changes
// the rules after a release raises it, and keeps the rules before for the hashes that were made by them.
const GistVersion = "2:"

// BindingWords is the number of words from which a forgotten text is recognised wherever it
// appears. Shorter texts ("tabs") are said of many things.
const BindingWords = 3

// HashGist returns the hash by which a tombstone recognises a text of that gist without holding
// it. The salt of the tombstone's store is part of it.
func HashGist(salt, gist string) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + gist))
	return GistVersion + salt + ":" + hex.EncodeToString(sum[:12])
}

// Bare is a text of one line without the label in front of it, as an imported rule has one, if enough words are left to be
// recognised.
func Bare(text string) string {
	_, rest, labelled := strings.Cut(text, ": ")
	if !labelled || strings.ContainsFunc(text, IsBreak) || len(strings.Fields(Gist(rest))) < BindingWords {
		return text
	}
	return rest
}

// TextHashes returns the hashes of a forgotten text: one of the whole text without its label, and, if it has several
// lines, one of each line with BindingWords words or more.
func TextHashes(salt, text string) []string {
	list := []string{HashGist(salt, Gist(Bare(text)))}
	if lines := Gists(text); len(lines) > 1 {
		for _, line := range lines {
			if len(strings.Fields(line)) >= BindingWords {
				list = append(list, HashGist(salt, line))
			}
		}
	}
	return list
}

// Hashed returns the tombstone with hashes in the place of the text that an earlier version left in it.
func (t Tombstone) Hashed(salt string) Tombstone {
	if t.Value == nil {
		return t
	}
	t.Hashes, t.Value = TextHashes(salt, t.Value.Plain()), nil
	if t.Key == "" {
		t.Key = EntryTombstone + t.Hashes[0][len(t.Hashes[0])-12:]
	}
	return t
}

const (
	// EntryTombstone begins the key of the tombstone of an entry's text.
	EntryTombstone = "entry.forgotten-"
	// ValueTombstone begins the key of the tombstone of a value whose key has another one now. The key follows a hash and a dot.
	ValueTombstone = "item.forgotten-"
)

// underKey begins the hash of a value that is recognised under one key alone.
const underKey = "item-"

// HashUnderKey returns the hash by which the tombstone of a key recognises the value that was forgotten.
func HashUnderKey(salt, key, text string) string {
	return underKey + HashGist(salt, key+" "+Gist(Bare(text)))
}

// UnderKey returns the key under which alone the tombstone recognises its value, "" for one that recognises a text.
func (t Tombstone) UnderKey() string {
	if len(t.Hashes) == 0 || !strings.HasPrefix(t.Hashes[0], underKey) {
		return ""
	}
	return cmp.Or(t.FormerKey(), t.Key)
}

// Lifted returns the tombstone of a key that gets another value. It binds the forgotten value alone.
func (t Tombstone) Lifted() Tombstone {
	t.Key = ValueTombstone + t.Hashes[0][len(t.Hashes[0])-12:] + "." + t.Key
	t.Conflict = nil
	return t
}

// FormerKey returns the key of a tombstone that was lifted, "" for any other tombstone.
func (t Tombstone) FormerKey() string {
	rest, lifted := strings.CutPrefix(t.Key, ValueTombstone)
	if !lifted {
		return ""
	}
	_, key, _ := strings.Cut(rest, ".")
	return key
}

// OfEntry reports whether the tombstone is of an entry's text and not of an item's key.
func (t Tombstone) OfEntry() bool { return t.Key == "" || strings.HasPrefix(t.Key, EntryTombstone) }

// Purged reports whether the tombstone keeps nothing of an entry's text but a hash of this machine.
func (t Tombstone) Purged() bool { return t.Key != "" && t.OfEntry() && t.Salt() == "" }

// Salt returns the salt of the tombstone's hashes, "" if it has none that this version can read.
func (t Tombstone) Salt() string {
	if len(t.Hashes) == 0 {
		return ""
	}
	first := strings.TrimPrefix(t.Hashes[0], underKey)
	salt, hash, _ := strings.Cut(strings.TrimPrefix(first, GistVersion), ":")
	if first != GistVersion+salt+":"+hash {
		return ""
	}
	return salt
}

// Recognises reports whether the tombstone holds the text, or the hash of it.
func (t Tombstone) Recognises(text string) bool {
	if t.Value != nil && Gist(t.Value.Plain()) == Gist(text) {
		return true
	}
	salt, key := t.Salt(), t.UnderKey()
	if salt == "" || key != "" {
		return salt != "" && HashUnderKey(salt, key, text) == t.Hashes[0]
	}
	return HashGist(salt, Gist(text)) == t.Hashes[0] || HashGist(salt, Gist(Bare(text))) == t.Hashes[0]
}

// Duplicates lists, by key, the indexes into doc.Items of keys that stand more than once.
func Duplicates(doc Document) map[string][]int {
	all := make(map[string][]int, len(doc.Items))
	for i, it := range doc.Items {
		all[it.Key] = append(all[it.Key], i)
	}
	for key, list := range all {
		if len(list) < 2 {
			delete(all, key)
		}
	}
	return all
}

// ForgottenBy returns the tombstone of the item's key whose day is the item's or later, if any.
func ForgottenBy(doc Document, it Item) *Tombstone {
	return forgottenBy(tombstonesByKey(doc)[it.Key], it)
}

func tombstonesByKey(doc Document) map[string][]*Tombstone {
	m := make(map[string][]*Tombstone, len(doc.Deletions))
	for i := range doc.Deletions {
		if t := &doc.Deletions[i]; t.Key != "" {
			m[t.Key] = append(m[t.Key], t)
		}
	}
	return m
}

// Forgets reports whether the tombstone is of the item's key, and its day the item's or later.
func (t Tombstone) Forgets(it Item) bool {
	return t.Key != "" && t.Key == it.Key && t.Removed >= it.Day()
}

func forgottenBy(list []*Tombstone, it Item) *Tombstone {
	for _, t := range list {
		if t.Forgets(it) {
			return t
		}
	}
	return nil
}
