package store

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/policy"
)

const (
	// emptyFor is how long a file of an act is waited for that somebody has emptied: who
	// writes it anew in place does so first.
	emptyFor  = 200 * time.Millisecond
	emptyLook = 5 * time.Millisecond
)

// wholeBytes are a file's, once it is not empty.
func (st *Store) wholeBytes(ctx context.Context, name string) ([]byte, error) {
	for end := time.Now().Add(emptyFor); ; time.Sleep(emptyLook) {
		now, err := st.fileBytes(name)
		if err != nil || now == nil || len(now) > 0 || ctx.Err() != nil || time.Now().After(end) {
			return now, err
		}
	}
}

// maxRefused is how often the commit of an act is tried whose hook mends the act's files
// and refuses each time. Then the act waits.
const maxRefused = 5

// adopt takes a file of the act as somebody has changed it since the act wrote it, a
// formatter or a hook that mends and refuses: it is committed, or waits, in the act's name
// with their bytes. ok is false where not all that the act changed stands in it. Errors:
// *SecretError.
func (t *transaction) adopt(path string, now []byte) (ok bool, err error) {
	i := slices.IndexFunc(t.changes, func(c FileChange) bool { return c.Path == path })
	was := t.changes[i].After
	if !t.standsIn(t.changes[i], now) {
		return false, nil
	}
	if found := policy.ScanFile(path, now); len(found) > 0 {
		return false, &SecretError{Scope: t.st.Scope, Name: path, Finding: found[0]}
	}
	t.changes[i].After = now
	t.adopted = append(t.adopted, path)
	for _, rec := range t.acts {
		for j, c := range rec.Files {
			if c.Path == path && bytes.Equal(c.After, was) {
				rec.Files[j].After = now
			}
		}
	}
	return true, t.begin() // where this process is killed, the next act knows it so
}

// standsIn reports whether the bytes have all that the change wrote, however it is written
// there.
func (t *transaction) standsIn(c FileChange, now []byte) bool {
	switch {
	case now == nil || c.After == nil:
		return now == nil && c.After == nil
	case c.Path == memfile.FileName:
		return t.holds(now)
	}
	said, is := entry.In(c.Path, c.After), entry.In(c.Path, now)
	if said == nil || is == nil {
		return false
	}
	if c.Before == nil && is.ID == said.ID && entry.NormalText(is.Text) != entry.NormalText(said.Text) {
		// A formatter of prose would make another thing of each try, a new entry each time.
		if !slices.ContainsFunc(t.reworded, func(r FileChange) bool { return r.Path == c.Path }) {
			t.reworded = append(t.reworded, c)
		}
		said.Text = is.Text
	}
	return is.Says(*said)
}

// noteReworded says which new entries another program changed the words of as they were
// written. The journal has those that were said.
func (t *transaction) noteReworded(ctx context.Context) {
	if len(t.reworded) == 0 {
		return
	}
	kept := t.journal(ctx, written{changes: t.reworded, subject: "memory: " + t.w.subject(), body: t.w.Message, trailers: t.w.trailers(t.st.Scope), why: WhyReworded})
	var ids []string
	for _, c := range t.reworded {
		if place, ok := entry.ParsePath(c.Path); ok {
			ids = append(ids, entry.ShortID(place.ID))
		}
	}
	note := "another program changed the words as they were written: " + namedFew(ids)
	if kept {
		note += "; the journal has those that were said"
	}
	t.notes = append(t.notes, note)
}

// settlesFor reports whether the act may wait with its files as they stand: it does so in
// each of the lost ones, which are taken as they are. Errors: those of adopt.
func (t *transaction) settlesFor(ctx context.Context, lost []FileChange) (bool, error) {
	for _, c := range lost {
		now, err := t.st.wholeBytes(ctx, c.Path)
		if err != nil {
			return false, err
		}
		if ok, err := t.adopt(c.Path, now); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// own are the changes as the act alone made them: what else came into the memory file with
// the same commit is not the act's to take back.
func (t *transaction) own() []FileChange {
	list := slices.Clone(t.changes)
	for i, c := range list {
		if c.Path == memfile.FileName && t.next != nil {
			list[i].After = t.next.Bytes()
		}
	}
	return list
}

// keepOwn has the act's record tell what the act changed, where its commit tells more, or
// not all of it. In the user store it does not: see partRecords.
func (t *transaction) keepOwn() {
	if !t.beside || t.st.Scope == User {
		return
	}
	rec := t.act
	rec.keep(t.own())
	if files := len(rec.Files) > 0 || !slices.ContainsFunc(t.changes, func(c FileChange) bool { return c.Path != memfile.FileName }); files {
		rec.Part = true
		t.act = rec
	}
}

// without is the memory file as somebody has changed it since the act wrote it, and without
// what the act did; nil where that cannot be told.
func (t *transaction) without(c FileChange, now []byte) []byte {
	if t.next == nil || c.Before == nil {
		return nil
	}
	merged, err := merge.Files(t.st.Name(), t.next.Bytes(), now, c.Before)
	if err != nil || len(merged.Aside) > 0 {
		return nil
	}
	return merged.Bytes
}
