// Package view holds the acts that only read: items and entries, the profile, history, and
// what waits for a person.
package view

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// Show lists all that is remembered, disabled or not, or what matches the keys
// and globs, as the reader may have it. A pattern that matches nothing is an error of code not-found.
func Show(ctx context.Context, ss *store.Stores, who contents.Reader, req ShowRequest) (ShowResult, error) {
	res := ShowResult{Scopes: []ScopeView{}}
	memories, _, err := ReadShown(ctx, ss, req.Scope, who)
	if err != nil {
		return res, err
	}
	found := map[string]bool{}
	for _, m := range memories {
		view := ScopeView{
			Scope: m.Store.Scope, Path: m.Store.Path(), Enabled: m.Settings.Enabled, AnnounceWrites: m.Settings.AnnounceWrites,
			Updated: m.Updated, Salvaged: m.Salvaged, Mend: m.Mend, Deletions: []TombstoneView{},
		}
		for _, t := range m.Deletions {
			if selected(req.Patterns, t.Key, found) {
				view.Deletions = append(view.Deletions, tombstoneView(who, t, m.Store))
			}
		}
		items, kept := forReader(who, append([]Record{}, Query{Patterns: req.Patterns}.items(m, found)...))
		view.Items, res.WithheldCount = items, res.WithheldCount+kept.WithheldCount
		res.Scopes = append(res.Scopes, view)
	}
	for _, p := range req.Patterns {
		if found[p] {
			continue
		}
		if e, err := OneEntry(ctx, ss, who, req.Scope, p); err != nil || e != nil {
			if err != nil {
				return res, err
			}
			res.Entries = append(res.Entries, *e)
			continue
		}
		e := &fault.Error{Code: memory.RuleNotFound, Status: 1, Cause: memory.Quoted(p) + ": no item has this key", Hints: []string{"memctl show"}}
		if gone := goneEntry(ctx, ss, req.Scope, p); gone != nil {
			e.Cause = memory.Quoted(p) + " does not exist any more"
			id := memory.ShortID(gone.ID)
			e.Hints = []string{"memctl why " + id, "memctl restore " + id}
		} else if waits, err := memory.InQueue(ctx, ss, p, req.Scope); err == nil && waits {
			e.Cause, e.Hints = memory.Quoted(p)+": "+memory.KeyWaits, []string{memory.ReviewHint}
		}
		if keys, err := memory.AllKeys(ctx, ss, req.Scope); err == nil {
			for _, near := range memory.Nearest(keys, p) {
				e.Hints = append(e.Hints, "memctl show "+policy.Inert(near))
			}
		}
		e.Hints = append(e.Hints, "memctl log --all "+policy.Inert(memory.Redacted(p)))
		return res, e
	}
	return res, nil
}

// goneEntry returns the removed entry of that id that can be restored, nil if there is none.
func goneEntry(ctx context.Context, ss *store.Stores, scope, id string) *entry.Entry {
	stores, err := memory.HistoryStores(ctx, ss, scope)
	if err != nil {
		return nil
	}
	l, err := FindLost(ctx, stores, id, false)
	if err != nil || l == nil {
		return nil
	}
	if e := entry.ParseOrNil(l.Path, l.Src); e != nil && !policy.IsOnlyPurged(memfile.Str(e.Text)) {
		return e
	}
	return nil
}

// selected reports whether a key is asked for, and notes by which pattern. No
// pattern asks for all.
func selected(patterns []string, key string, found map[string]bool) bool {
	any := len(patterns) == 0
	for _, p := range patterns {
		if matchesKey(p, key) {
			found[p], any = true, true
		}
	}
	return any
}

// matchesKey reports whether what a person typed names the key: the key itself, in any form that
// add takes, the area that it begins with, or a glob.
func matchesKey(pattern, key string) bool {
	normal, _ := memfile.NormalKey(pattern)
	ok, err := path.Match(pattern, key)
	return pattern == key || normal == key || normal != "" && strings.HasPrefix(key, normal+".") || err == nil && ok
}

// ReadShown reads the stores for an act that only reads, with what the project's tombstones bind withheld, and
// returns the reader's View. Where memctl.autoInit is
// on, it makes or recovers the project's memory first; else it answers from
// what can be salvaged and names the command that mends it.
func ReadShown(ctx context.Context, ss *store.Stores, scope string, who contents.Reader) ([]*contents.Memory, *contents.View, error) {
	acted, err := Activate(ctx, ss, memory.WaitAutomatic)
	if err != nil {
		ss.Talk("memctl.autoInit: " + err.Error())
	}
	v := contents.NewView(ctx, ss, who)
	memories, err := v.Memories(scope)
	if err != nil || acted {
		return memories, v, err
	}
	memory.WarnMissingFile(ctx, ss, scope)
	for _, m := range memories {
		if m.Salvaged {
			ss.Talk(memory.Quoted(m.Store.Name()) + " " + memory.Damage(m))
			ss.Talk("hint: " + m.Mend + memory.ScopeFlag(m.Store.Scope))
		}
	}
	return memories, v, nil
}

// Activate makes or recovers the session's own memory file where the person
// has asked for that, and reports whether it did.
func Activate(ctx context.Context, ss *store.Stores, wait time.Duration) (bool, error) {
	st, err := ss.Session(ctx)
	if err != nil {
		return false, nil
	}
	m, err := contents.Read(ctx, st)
	if err != nil || m.Exists && !m.Salvaged {
		return false, nil
	}
	on, err := ss.Setting(ctx, store.AutoInit)
	if err != nil || !on.Bool() || txn.Absent(ctx, m) {
		return false, err
	}
	if m.Exists || m.Foreign {
		_, _, err = txn.Recover(ctx, st, txn.Write{Clean: true, Wait: wait})
		return err == nil, err
	}
	_, err = txn.Update(ctx, st, txn.Write{Act: "init", Create: true, Clean: true, Wait: wait})
	return err == nil, err
}

// ShowRequest is one `show`: all, or what matches the keys and globs.
type ShowRequest struct {
	Scope    string
	Patterns []string
}

// ShowResult is all that is remembered.
type ShowResult struct {
	Scopes []ScopeView `json:"scopes"`
	// Entries are the facts and notes that were asked for by their ids.
	Entries []Record `json:"entries,omitempty"`
	memory.Withheld
}

// ScopeView is one scope's memory.
type ScopeView struct {
	Scope          string          `json:"scope"`
	Path           string          `json:"path"`
	Enabled        bool            `json:"enabled"`
	AnnounceWrites bool            `json:"announce_writes"`
	Updated        string          `json:"updated"`
	Items          []Record        `json:"items"`
	Deletions      []TombstoneView `json:"deletions"`
	Salvaged       bool            `json:"salvaged,omitempty"` // the file is damaged: this is what can be read of it; Mend mends it
	Mend           string          `json:"-"`                  // a command
}
