package undo

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// change is one of the things that an act changed: an item, a tombstone or a switch of the memory
// file, or the file of an entry, a skill or a context file.
type change struct {
	memfile.Delta                   // of the memory file
	file          *store.FileChange // nil for a change of the memory file
	was, is       *entry.Entry      // the entry in the file before and after the act
	name          string            // in answers; "" for the tombstone of an entry
}

// changesOf lists the changes of the memory file, then those of other files.
func changesOf(deltas []memfile.Delta, files []store.FileChange) (list []change) {
	for _, d := range deltas {
		list = append(list, change{Delta: d, name: memory.Redacted(d.Name())})
	}
	for _, f := range files {
		c := change{file: &f, was: entry.In(f.Path, f.Before), is: entry.In(f.Path, f.After)}
		c.name = memory.ShortID(fileName(f.Path, cmp.Or(c.is, c.was)))
		list = append(list, c)
	}
	return list
}

// fileName is the name of a skill or a context file, or the id of an entry; the path if the file is no entry.
func fileName(at string, e *entry.Entry) string {
	for _, folder := range store.SkillFolders {
		if rest, ok := strings.CutPrefix(at, folder+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			return name
		}
	}
	switch {
	case store.IsContext(at):
		return path.Base(at)
	case e != nil:
		return e.ID
	}
	return at
}

