package notice

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/edit"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/store/txn"
)

// Captured says which of what was captured is meant.
type Captured struct {
	Since string   // from this day on; "" for all days
	Keys  []string // only these; none for all
}

func (c Captured) has(key, day string) bool {
	return day >= c.Since && (len(c.Keys) == 0 || slices.Contains(c.Keys, key))
}

// asArguments is the choice as a command line has it.
func (c Captured) asArguments() (text string) {
	for _, key := range c.Keys {
		text += " " + shell.Quote(memory.Redacted(key))
	}
	if c.Since != "" {
		text += " --since " + c.Since
	}
	return text
}

// ForgetCaptured forgets what came into memory because a person said it to an agent, on the day
// since or later ("" is all of it), and drops what of it still waits, and the notes that memctl
// made of these days. Errors: a store cannot be read or written.
func ForgetCaptured(ctx context.Context, ss *store.Stores, o memory.Options, which Captured) (writes []memory.Write, err error) {
	if err := o.Permit("forget --captured", memory.StateAbsent, "memctl forget --captured"+which.asArguments()); err != nil {
		w, err := o.Answer("forget", "", "").Refused(err)
		return []memory.Write{w}, err
	}
	waiting, undo, err := dropWaiting(ctx, ss, o, which)
	if err != nil {
		return nil, err
	}
	days := 0
	if len(which.Keys) == 0 && o.Scope == "" {
		if days, err = localstate.DropDays(ss, which.Since); err != nil {
			return nil, err
		}
		segments, err := localstate.DropSegments(ctx, ss, which.Since)
		if err != nil {
			return nil, err
		}
		waiting += segments
	}
	scopes := []string{store.User, store.Private, store.Only}
	if o.Scope != "" {
		scopes = []string{o.Scope}
	}
	for _, scope := range scopes {
		done, err := forgetIn(ctx, ss, o, scope, which)
		writes = append(writes, done...)
		if err != nil {
			return writes, err
		}
	}
	if waiting+days > 0 {
		verb := ss.Said("dropped", "would drop")
		w := o.Answer("forget", "", "")
		w.Changed = true
		if waiting > 0 {
			note := fmt.Sprintf("%s proposals from your prompts that were not stored yet: %d", verb, waiting)
			if undo {
				note += " (undo: memctl undo)"
			}
			w.Notes = append(w.Notes, fault.NewNote("proposals-dropped", note))
		}
		if days > 0 {
			w.Notes = append(w.Notes, fault.NewNote("daily-notes-dropped", fmt.Sprintf("%s daily notes that memctl wrote: %d", verb, days)))
		}
		writes = append(writes, w)
	}
	return writes, nil
}

// forgetIn forgets what was captured in one scope: items, values in conflict with an item, and
// entries.
func forgetIn(ctx context.Context, ss *store.Stores, o memory.Options, scope string, which Captured) (writes []memory.Write, err error) {
	st, err := ss.Get(ctx, scope)
	if err != nil {
		return nil, nil // not every place has every scope
	}
	m, err := contents.Read(ctx, st)
	if err != nil {
		return nil, err
	}
	meant := func(key, source, by string) bool {
		day, ok := memfile.SaidOn(source, by)
		return ok && which.has(key, day)
	}
	o.Scope = scope
	var items []string
	for _, it := range m.Items {
		rival := func(r memfile.Rival) bool { return meant(it.Key, r.Source, r.By) }
		switch {
		case meant(it.Key, it.Source, it.By):
			items = append(items, it.Key)
		case slices.ContainsFunc(it.Conflict, rival):
			w, err := withoutRivals(ctx, st, o, it.Key, rival)
			if err != nil {
				return writes, err
			}
			writes = append(writes, w)
		}
	}
	entries, err := contents.ReadAllEntries(ctx, st)
	if err != nil {
		return writes, err
	}
	for _, e := range entries.List {
		if !e.Deleted && meant(memory.ShortID(e.ID), e.Source, e.By) {
			items = append(items, e.ID)
		}
	}
	if len(items) == 0 {
		return writes, nil
	}
	done, err := edit.Forget(ctx, ss, edit.ForgetRequest{Options: o, Targets: items})
	return append(writes, done...), err
}

// withoutRivals takes values out of the conflict of an item, and says so.
func withoutRivals(ctx context.Context, st *store.Store, o memory.Options, key string, rival func(memfile.Rival) bool) (memory.Write, error) {
	out, err := o.Update(ctx, st, txn.Write{Act: "forget", Keys: []string{key}, Change: func(doc *txn.Draft) error {
		if i := memory.Find(doc.Document, key); i >= 0 {
			doc.Items[i].Conflict = slices.DeleteFunc(slices.Clone(doc.Items[i].Conflict), rival)
		}
		return nil
	}})
	return o.Answer("forget", key, st.Scope).After(out, err, "Forgot what you said to an agent of "+policy.Inert(memory.Redacted(key))+memory.UndoHint(out, "", key))
}

// dropWaiting drops proposals, and counts them. undo reports whether undo can put some back.
func dropWaiting(ctx context.Context, ss *store.Stores, o memory.Options, which Captured) (n int, undo bool, err error) {
	for _, scope := range ss.Scopes() {
		st, err := ss.Get(ctx, scope)
		if err != nil {
			continue
		}
		queue, err := ledger.Queue(st)
		if err != nil {
			return n, undo, err
		}
		var ids []string
		for _, q := range queue {
			if q.Said+q.SaidOn != "" && (o.Scope == "" || o.Scope == scope) && which.has(q.Key, q.Since.UTC().Format(time.DateOnly)) {
				ids = append(ids, q.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		kept, err := ledger.DropQueued(ctx, st, ledger.Drop{Act: "forget", Origin: o.Origin.Kind, IDs: ids, Wait: o.Wait()})
		if n, undo = n+len(ids), undo || kept; err != nil {
			return n, undo, err
		}
	}
	return n, undo, nil
}
