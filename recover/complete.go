package recovery

import (
	"cmp"
	"slices"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
)

// complete puts in what a damaged file merely lacks and an earlier version of
// it says: the damage took it out, and nobody did. Tombstones always, for what
// was forgotten stays forgotten; items that no tombstone of the file's own
// covers; and the fields that either lost.
func (s *salvaged) complete(base *memfile.Document) {
	if base == nil {
		return
	}
	if s.switches.enabled == nil && !base.Settings.Enabled {
		s.settings.Enabled, s.lacked = false, append(s.lacked, "enabled")
	}
	if s.switches.announce == nil && !base.Settings.AnnounceWrites {
		s.settings.AnnounceWrites, s.lacked = false, append(s.lacked, "announce_writes")
	}
	s.version = max(s.version, base.Version)
	at := map[string]int{}
	for i, it := range s.done {
		at[it.Key] = i
	}
	for _, was := range base.Items {
		i, stands := at[was.Key]
		was.Line, was.Column = 0, 0
		switch {
		case stands:
			s.done[i] = completed(s.done[i], was, s.loose[was.Key])
		case !s.forgotten(candidate{item: was}):
			at[was.Key] = len(s.done)
			s.done, s.lacked = append(s.done, was), append(s.lacked, was.Key)
		default:
			s.nameBurying(was)
		}
	}
	s.completeTombs(*base)
}

// dateSalvaged gives each salvaged item a day: that of the earlier version, which complete
// has put in, else today.
func (s *salvaged) dateSalvaged() {
	for i, it := range s.done {
		if s.loose[it.Key] && it.Added == "" {
			s.done[i].Added = s.opt.Today
		}
	}
}

// dug are the tombstones without those that the damage alone made, of lines that
// slid into the deletions: they say no day, and what they would bury stands both
// here and in the earlier version, where it was not forgotten.
func (s *salvaged) dug(graves []grave, base *memfile.Document) []grave {
	if base == nil {
		return graves
	}
	return slices.DeleteFunc(slices.Clone(graves), func(g grave) bool {
		made := g.noDay &&
			slices.ContainsFunc(base.Items, func(it memfile.Item) bool { return buries(g.tomb, it) }) &&
			slices.ContainsFunc(s.items, func(c candidate) bool { return !c.foreign && buries(g.tomb, c.item) }) &&
			!slices.ContainsFunc(base.Deletions, func(t memfile.Tombstone) bool { return memfile.TombstoneKey(t) == memfile.TombstoneKey(g.tomb) })
		if made {
			s.setAside(g.line, whyUnreadable)
		}
		return made
	})
}

// nameBurying sets aside by its line what buries an item of the earlier version:
// it may be a line that the damage moved.
func (s *salvaged) nameBurying(was memfile.Item) {
	for _, g := range s.graves {
		if buries(g.tomb, was) {
			s.setAside(g.line, whyForgotten)
		}
	}
}

func buries(t memfile.Tombstone, it memfile.Item) bool {
	if t.Key != "" {
		return t.Key == it.Key
	}
	return t.Value != nil && memfile.NormalText(t.Value.Plain()) == memfile.NormalText(it.Value.Plain())
}

// completeTombs adds the tombstones that the file lacks, and what they lost. A
// value that stands in place of one is set aside in it, where a person wrote it.
func (s *salvaged) completeTombs(base memfile.Document) {
	at := map[string]int{}
	for i, t := range s.tombs {
		at[memfile.TombstoneKey(t)] = i
	}
	for _, t := range base.Deletions {
		if i, stands := at[memfile.TombstoneKey(t)]; stands {
			s.tombs[i] = completedTomb(s.tombs[i], t)
			continue
		}
		at[memfile.TombstoneKey(t)] = len(s.tombs)
		t.Line, t.Column = 0, 0
		s.done = slices.DeleteFunc(s.done, func(it memfile.Item) bool {
			covered := t.Forgets(it)
			if covered && it.By != memfile.ByAutomatic && (t.Value == nil || !memfile.Equal(*t.Value, it.Value)) {
				t.Conflict = merge.AddRival(slices.Clone(t.Conflict), it.Rival())
			}
			return covered
		})
		s.tombs, s.lacked = append(s.tombs, t), append(s.lacked, t.Key)
	}
}

func completedTomb(t, was memfile.Tombstone) memfile.Tombstone {
	t.Removed, t.Reason = max(t.Removed, was.Removed), cmp.Or(t.Reason, was.Reason)
	if t.Value == nil {
		t.Value = was.Value
	}
	if len(t.Conflict) == 0 {
		t.Conflict = was.Conflict
	}
	return t
}

// completed is an item with what an earlier version knew of it and the damage
// may have taken. Where its value may be cut off, the earlier one stands, and
// it beside that until somebody confirms.
func completed(it, was memfile.Item, loose bool) memfile.Item {
	cut := it.Added == "" && was.Added != "" || it.Source == "" && was.Source != "" || it.Confidence == "" && was.Confidence != ""
	out := was
	switch equal := memfile.Equal(it.Value, was.Value); {
	case it.Value.Kind == memfile.Null && !equal: // its value is lost
	case !cut && !loose, !equal && !cut && !it.HasTag(memfile.TagNeedsConfirmation):
		out = it
	case equal:
		merge.JoinLabels(&out.Labels, it.Labels)
		if !was.HasTag(memfile.TagNeedsConfirmation) {
			out.Tags = slices.DeleteFunc(out.Tags, func(tag string) bool { return tag == memfile.TagNeedsConfirmation })
		}
		out.Conflict = slices.Clone(was.Conflict)
		for _, r := range it.Conflict {
			out.Conflict = merge.AddRival(out.Conflict, r)
		}
	default:
		it.Confidence = memfile.Low
		out = merge.SameKey([]memfile.Item{was, it})
	}
	out.Locked, out.Pinned, out.Ask = it.Locked || was.Locked, it.Pinned || was.Pinned, it.Ask || was.Ask
	out.Line, out.Column = it.Line, it.Column
	return out
}
