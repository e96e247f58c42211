package view

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/session"
	"github.com/memctl/memctl/internal/session/contextfile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Why says where one item comes from: what it is, whether it is in the
// profile that is given, and its history.
func Why(ctx context.Context, ss *store.Stores, who contents.Reader, key, scope string, profile func() (ProfileResult, error)) (WhyResult, error) {
	handed, _ := localstate.HandedOver(ss)
	if name, _, section := strings.Cut(key, "#L"); section && store.IsInstruction(name) { // a part of a person's file
		res := WhyResult{Key: key, Scope: cmp.Or(scope, store.Project), Changes: []Change{}}
		if h, ok := handed[res.Scope][key]; ok {
			res.Handed = &h
		}
		return res, nil
	}
	res, err := why(ctx, ss, who, key, scope, profile)
	if res.Withheld = changesFor(who, res.Changes); res.noKey {
		res.Key, res.Restore = "", ""
	}
	for _, rec := range []*Record{res.Item, res.Entry} {
		if rec == nil {
			continue
		}
		if h, ok := handed[rec.Scope][rec.Key+rec.ID]; ok {
			res.Handed = &h
		}
	}
	if res.Item == nil {
		return res, err
	}
	item, kept := forReader(who, []Record{*res.Item})
	if kept.WithheldCount > 0 {
		res.Item, res.Key, res.Withheld = &item[0], item[0].Key, kept
		for i := range res.Changes {
			res.Changes[i].Verdict = item[0].Verdict // all are about it
		}
		changesFor(who, res.Changes)
	}
	return res, err
}

// why is what Why says, with the item and the changes as a person may have them.
func why(ctx context.Context, ss *store.Stores, who contents.Reader, key, scope string, profile func() (ProfileResult, error)) (WhyResult, error) {
	res := WhyResult{Key: key, Scope: scope, Changes: []Change{}}
	st, exact, err := memory.Locate(ctx, ss, key, scope)
	var r *memory.Refusal
	if errors.As(err, &r) && r.Findings[0].Rule == memory.RuleNotFound {
		if ok, err := res.ofEntry(ctx, ss, who); ok || err != nil {
			return res, err
		}
		st, err = memory.AlreadyForgotten(ctx, ss, key, scope)
		if err == nil && st == nil {
			return res, memory.AsError(key, r)
		}
	} else if err == nil {
		res.Key = exact
	}
	if err != nil {
		return res, memory.AsError(key, err)
	}
	res.Scope = st.Scope
	if st.Repo == nil {
		return res, memory.NoHistory(ss, st)
	}
	if err := res.addCurrent(ctx, ss, who, st, profile); err != nil {
		return res, err
	}
	log, err := Log(ctx, ss, contents.Person, LogRequest{Key: res.Key, Scope: st.Scope})
	if fault.Is(err, memory.RuleNotFound) {
		res.Note = "no commit has it yet"
		return res, nil
	}
	res.Changes = append(res.Changes, log.Changes...)
	if res.Item == nil && res.Deleted != nil && err == nil {
		if was, _, lost := Earlier(ctx, st, res.Key, "", false); lost == nil && was != nil && memory.NotPurged(was.Value) == nil {
			res.Restore = "memctl restore " + policy.Inert(memory.Redacted(res.Key))
		}
	}
	return res, err
}

// ofEntry answers for an entry, where the key is the id of one that stands and
// that agents may have, or that history has.
func (res *WhyResult) ofEntry(ctx context.Context, ss *store.Stores, who contents.Reader) (ok bool, err error) {
	if memfile.KeyForm(res.Key) {
		return false, nil
	}
	if res.Entry, err = OneEntry(ctx, ss, contents.Person, res.Scope, res.Key); err != nil {
		return false, err
	}
	log, err := Log(ctx, ss, contents.Person, LogRequest{Key: res.Key, Scope: res.Scope})
	answer := fault.FindAnswer(err)
	if answer != nil && res.Entry != nil {
		res.Note, err = "no commit has it yet", nil
	} else if answer != nil {
		return false, nil
	}
	if res.Changes = append(res.Changes, log.Changes...); res.Entry != nil {
		res.Scope = res.Entry.Scope
	} else if len(log.Changes) > 0 {
		last := log.Changes[0]
		res.Scope = last.Scope
		if day, _, _ := strings.Cut(last.Date, "T"); last.Act == "forget" {
			if res.Deleted = (&TombstoneView{Removed: day}); who == contents.Person {
				res.Deleted.Reason = last.Source
			}
		}
		gone := goneEntry(ctx, ss, res.Scope, res.Key)
		if gone == nil {
			return true, err
		}
		res.Restore = "memctl restore " + memory.ShortID(gone.ID)
		if gone.ReplacedBy == "" {
			return true, err
		}
		if next, failed := OneEntry(ctx, ss, contents.Person, res.Scope, gone.ReplacedBy); failed == nil && next != nil {
			res.Restore, res.Note = "", "replaced by "+next.Tier+" "+memory.ShortID(next.ID)
		}
	}
	return true, err
}

// addCurrent fills in what the key is now.
func (res *WhyResult) addCurrent(ctx context.Context, ss *store.Stores, who contents.Reader, st *store.Store, profile func() (ProfileResult, error)) error {
	v := contents.NewView(ctx, ss, contents.Person)
	m, err := v.Memory(st.Scope)
	if err != nil {
		return err
	}
	it := m.Find(res.Key)
	if it != nil {
		record := itemRecord(*it, st.Scope)
		res.Item = &record
	}
	if t := contents.Tombstone(memfile.Document{Deletions: m.Deletions}, res.Key); t != nil {
		view := tombstoneView(who, *t, st)
		res.Deleted, res.noKey = &view, view.Key == ""
	}
	p, err := profile()
	if err != nil {
		return err
	}
	for _, b := range p.Bullets {
		mine := it != nil && b.Scope == st.Scope && b.Key == res.Key
		if res.InProfile = res.InProfile || mine; mine && b.Text != session.Defuse(it.Value.Plain()) {
			res.Note = "sessions receive: " + b.Text
		}
	}
	for _, l := range p.LeftOut {
		if l.Key == res.Key && l.Scope == st.Scope {
			res.LeftOut = l.Why
		}
	}
	if !res.InProfile && res.LeftOut != session.WhyListed {
		return nil
	}
	unasked := contents.NewView(ctx, ss, contents.Hook) // a hook's, which hands out only what the person trusts
	m, err = unasked.Memory(st.Scope)
	if err == nil && m.Closed&contents.Untrusted != 0 {
		res.InProfile, res.LeftOut, res.Note = false, session.WhyUntrusted, ""
	} else if it != nil && session.MayBeListed(it, st.Scope) {
		res.InFile = contextfile.Listed(ctx, ss, it.Key, it.Value.Plain())
	}
	return err
}
