package memory

import (
	"context"
	"path"
	"slices"
	"time"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/session"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// Show lists all that is remembered, disabled or not, or what matches the keys
// and globs. A pattern that matches nothing is an error of code not-found.
func Show(ctx context.Context, ss *store.Stores, req ShowRequest) (ShowResult, error) {
	res := ShowResult{Schema: SchemaNumber, Scopes: []ScopeView{}}
	memories, err := read(ctx, ss, req.Scope)
	if err != nil {
		return res, err
	}
	found := map[string]bool{}
	for _, m := range memories {
		view := scopeView(m)
		for _, it := range m.Items {
			if selected(req.Patterns, it.Key, found) {
				view.Items = append(view.Items, itemView(it))
			}
		}
		for _, t := range m.Deletions {
			if selected(req.Patterns, t.Key, found) {
				view.Deletions = append(view.Deletions, tombstoneView(t, m.Store))
			}
		}
		res.Scopes = append(res.Scopes, view)
	}
	for _, p := range req.Patterns {
		if found[p] {
			continue
		}
		if e, err := entryAsked(ctx, ss, req.Scope, p); err != nil || e != nil {
			if err != nil {
				return res, err
			}
			res.Entries = append(res.Entries, *e)
			continue
		}
		e := &Error{Code: ruleNotFound, Status: 1, Message: quoted(p) + ": no item has this key", Hints: []string{"memctl show"}}
		if gone := goneEntry(ctx, ss, req.Scope, p); gone != "" {
			e.Message = quoted(p) + ": does not stand any more"
			e.Hints = []string{"memctl why " + gone, "memctl restore " + gone}
		}
		if req.Person {
			e.Hints = append(e.Hints, JournalCommand(ctx, ss, p, req.Scope)...)
		}
		if keys, err := allKeys(ctx, ss, req.Scope); err == nil {
			for _, near := range nearest(keys, p) {
				e.Hints = append(e.Hints, "memctl show "+policy.Inert(near))
			}
		}
		return res, e
	}
	return res, nil
}

// entryAsked is the entry that a pattern is the id of; nil where it is none.
func entryAsked(ctx context.Context, ss *store.Stores, scope, pattern string) (*EntryView, error) {
	if memfile.KeyForm(pattern) {
		return nil, nil
	}
	return OneEntry(ctx, ss, scope, pattern)
}

// goneEntry is the name of the entry of that id that was taken out and can be brought back;
// "" where there is none.
func goneEntry(ctx context.Context, ss *store.Stores, scope, id string) string {
	stores, err := historyStores(ctx, ss, scope)
	if err != nil {
		return ""
	}
	l, err := findLost(ctx, stores, id, false)
	if err != nil || l == nil {
		return ""
	}
	e := entry.In(l.path, l.src)
	if e == nil || policy.OnlyGone(memfile.Str(e.Text)) {
		return ""
	}
	return shortID(e.ID)
}

// selected reports whether a key is asked for, and notes by which pattern. No
// pattern asks for all.
func selected(patterns []string, key string, found map[string]bool) bool {
	any := len(patterns) == 0
	for _, p := range patterns {
		normal, _ := memfile.NormalKey(p)
		ok, err := path.Match(p, key)
		if p == key || normal == key || err == nil && ok {
			found[p], any = true, true
		}
	}
	return any
}

// read reads the stores for an act that only reads, with what the project's tombstones bind
// withheld. Where memctl.autoInit is
// on, it makes or recovers the project's memory first; else it answers from
// what can be salvaged and names the command that mends it.
func read(ctx context.Context, ss *store.Stores, scope string) ([]*contents.Memory, error) {
	memories, err := contents.Readable(ctx, ss, scope)
	if err != nil {
		return nil, err
	}
	if acted, err := activate(ctx, ss, waitAutomatic); err != nil {
		ss.Talk("memctl.autoInit: " + err.Error())
	} else if acted {
		if memories, err = contents.Readable(ctx, ss, scope); err != nil {
			return nil, err
		}
		return bindings(ctx, ss, false).memories(memories)
	}
	sayAway(ctx, ss, scope)
	for _, m := range memories {
		if m.Salvaged {
			ss.Talk(quoted(m.Store.Name()) + ": is damaged; this is what can be read of it")
			ss.Talk("hint: " + m.Mend + ScopeFlag(m.Store.Scope))
		}
	}
	return bindings(ctx, ss, false).memories(memories)
}

// ScopeFlag ends a command that is about the memory of a scope: it names one that commands
// do not take by themselves.
func ScopeFlag(scope string) string {
	if scope == store.User || scope == store.Private {
		return " --scope " + scope
	}
	return ""
}

// activate makes or recovers the session's own memory file where the person
// has asked for that, and reports whether it did.
func activate(ctx context.Context, ss *store.Stores, wait time.Duration) (bool, error) {
	st, err := ss.Session(ctx)
	if err != nil {
		return false, nil
	}
	m, err := contents.Read(ctx, st)
	if err != nil || m.Foreign || m.Exists && !m.Salvaged {
		return false, nil
	}
	on, err := ss.Setting(ctx, store.AutoInit)
	if err != nil || !on.On() || txn.Away(ctx, m) {
		return false, err
	}
	if m.Exists {
		_, _, err = txn.Recover(ctx, st, txn.Recovery{Clean: true, Wait: wait})
		return err == nil, err
	}
	_, err = txn.Update(ctx, st, txn.Write{Act: "init", Create: true, Clean: true, Wait: wait, Change: func(*memfile.Document) error { return nil }})
	return err == nil, err
}

func quoted(s string) string { return `"` + policy.Inert(redacted(s)) + `"` }

// quotedPath is quoted for a path of a file that others may have named. What the policy
// objects to is not repeated, because an agent may be the reader.
func quotedPath(name string) string {
	if policy.RulePath(name).Verdict != policy.Accept {
		return "a file whose path is withheld (memctl validate names it)"
	}
	return quoted(name)
}

func scopeView(m *contents.Memory) ScopeView {
	return ScopeView{
		Scope: m.Store.Scope, Path: m.Store.Path(), Enabled: m.Settings.Enabled, AnnounceWrites: m.Settings.AnnounceWrites,
		Updated: m.Updated, Salvaged: m.Salvaged, Mend: m.Mend, Items: []ItemView{}, Deletions: []TombstoneView{},
	}
}

// itemView is the item as the doors print it; a secret's value is not shown.
func itemView(it contents.Item) ItemView {
	v := ItemView{
		Key: it.Key, Value: it.Value, Added: it.Added, Source: it.Source, Confidence: it.Confidence, Tags: it.Tags,
		Updated: it.Updated, Seen: it.Seen, Signals: it.Signals, Expires: it.Expires, Pinned: it.Pinned, Locked: it.Locked,
		Paths: it.Paths, Commands: it.Commands, Ask: it.Ask, By: it.By, Conflict: rivalViews(it.Conflict), Withheld: it.Withheld,
	}
	if v.Tags == nil {
		v.Tags = []string{}
	}
	if policy.OnlyGone(it.Value) {
		v.Value = memfile.Value{} // a mark, and no value
	}
	if it.Secret() {
		v.Key, v.Source, v.Value, v.Conflict = redacted(v.Key), redacted(v.Source), memfile.Value{}, nil
		for i, tag := range v.Tags {
			v.Tags[i] = redacted(tag)
		}
	}
	return v
}

func rivalViews(list []memfile.Rival) []RivalView {
	var out []RivalView
	for _, r := range list {
		out = append(out, RivalView(r))
	}
	return out
}

// tombstoneView is the tombstone as the doors print it; what the policy
// refuses of it is redacted.
func tombstoneView(t memfile.Tombstone, st *store.Store) TombstoneView {
	t = t.Formed()
	v := TombstoneView{Key: redacted(t.Key), Removed: t.Removed, Reason: redacted(t.Reason)}
	v.objections = st.Rule(policy.Candidate{Key: t.Key, Raw: true}).Rules()
	if t.Value != nil && st.Rule(policy.Candidate{Value: *t.Value, Raw: true}).Verdict == policy.Accept {
		v.Value = t.Value
	}
	for _, r := range t.Conflict {
		if st.Rule(policy.Candidate{Value: r.Value, Raw: true}).Verdict == policy.Accept {
			v.Conflict = append(v.Conflict, RivalView(r))
		}
	}
	return v
}

// Profile is the Active Profile of a session in this folder.
func Profile(ctx context.Context, ss *store.Stores) (ProfileResult, error) {
	return profileOf(ctx, ss, false)
}

// HookProfile is the profile that a hook hands to a session: of the project's items only
// those that the person trusts. Errors: as Profile.
func HookProfile(ctx context.Context, ss *store.Stores) (ProfileResult, error) {
	return profileOf(ctx, ss, true)
}

func profileOf(ctx context.Context, ss *store.Stores, hook bool) (ProfileResult, error) {
	memories, err := read(ctx, ss, "")
	if err != nil {
		return ProfileResult{}, err
	}
	if hook && ss.TrustLevel(ctx) == store.TrustOff {
		memories = slices.DeleteFunc(memories, func(m *contents.Memory) bool { return m.Store.Scope == store.Project })
	}
	mine, err := ss.Setting(ctx, store.Enabled)
	if err != nil {
		return ProfileResult{}, err
	}
	on := handedOut(ctx, ss, hook)
	on.Disabled = !mine.On()
	p := session.Build(memories, on)
	res := profileResult(p)
	for _, m := range memories {
		res.Warnings = append(res.Warnings, damagedNote(m)...)
	}
	return res, nil
}

// profileResult is the profile as the doors print it.
func profileResult(p session.Profile) ProfileResult {
	res := ProfileResult{
		Schema: SchemaNumber, Preamble: session.Preamble, Bullets: []Bullet{}, LeftOut: []LeftOut{},
		Bytes: len(p.Text), Tokens: session.Tokens(len(p.Text)), Text: p.Text,
	}
	for _, b := range p.Bullets {
		res.Bullets = append(res.Bullets, Bullet(b))
	}
	for _, l := range p.LeftOut {
		res.LeftOut = append(res.LeftOut, LeftOut{Key: l.Key, Scope: l.Scope, Why: l.Why})
	}
	return res
}