// namesOf are the names of the changes, each once.
func namesOf(changes []change) (names []string) {
	for _, c := range changes {
		if c.name != "" && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// renamed returns the names of an item before and after an act that gave it another key and changed nothing else.
func renamed(changes []change) (from, to string) {
	var was, is *memfile.Item
	for _, c := range changes {
		switch {
		case c.Kind == memfile.DeltaItem && c.After == nil && was == nil:
			was, from = c.Before, c.name
		case c.Kind == memfile.DeltaItem && c.Before == nil && is == nil:
			is, to = c.After, c.name
		case c.Kind != memfile.DeltaTombstone:
			return "", ""
		}
	}
	if was == nil || is == nil || !memfile.Equal(was.Value, is.Value) {
		return "", ""
	}
	return from, to
}

// subject is what the change has in common with other changes of the same thing: the key, or the
// entry's id.
func (c change) subject() string {
	if c.file == nil {
		return c.Key
	}
	if place, ok := entry.ParsePath(c.file.Path); ok {
		return place.ID
	}
	return c.file.Path
}

// before is what the item or the entry said before the act; nil if there was none.
func (c change) before() *memfile.Value {
	switch {
	case c.Before != nil:
		return &c.Before.Value
	case c.was != nil:
		return &memfile.Value{Kind: memfile.String, Text: c.was.Text}
	}
	return nil
}

// value is what the change is about: the value after the act or else the one before it. If the act
// only added a value to the item's conflict, it is that one.
func (c change) value() *memfile.Value {
	switch {
	case c.is != nil:
		return &memfile.Value{Kind: memfile.String, Text: c.is.Text}
	case c.After == nil:
		return c.before()
	case c.Before != nil && memfile.Equal(c.Before.Value, c.After.Value):
		for _, r := range c.After.Conflict {
			if !slices.ContainsFunc(c.Before.Conflict, func(was memfile.Rival) bool { return memfile.Equal(was.Value, r.Value) }) {
				return &r.Value
			}
		}
	}
	return &c.After.Value
}

// purged reports whether the change would bring back a text that was purged.
func (c change) purged() bool {
	gone := func(e *entry.Entry) bool { return e != nil && policy.OnlyGone(memfile.Str(e.Text)) }
	return c.Before != nil && memory.NotPurged(c.Before.Value) != nil || gone(c.was) || gone(c.is) || c.purgedTombstone()
}

// purgedTombstone reports whether the act left the tombstone of a text that was purged.
func (c change) purgedTombstone() bool {
	t := c.TombAfter
	return t != nil && (t.Purged() || t.Value != nil && policy.OnlyGone(*t.Value))
}

// present reports whether the thing is as it was before the change, and whether it is as the
// change left it.
func (u *undoing) present(doc memfile.Document, c change) (before, after bool) {
	if c.file != nil {
		now, err := contents.EntryBytes(u.store, c.file.Path)
		return err == nil && sameFile(c.file.Path, now, c.file.Before), err != nil || sameFile(c.file.Path, now, c.file.After)
	}
	return c.presentAs(doc, c.Before, c.TombBefore, c.SettingBefore), c.presentAs(doc, c.After, c.TombAfter, c.SettingAfter)
}

// presentAs reports whether the document has this item, this tombstone or this setting, or none if
// it is nil.
func (c change) presentAs(doc memfile.Document, it *memfile.Item, tomb *memfile.Tombstone, setting string) bool {
	switch c.Kind {
	case memfile.DeltaSetting:
		at := doc.Settings.Switch(c.Key)
		return at != nil && strconv.FormatBool(*at) == setting
	case memfile.DeltaTombstone:
		if tomb == nil {
			return contents.Tombstone(doc, c.Key) == nil
		}
		return slices.ContainsFunc(doc.Deletions, func(t memfile.Tombstone) bool { return memfile.SameTombstone(t, *tomb) })
	}
	i := memory.Find(&doc, c.Key)
	return it == nil && i < 0 || it != nil && i >= 0 && memfile.SameItem(doc.Items[i], *it)
}

// sameFile reports whether two versions of a file, nil for none, say the same, as after a formatter
// or git's conversion of line endings.
func sameFile(path string, a, b []byte) bool {
	unix := func(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) }
	if (a == nil) == (b == nil) && bytes.Equal(unix(a), unix(b)) {
		return true
	}
	one, other := entry.In(path, a), entry.In(path, b)
	return one != nil && other != nil && one.Meaning() == other.Meaning()
}

// permitted refuses an agent what it could not do by itself: to undo what a person did, to set a
// switch, to restore what was forgotten, to raise confidence to high and to touch a locked entry. It refuses a hook
// everything but what agents noted by themselves.
func (u *undoing) permitted(c change) error {
	automatic := func(it *memfile.Item) bool { return it == nil || it.By == memfile.ByAutomatic }
	own := func(e *entry.Entry) bool { return e == nil || e.By == memfile.ByAutomatic }
	locked := func(e *entry.Entry) bool { return e != nil && e.Locked }
	again := strings.TrimSpace("memctl undo " + policy.Inert(memory.Redacted(u.Commit)))
	what := ""
	switch {
	case c.Kind == memfile.DeltaSetting:
		what = "only a person can change this switch back"
	case c.TombAfter != nil:
		what = "only a person can restore what was forgotten"
	case u.record.Origin != memory.Relayed && u.record.Origin != memory.Automatic:
		what = "only a person can undo what a person did"
	case locked(c.was) || locked(c.is):
		return memory.Refuse(memory.RuleLocked, "the entry is locked: only a person can change it", again)
	case c.Before != nil && c.Before.Confidence == memfile.High && (c.After == nil || c.After.Confidence != memfile.High):
		what = "only a person can raise confidence to high"
	case u.Automatic() && (c.TombBefore != nil || !automatic(c.Before) || !automatic(c.After) || !own(c.was) || !own(c.is)):
		what = "unless the person asks, an agent can undo only what agents noted by themselves"
	case c.file != nil && u.record.Act == "forget":
		what = "only a person can restore what was forgotten"
	default:
		return nil
	}
	return memory.Refuse(memory.RuleExplicitOnly, what, again)
}

// revert takes the change back in the draft, if what the act made is unchanged.
func (u *undoing) revert(d *txn.Draft, c change) error {
	if c.Kind == memfile.DeltaSetting {
		if at := d.Settings.Switch(c.Key); at != nil {
			*at = c.SettingBefore == "true"
		}
		return nil
	}
	_, after := u.present(*d.Document, c)
	switch {
	case !after && c.file != nil && store.IsInstructions(c.file.Path):
		return u.mergeBack(d, c)
	case !after:
		return u.changedSince(c)
	case c.Kind == memfile.DeltaTombstone:
		d.Deletions = slices.DeleteFunc(slices.Clone(d.Deletions), func(t memfile.Tombstone) bool {
			return c.TombAfter != nil && memfile.SameTombstone(t, *c.TombAfter)
		})
		if c.TombBefore != nil {
			t := *c.TombBefore
			t.Line, t.Column = 0, 0
			d.Deletions = append(d.Deletions, t)
		}
		return nil
	case c.file != nil && (store.IsSkill(c.file.Path) || store.IsContext(c.file.Path) || store.IsInstructions(c.file.Path)):
		return d.WriteFile(c.file.Path, c.file.Before)
	}
	return u.putBack(d, c)
}

// mergeBack reverts the change of an instruction file and keeps later edits.
func (u *undoing) mergeBack(d *txn.Draft, c change) error {
	now, err := d.File(c.file.Path)
	switch {
	case err != nil:
		return err
	case now == nil:
		return u.changedSince(c)
	}
	left, rest := capture.Unpointed(c.file.After), capture.Unpointed(now)
	if len(left) == 0 { // all that stands there was added below
		return d.WriteFile(c.file.Path, slices.Concat(c.file.Before, []byte("\n"), rest))
	}
	merged, _ := linemerge.Text(string(left), string(c.file.Before), string(rest))
	return d.WriteFile(c.file.Path, []byte(merged))
}

// putBack puts the item or the entry from before the change into the draft.
func (u *undoing) putBack(d *txn.Draft, c change) error {
	at := c.Key
	if c.file != nil {
		at = c.file.Path
	}
	if i := memory.Find(d.Document, at); i >= 0 && d.Items[i].Locked && !u.Explicit() {
		return memory.Refuse(memory.RuleLocked, "the item is locked: only a person can change it", "memctl undo")
	}
	var was *txn.Record
	switch {
	case c.Before != nil:
		was = txn.NewRecord(*c.Before)
	case c.file != nil && c.file.Before != nil:
		var err error
		if was, err = txn.ParseRecord(at, c.file.Before); err != nil {
			return memory.Refuse(memory.RuleChanged, memory.Quoted(c.name)+" was not a valid entry before that change, so undo cannot restore it", "memctl log")
		}
	default:
		return d.Remove(at)
	}
	if err := memory.NotPurged(was.Value()); err != nil {
		return err
	}
	if err := memory.RuleOn(u.store, was); err != nil {
		return err
	}
	return d.Put(was)
}
