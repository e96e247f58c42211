package store

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
)

const (
	forgottenFile = "forgotten.json"
	machineKey    = "key"
	// bindingWords is the number of words from which a forgotten value binds
	// other keys (DESIGN.md 5.3): shorter ones ("tabs") are said of many things.
	bindingWords = 3
)

// Binds reports whether a value is text long enough that forgetting it binds
// every key.
func Binds(v memfile.Value) bool { return v.Kind == memfile.String && binding(gist(v)) }

// binding is Binds for a gist.
func binding(gist string) bool { return len(strings.Fields(gist)) >= bindingWords }

// gist is what a value says, so that neither a full stop nor the mark of a list
// brings anything back.
func gist(v memfile.Value) string { return memfile.Gist(v.Plain()) }

// digest is a hash of the value's gist under a key that only this
// machine has, so that the list tells nobody what was forgotten.
func (ss *Stores) digest(v memfile.Value) (string, error) {
	key, err := ss.Key()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(gist(v)))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// Key is the key of this machine for hashes, made where there is none.
func (ss *Stores) Key() ([]byte, error) {
	state := ss.dataState()
	key, err := state.read(machineKey)
	if err != nil || len(key) > 0 {
		return key, err
	}
	key = make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, state.write(machineKey, key)
}

// rememberForgotten notes that the value of a key was forgotten. It is called
// under the store's lock.
func (st *Store) rememberForgotten(key string, v memfile.Value) error {
	if !Binds(v) {
		return nil
	}
	return st.rememberHash(key, v)
}

// rememberHash is rememberForgotten for a value of any length.
func (st *Store) rememberHash(key string, v memfile.Value) error {
	sum, err := st.ss.digest(v)
	if err != nil {
		return err
	}
	list := map[string][]string{} // the keys that each value was forgotten under
	if err := st.shared().readJSON(forgottenFile, &list); err != nil {
		return err
	}
	if slices.Contains(list[sum], key) {
		return nil
	}
	list[sum] = append(list[sum], key)
	return st.shared().writeJSON(forgottenFile, list)
}

// ForgottenValue reports whether the value, a line of it, or what stands beside it (tags,
// the source) was forgotten under some key, by a tombstone that holds it or by a
// hash of this machine; key says which. A text of fewer words counts where it is
// the whole value and was a fact's or a note's. A hash counts while the tombstone of
// its key stands.
func (st *Store) ForgottenValue(doc memfile.Document, v memfile.Value, beside ...string) (key string, forgotten bool, err error) {
	f, err := st.forgotten(doc)
	if err != nil {
		return "", false, err
	}
	if t := f.value(v); t != nil {
		return t.Key, true, nil
	}
	return "", slices.ContainsFunc(beside, f.besideText), nil
}

// Tombstone is the key's tombstone, nil where there is none.
func Tombstone(doc memfile.Document, key string) *memfile.Tombstone {
	i := -1
	if key != "" {
		i = slices.IndexFunc(doc.Deletions, func(t memfile.Tombstone) bool { return t.Key == key })
	}
	if i < 0 {
		i = slices.IndexFunc(doc.Deletions, func(t memfile.Tombstone) bool { return Buries(t, key) })
	}
	if i < 0 {
		return nil
	}
	return &doc.Deletions[i]
}

// Buries reports whether a tombstone is of a key: of its own, or of the one that
// add makes of its own, where a person wrote that in another form.
func Buries(t memfile.Tombstone, key string) bool {
	if t.Key == key || t.Key == "" || key == "" || memfile.KeyForm(t.Key) {
		return key != "" && t.Key == key
	}
	_, nearest := memfile.NormalKey(t.Key)
	return nearest == key
}
