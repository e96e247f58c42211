package memory

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/txn"
)

// entryNames are the names of the entries that files hold, each once.
func entryNames(files []store.FileChange) []string {
	var names []string
	for _, c := range files {
		e := entry.In(c.Path, c.After)
		if e == nil {
			e = entry.In(c.Path, c.Before)
		}
		name := c.Path
		if e != nil {
			name = e.ID
		}
		if name = shortID(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// said is what undo says it took back of a key or an id: the act, where it is known,
// and the beginning of what it was about.
func (u *undoing) said(name string) string {
	text := beginning(u.text(name))
	if text != "" {
		text = " = " + text
	}
	if was, replaced := u.replaced(name); replaced && u.explicit() {
		text = "; it is again: " + beginning(was)
	}
	return strings.TrimSpace(policy.Inert(redacted(u.record.Act)) + " " + policy.Inert(name) + text)
}

// text is what an item or an entry of that name said, without what is secret.
func (u *undoing) text(name string) string {
	for _, d := range u.deltas {
		if v := changedValue(d); v != nil && redacted(d.Key) == name {
			return redacted(v.Plain())
		}
	}
	for _, c := range u.files {
		for _, src := range [][]byte{c.After, c.Before} {
			if e := entry.In(c.Path, src); e != nil && shortID(e.ID) == name {
				return redacted(e.Text)
			}
		}
	}
	return ""
}

// replaced is what an item of that name said before the act, where the act gave it another
// value; without what is secret.
func (u *undoing) replaced(name string) (was string, ok bool) {
	for _, d := range u.deltas {
		if d.Before != nil && d.After != nil && redacted(d.Key) == name && !memfile.Equal(d.Before.Value, d.After.Value) {
			return redacted(d.Before.Value.Plain()), true
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
	if u.explicit() || len(u.files) == 0 {
		return nil
	}
	if u.record.Origin != Relayed && u.record.Origin != Automatic {
		return refuse(ruleExplicitOnly, "only a person takes back what a person did", "memctl undo")
	}
	for _, c := range u.files {
		for _, e := range []*entry.Entry{entry.In(c.Path, c.Before), entry.In(c.Path, c.After)} {
			switch {
			case e != nil && e.Locked:
				return refuse(ruleLocked, "the entry is locked: only a person changes it", "memctl undo")
			case e != nil && u.automatic() && e.By != memfile.ByAutomatic:
				return refuse(ruleExplicitOnly, "an agent by itself takes back only what agents noted by themselves", "memctl undo")
			}
		}
		if u.record.Act == "forget" {
			return refuse(ruleExplicitOnly, "only a person brings back what was forgotten", "memctl undo")
		}
	}
	return nil
}

// takeBack gives the files their bytes back, each only if what the act made
// still stands.
func (u *undoing) takeBack() ([]store.FileChange, error) {
	var list []store.FileChange
	for _, c := range u.files {
		now, err := contents.EntryBytes(u.store, c.Path)
		if err != nil {
			return nil, err
		}
		if !sameFile(now, c.After) && !sayTheSame(c.Path, now, c.After) {
			return nil, u.changedSince(entryNames([]store.FileChange{c})[0])
		}
		if e := entry.In(c.Path, c.Before); e != nil {
			if err := notPurged(memfile.Str(e.Text)); err != nil {
				return nil, err
			}
			if r := contents.RuleEntry(u.store, *e, "", false, true); r.Verdict == policy.Refuse {
				return nil, &refusal{findings: findings(r.Findings)}
			}
		}
		if f, _ := entry.Parse(c.Path, c.Before); f == nil && c.Before != nil {
			return nil, refuse(ruleChanged, quoted(entryNames([]store.FileChange{c})[0])+" was no sound entry before that act, so undo does not bring it back", "memctl log")
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

// lost is an entry that can be brought back: one that was moved to deleted, or
// one that only git has.
type lost struct {
	st      *store.Store
	path    string
	src     []byte
	deleted bool // the file stands at path, below deleted
}

// findLost looks for a deleted entry of that id, then for one that history has;
// or, with journal, one that only the journal has; nil where there is none, or
// the text is no id.
func findLost(ctx context.Context, stores []*store.Store, id string, journal bool) (*lost, error) {
	if !matchesID(id, id) || memfile.KeyForm(id) {
		return nil, nil
	}
	fits := func(p entry.Place) bool { return matchesID(p.ID, id) }
	for _, st := range stores {
		files, _, err := contents.EntryFiles(ctx, st)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if p, _ := entry.ParsePath(f.Path); f.Deleted && fits(p) {
				src, err := contents.EntryBytes(st, f.Path)
				return &lost{st, f.Path, src, true}, err
			}
		}
		find := func(ctx context.Context, fits func(entry.Place) bool) (string, []byte, error) {
			return contents.LostEntry(ctx, st, func(_ string, p entry.Place) bool { return !p.Deleted && fits(p) })
		}
		if journal {
			find = fromJournal(st)
		}
		name, src, err := find(ctx, fits)
		var none *contents.NoHistoryError
		if errors.As(err, &none) {
			continue
		}
		if err != nil || name != "" {
			return &lost{st, name, src, false}, err
		}
	}
	return nil, nil
}

// restoreEntry puts the entry back where it stood and lifts the tombstones of its text.
func restoreEntry(ctx context.Context, l *lost, req RestoreRequest, w Write, err error) (Write, error) {
	if err != nil {
		return w, err
	}
	f, problems := entry.Parse(l.path, l.src)
	if f == nil {
		return w.refused(refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message))
	}
	e := f.Entry()
	e.ReplacedBy, e.Deleted, e.Reason, e.By = "", "", "", ownWord(e.By, l.st.Scope)
	back, err := f.Rewrite(e)
	if err != nil {
		return w, err
	}
	w.Scope, w.Key = l.st.Scope, shortID(e.ID)
	out, err := update(ctx, l.st, txn.Write{
		Act: "restore", Keys: []string{e.ID}, Subject: "restore " + e.Tier() + " " + w.Key, Message: req.Message, Wait: req.wait(), DryRun: req.DryRun, Create: createsFile(l.st.Scope),
		Change: func(doc *memfile.Document) error {
			if err := notPurged(memfile.Str(e.Text)); err != nil {
				return err
			}
			if r := contents.RuleEntry(l.st, e, req.Message, false, true); r.Verdict == policy.Refuse {
				return &refusal{findings: findings(r.Findings)}
			}
			return contents.LiftEntry(l.st, doc, e)
		},
		Files: func() ([]store.FileChange, error) {
			to := entry.LivePath(l.path)
			there, err := contents.EntryBytes(l.st, to)
			if err != nil || there != nil {
				return nil, err
			}
			list := []store.FileChange{{Path: to, After: back}}
			if l.deleted {
				list = append(list, store.FileChange{Path: l.path, Before: l.src})
			}
			return list, nil
		},
	})
	if err != nil {
		return w.refused(err)
	}
	w = w.outcome(out)
	if out.Changed {
		w.Saved = "Restored " + e.Tier() + " " + w.Key + " = " + oneLine(memfile.Str(e.Text)) + takeBack(out, "", w.Key)
	}
	return w, nil
}

// fromJournal finds the newest file that fits in the journal of a store.
func fromJournal(st *store.Store) func(ctx context.Context, fits func(entry.Place) bool) (name string, src []byte, err error) {
	return func(ctx context.Context, fits func(entry.Place) bool) (string, []byte, error) {
		return ledger.JournalFile(ctx, st, fits)
	}
}
