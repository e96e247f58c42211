package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/memctl/memctl/memfile"
)

// ForgottenTexts returns a test of whether a text of an entry was forgotten in
// this store: some tombstone holds it, whatever its length, or a hash of this
// machine stands for it. It reads what it needs once.
func (st *Store) ForgottenTexts(ctx context.Context) (func(text string) bool, error) {
	m, err := st.Read(ctx)
	if err != nil {
		return nil, err
	}
	return st.forgottenTexts(memfile.Document{Deletions: m.Deletions})
}

func (st *Store) forgottenTexts(doc memfile.Document) (func(text string) bool, error) {
	values := map[string]bool{}
	for _, t := range doc.Deletions {
		if t.Value != nil {
			values[gist(*t.Value)] = true
		}
	}
	hashes := map[string][]string{}
	if len(doc.Deletions) > 0 && st.Dir != "" {
		if err := st.shared().readJSON(forgottenFile, &hashes); err != nil {
			return nil, err
		}
	}
	var key []byte
	if len(hashes) > 0 {
		var err error
		if key, err = (local{st.ss.data}).read(machineKey); err != nil {
			return nil, err
		}
	}
	return func(text string) bool {
		if len(values) == 0 && len(key) == 0 {
			return false
		}
		g := gist(memfile.Str(text))
		if values[g] || len(key) == 0 {
			return values[g]
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(g))
		for _, key := range hashes[hex.EncodeToString(mac.Sum(nil))] {
			if Tombstone(doc, key) != nil {
				return true
			}
		}
		return false
	}, nil
}

// LiftTexts takes away the tombstones that forbid a text to an entry, so that a
// person can bring it back.
func (st *Store) LiftTexts(doc *memfile.Document, text string) error {
	kept := doc.Deletions[:0:0]
	for _, t := range doc.Deletions {
		forbids, err := st.forgottenTexts(memfile.Document{Deletions: []memfile.Tombstone{t}})
		if err != nil {
			return err
		}
		if !forbids(text) {
			kept = append(kept, t)
		}
	}
	if len(kept) != len(doc.Deletions) {
		doc.Deletions = kept
	}
	return nil
}

// TombstoneKey is a key for the tombstone of a text that must not stand in the
// file: of its hash under a key that only this machine has.
func (ss *Stores) TombstoneKey(text string) (string, error) {
	sum, err := ss.digest(memfile.Str(text))
	if err != nil {
		return "", err
	}
	return "entry.forgotten-" + sum[:12], nil
}
