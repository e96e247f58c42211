package contents

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/memfile"
)

// MachineKey is the file with the key of the hashes of forgotten values.
const MachineKey = "key"

// ForgottenHashes has the hashes of forgotten values, each with the keys that it was forgotten under.
func ForgottenHashes(st *store.Store) statedir.File[map[string][]string] {
	return statedir.File[map[string][]string]{In: st.SharedState(), Name: "forgotten.json"}
}

// BindsEveryKey reports whether a value is text long enough that forgetting it binds
// every key.
func BindsEveryKey(v memfile.Value) bool {
	return v.Kind == memfile.String && isLongEnoughToMatch(v.Plain())
}

// isLongEnoughToMatch reports whether a text has enough words to be recognised as a forgotten one wherever it stands.
func isLongEnoughToMatch(text string) bool {
	return len(strings.Fields(memfile.Gist(text))) >= memfile.BindingWords
}

// hash is a hash of a gist under a key that only this machine has, so that a list of
// hashes tells nobody what was forgotten.
func hash(key []byte, gist string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(gist))
	return hex.EncodeToString(mac.Sum(nil))
}

// hashKey is the key of this machine for hashes, made where there is none.
func hashKey(ss *store.Stores) ([]byte, error) {
	state := ss.DataState()
	key, err := state.Read(MachineKey)
	if err != nil || len(key) > 0 {
		return key, err
	}
	err = state.Change(MachineKey, func(now []byte) ([]byte, error) {
		if key = now; len(key) == 0 { // else another process has just made it
			key = make([]byte, 32)
			_, _ = rand.Read(key) // documented never to fail
		}
		return key, nil
	})
	return key, err
}

// RememberForgotten notes that a value was forgotten, with the keys of its tombstone. It is called
// under the store's lock.
func RememberForgotten(st *store.Store, v memfile.Value, keys ...string) error {
	if !BindsEveryKey(v) {
		return nil
	}
	return RememberForgottenHash(st, v, keys...)
}

// RememberForgottenHash is RememberForgotten for a value of any length.
func RememberForgottenHash(st *store.Store, v memfile.Value, keys ...string) error {
	machine, err := hashKey(st.Stores)
	if err != nil {
		return err
	}
	list, err := ForgottenHashes(st).Read()
	if err != nil {
		return err
	}
	if list == nil {
		list = map[string][]string{}
	}
	sum := memfile.GistVersion + hash(machine, memfile.Gist(memfile.Bare(v.Plain())))
	for _, key := range keys {
		if !slices.Contains(list[sum], key) {
			list[sum] = append(list[sum], key)
		}
	}
	return ForgottenHashes(st).Write(list)
}

// ForgottenValue reports whether the value of a key, a line of it, or what stands beside it (tags,
// the source) was forgotten under some key, by a tombstone that recognises it or by a
// hash of this machine; under says which key is still forgotten. A text of fewer words counts where it was forgotten under this
// key, or is the whole value and was a fact's or a note's. A hash counts while the tombstone of
// its key stands.
func ForgottenValue(st *store.Store, doc memfile.Document, key string, v memfile.Value, beside ...string) (under string, forgotten bool, err error) {
	f, err := ForgottenOf(st, doc)
	if err != nil {
		return "", false, err
	}
	t := f.value(key, v)
	if t != nil && t.FormerKey() == "" && !t.OfEntry() {
		under = t.Key
	}
	return under, t != nil || slices.ContainsFunc(beside, f.HasLine), nil
}

// Salt returns the salt of the hashes in a document's tombstones, and a new one where there are none.
func Salt(doc memfile.Document) string {
	for _, t := range doc.Deletions {
		if salt := t.Salt(); salt != "" {
			return salt
		}
	}
	raw := make([]byte, 6)
	_, _ = rand.Read(raw) // documented never to fail
	return hex.EncodeToString(raw)
}

// Tombstone is the key's tombstone, nil where there is none.
func Tombstone(doc memfile.Document, key string) *memfile.Tombstone {
	i := -1
	if key != "" {
		i = slices.IndexFunc(doc.Deletions, func(t memfile.Tombstone) bool { return t.Key == key })
	}
	if i < 0 {
		i = slices.IndexFunc(doc.Deletions, func(t memfile.Tombstone) bool { return IsTombstoneOf(t, key) })
	}
	if i < 0 {
		return nil
	}
	return &doc.Deletions[i]
}

// IsTombstoneOf reports whether a tombstone is of a key: of its own, or of the one that
// add makes of its own, where a person wrote that in another form.
func IsTombstoneOf(t memfile.Tombstone, key string) bool {
	if t.Key == key || t.Key == "" || key == "" || memfile.KeyForm(t.Key) {
		return key != "" && t.Key == key
	}
	_, nearest := memfile.NormalKey(t.Key)
	return nearest == key
}
