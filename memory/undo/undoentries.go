package undo

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// entryNames are the names of the entries and skills that files hold, each once.
func entryNames(files []store.FileChange) []string {
	var names []string
	for _, c := range files {
		if name := skillName(c.Path); name != "" {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			continue
		}
		e := entry.In(c.Path, c.After)
		if e == nil {
			e = entry.In(c.Path, c.Before)
		}
		name := c.Path
		switch {
		case store.IsContext(c.Path):
			name = path.Base(c.Path)
		case e != nil:
			name = e.ID
		}
		if name = memory.ShortID(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// skillName is the name of the skill that a file is of; "" where it is of none.
func skillName(file string) string {
	for _, folder := range store.SkillFolders {
		if rest, ok := strings.CutPrefix(file, folder+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			return name
		}
	}
	return ""
}

// said is what undo says it took back of a key or an id: the act, where it is known,
// and the beginning of what it was about.
func (u *undoing) said(name string) string {
	text := memory.Beginning(u.text(name))
	if text != "" {
		text = " = " + text
	}
	if was, replaced := u.replaced(name); replaced && u.Explicit() {
		text = "; the value is again: " + memory.Beginning(was)
	}
	return strings.TrimSpace(policy.Inert(memory.Redacted(u.record.Act)) + " " + policy.Inert(name) + text)
}

// text is what an item or an entry of that name said, without what is secret.
func (u *undoing) text(name string) string {
	for _, d := range u.deltas {
		if v := changedValue(d); v != nil && memory.Redacted(d.Key) == name {
			return memory.Redacted(v.Plain())
		}
	}
	for _, c := range u.files {
		for _, src := range [][]byte{c.After, c.Before} {
			if e := entry.In(c.Path, src); e != nil && memory.ShortID(e.ID) == name {
				return memory.Redacted(e.Text)
			}
		}
	}
	return ""
}

// replaced is what an item of that name said before the act, where the act gave it another
// value; without what is secret.
func (u *undoing) replaced(name string) (was string, ok bool) {
	for _, d := range u.deltas {
		if d.Before != nil && d.After != nil && memory.Redacted(d.Key) == name && !memfile.Equal(d.Before.Value, d.After.Value) {
			return memory.Redacted(d.Before.Value.Plain()), true
		}
	}
	return "", false
}

// changedValue is the value that a change is about: of one that only joined the
// item's conflict, that one.
func changedValue(d memfile.Delta) *memfile.Value {
	switch {
	case d.After == nil && d.Before == nil:
		return nil
	case d.After == nil:
		return &d.Before.Value
	case d.Before != nil && memfile.Equal(d.Before.Value, d.After.Value):
		for _, r := range d.After.Conflict {
			if !slices.ContainsFunc(d.Before.Conflict, func(was memfile.Rival) bool { return memfile.Equal(was.Value, r.Value) }) {
				return &r.Value
			}
		}
	}
	return &d.After.Value
}

// permittedFiles refuses an agent what it could not do by itself: to take back a
// person's act, to touch what is locked, and to bring back what was forgotten;
// and to a hook all but what agents noted by themselves.
func (u *undoing) permittedFiles() error {
	if u.Explicit() || len(u.files) == 0 {
		return nil
	}
	if u.record.Origin != memory.Relayed && u.record.Origin != memory.Automatic {
		return memory.Refuse(memory.RuleExplicitOnly, "only a person can undo what a person did")
	}
	for _, c := range u.files {
		for _, e := range []*entry.Entry{entry.In(c.Path, c.Before), entry.In(c.Path, c.After)} {
			switch {
			case e != nil && e.Locked:
				return memory.Refuse(memory.RuleLocked, "the entry is locked: only a person can change it")
			case e != nil && u.Automatic() && e.By != memfile.ByAutomatic:
				return memory.Refuse(memory.RuleExplicitOnly, "unless the person asks, an agent can undo only what agents noted by themselves")
			}
		}
		if u.record.Act == "forget" {
			return memory.Refuse(memory.RuleExplicitOnly, "only a person can restore what was forgotten")
		}
	}
	return nil
}

// takeBack gives the files their bytes back, each only if what the act made
// still stands.
func (u *undoing) takeBack() ([]store.FileChange, error) {
	var list []store.FileChange
	for _, c := range u.files {
		now, err := contents.FileBytes(u.store, c.Path)
		if err != nil {
			return nil, err
		}
		if !sameFile(now, c.After) && !sayTheSame(c.Path, now, c.After) {
			return nil, u.changedSince(entryNames([]store.FileChange{c})[0])
		}
		if e := entry.In(c.Path, c.Before); e != nil && !store.IsContext(c.Path) {
			if err := memory.NotPurged(memfile.Str(e.Text)); err != nil {
				return nil, err
			}
			if r := contents.RuleEntry(u.store, *e, "", false, true); r.Verdict == policy.Refuse {
				return nil, &memory.Refusal{Findings: memory.Findings(r.Findings)}
			}
		}
		if f, _ := entry.Parse(c.Path, c.Before); f == nil && c.Before != nil && !store.IsSkill(c.Path) && !store.IsContext(c.Path) {
			return nil, memory.Refuse(memory.RuleChanged, memory.Quoted(entryNames([]store.FileChange{c})[0])+" was not a valid entry before that change, so undo cannot restore it", memory.Facts{Why: "invalid"})
		}
		list = append(list, store.FileChange{Path: c.Path, Before: now, After: c.Before})
	}
	return list, nil
}

// sameFile reports whether two versions of a file, nil for none, say the same.
func sameFile(a, b []byte) bool {
	return (a == nil) == (b == nil) && bytes.Equal(unixLines(a), unixLines(b))
}

// sayTheSame reports whether two versions of a file hold one entry, as where a formatter
// has been at it.
func sayTheSame(path string, a, b []byte) bool {
	one, other := entry.In(path, a), entry.In(path, b)
	return one != nil && other != nil && one.Meaning() == other.Meaning()
}

// unixLines leaves out what git's conversion of line endings adds on disk.
func unixLines(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) }

// restoreEntry puts the entry back where it was.
func restoreEntry(ctx context.Context, l *view.LostEntry, req RestoreRequest, w memory.Write, err error) (memory.Write, error) {
	if err != nil {
		return w, err
	}
	r, err := txn.ParseRecord(l.Path, l.Src)
	var problem entry.Problem
	if errors.As(err, &problem) {
		return w.Refused(memory.Refuse(problem.Rule, "its file cannot be read: "+problem.Message))
	}
	e := r.Entry
	e.ReplacedBy, e.Deleted, e.Reason = "", "", ""
	w.Key, r.Path = memory.ShortID(e.ID), entry.LivePath(l.Path)
	from := ""
	if l.Deleted {
		from = l.Path
	}
	return restoreRecord(ctx, l.Store, r, from, txn.Write{Keys: []string{e.ID}}, req, w)
}
