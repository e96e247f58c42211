package undo

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
)

// change is one change of an act: an item, a tombstone or a switch of the memory file, or a file of an entry, a skill, a context
// file or instructions.
type change struct {
	memfile.Delta
	file    *store.FileChange // nil for a change of the memory file
	was, is *entry.Entry      // the entry in the file before and after the act
	name    string            // in answers; "" for the tombstone of an entry
}

// changesOf lists the changes of the memory file, then those of other files.
func changesOf(deltas []memfile.Delta, files []store.FileChange) (list []change) {
	for _, d := range deltas {
		list = append(list, change{Delta: d, name: memory.Redacted(d.ShownKey())})
	}
	for _, f := range files {
		c := change{file: &f, was: entry.ParseOrNil(f.Path, f.Before), is: entry.ParseOrNil(f.Path, f.After)}
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
	case store.IsContextFile(at):
		return path.Base(at)
	case e != nil:
		return e.ID
	}
	return at
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

// texts are the beginnings of the record's text before and after the act, "" for none. If the act only added another value to
// an item's conflict, the text after it is that value.
func (c change) texts() (before, after string) {
	text := func(it *memfile.Item, e *entry.Entry) string {
		switch {
		case it != nil:
			return memory.Beginning(memory.Redacted(it.Value.Plain()))
		case e != nil:
			return memory.Beginning(memory.Redacted(e.Text))
		}
		return ""
	}
	before, after = text(c.Before, c.was), text(c.After, c.is)
	if c.Before != nil && c.After != nil && before == after && len(c.After.Conflict) > len(c.Before.Conflict) {
		after = memory.Beginning(memory.Redacted(c.After.Conflict[len(c.After.Conflict)-1].Value.Plain()))
	}
	return before, after
}

// purged reports whether a text of the change was purged, before or after the act.
func (c change) purged() bool {
	for _, it := range []*memfile.Item{c.Before, c.After} {
		if it != nil && memory.NotPurged(it.Value) != nil {
			return true
		}
	}
	for _, e := range []*entry.Entry{c.was, c.is} {
		if e != nil && policy.IsOnlyPurged(memfile.Str(e.Text)) {
			return true
		}
	}
	t := c.TombAfter
	return t != nil && (t.Purged() || t.Value != nil && policy.IsOnlyPurged(*t.Value))
}

// state tells how a record is now, compared with an act that changed it.
type state int

const (
	changedSince state = iota
	asBefore
	asLeft // as the act left it
)

func (r *reversal) stateOf(d *txn.Draft, c change) state {
	if c.file != nil {
		now, err := d.File(c.file.Path)
		switch {
		case err == nil && sameFile(c.file.Path, now, c.file.After):
			return asLeft
		case err == nil && sameFile(c.file.Path, now, c.file.Before):
			return asBefore
		}
		return changedSince
	}
	switch {
	case c.isIn(*d.Document, c.After, c.TombAfter, c.SettingAfter) && !r.forgottenSince(d, c):
		return asLeft
	case c.isIn(*d.Document, c.Before, c.TombBefore, c.SettingBefore):
		return asBefore
	}
	return changedSince
}

// forgottenSince reports whether an item that the act took away was forgotten later.
func (r *reversal) forgottenSince(d *txn.Draft, c change) bool {
	tomb := contents.Tombstone(*d.Document, c.Key)
	return c.Before != nil && tomb != nil && !slices.ContainsFunc(r.changes, func(other change) bool {
		return other.TombAfter != nil && memfile.SameTombstone(*other.TombAfter, *tomb)
	})
}

// isIn reports whether the document has this item, this tombstone or this setting, or none if it is nil.
func (c change) isIn(doc memfile.Document, it *memfile.Item, tomb *memfile.Tombstone, setting string) bool {
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
	one, other := entry.ParseOrNil(path, a), entry.ParseOrNil(path, b)
	return one != nil && other != nil && one.ContentDigest() == other.ContentDigest()
}

// actState is whose an act is: an agent undoes by itself only what agents wrote by themselves (own).
func actState(origin string, own bool) memory.State {
	switch {
	case origin != memory.Relayed && origin != memory.Automatic:
		return memory.StateStated
	case !own:
		return memory.StatePassedOn
	}
	return memory.StateConcluded
}

// permitted refuses an agent what it could not do by itself: to undo a person's act, to change a switch, to restore what was
// forgotten, to raise confidence to high and to touch a locked record.
func (r *reversal) permitted(c change) error {
	again := strings.TrimSpace("memctl undo " + policy.Inert(memory.Redacted(r.Commit)))
	own, locked := c.TombBefore == nil, false
	for _, it := range []*memfile.Item{c.Before, c.After} {
		own = own && (it == nil || it.By == memfile.ByAutomatic)
		locked = locked || it != nil && it.Locked
	}
	for _, e := range []*entry.Entry{c.was, c.is} {
		own = own && (e == nil || e.By == memfile.ByAutomatic)
		locked = locked || e != nil && e.Locked
	}
	state := actState(r.record.Origin, own)
	switch {
	case c.Kind == memfile.DeltaSetting:
		return r.Permit("enable", memory.StateAbsent, again)
	case c.TombAfter != nil, c.file != nil && r.record.Act == "forget":
		return r.Permit("restore", memory.StateAbsent, again)
	case locked && state != memory.StateStated:
		state = memory.StateLocked
	case c.Before != nil && c.Before.Confidence == memfile.High && (c.After == nil || c.After.Confidence != memfile.High):
		state = memory.StateStated // it would raise the confidence to high
	}
	return r.Permit("undo", state, again)
}

// putBack brings back the state from before the act.
func (r *reversal) putBack(d *txn.Draft, c change) error {
	switch {
	case c.Kind == memfile.DeltaSetting:
		if at := d.Settings.Switch(c.Key); at != nil {
			*at = c.SettingBefore == "true"
		}
		return nil
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
	case c.file != nil && !entryFile(c.file.Path):
		return d.WriteFile(c.file.Path, c.file.Before)
	case c.Before != nil:
		return r.putRecord(d, txn.NewRecord(*c.Before))
	case c.file != nil && c.file.Before != nil:
		was, err := txn.ParseRecord(c.file.Path, c.file.Before)
		if err != nil {
			return memory.Refuse(memory.RuleChanged, memory.Quoted(c.name)+" was not a valid entry before that change, so undo cannot restore it", "memctl log")
		}
		return r.putRecord(d, was)
	case c.file != nil:
		return d.Remove(c.file.Path)
	}
	return d.Remove(c.Key)
}

// putRecord puts a record back, unless its text was purged or the policy refuses it now.
func (r *reversal) putRecord(d *txn.Draft, was *txn.Record) error {
	if err := memory.NotPurged(was.Value()); err != nil {
		return err
	}
	if err := memory.RuleOn(r.store, was); err != nil {
		return err
	}
	return d.PutRecord(was)
}

// entryFile reports whether the path is one of an entry, and not of a skill, a context file or instructions.
func entryFile(at string) bool {
	return !store.IsSkill(at) && !store.IsContextFile(at) && !store.IsInstruction(at)
}
