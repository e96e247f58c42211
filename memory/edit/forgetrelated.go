package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// lineBytes is the length from which a text may name a line: shorter ones are said of
// many things.
const lineBytes = ContainedBytes

// linesWith splits a text into lines and marks those to cut, which say want: the gists
// of one line, or of several that follow each other with nothing said between
// them. found is how many say it.
func linesWith(text string, want []string) (lines []string, cut []bool, found int) {
	lines = strings.Split(text, "\n")
	cut = make([]bool, len(lines))
	if len(want) == 0 || len(strings.Join(want, " ")) < lineBytes {
		return lines, cut, 0
	}
	var said []int // the lines that say something
	gists := make([]string, len(lines))
	for i, line := range lines {
		if gists[i] = memfile.Gist(line); gists[i] != "" {
			said = append(said, i)
		}
	}
	for at := 0; at+len(want) <= len(said); at++ {
		window := said[at : at+len(want)]
		if cut[window[0]] || !slices.EqualFunc(window, want, func(i int, w string) bool { return gists[i] == w }) {
			continue
		}
		found += len(want)
		for i := window[0]; i <= window[len(window)-1]; i++ {
			cut[i] = true
		}
	}
	return lines, cut, found
}

// lineByHand reports whether an entry is a fact that is withheld for a line of it, which
// a person wrote there after it was forgotten: the rest of it was not.
func lineByHand(e *contents.Entry) bool {
	return e.Tier() == entry.Fact && strings.Contains(e.Text, "\n") && e.HiddenBy(contents.RuleForgotten)
}

// hasLine reports whether an entry would lose lines that say want.
func hasLine(e *contents.Entry, want []string) bool {
	if !memory.LosesLines(e.Entry) && !lineByHand(e) {
		return false
	}
	_, _, found := linesWith(e.Text, want)
	return found > 0
}

// mayErase is permitted for entries.
func (f *forgetting) mayErase(e contents.Entry) error {
	return f.permitted(&txn.Record{Labels: &e.Labels, Entry: &e.Entry}, false)
}

// statedToo refuses an agent the forgetting of a text that a fact of the person says too:
// its tombstone would withhold the fact, which the agent did not name.
func (f *forgetting) statedToo(t *removal, r *txn.Record) error {
	if !t.line && r.Entry != nil && r.Stated() {
		return nil
	}
	want := memfile.Gist(t.value.Plain())
	for _, e := range f.entries {
		if e.Stated() && f.Permit("forget TEXT", memory.StateStated) != nil && e.Tier() == entry.Fact && !e.Deleted && want != "" && memfile.Gist(e.Text) == want {
			return memory.Refuse(memory.RuleExplicitOnly, "a person stated a fact that says the same, so an agent can forget it only by its id: `memctl forget "+memory.ShortID(e.ID)+"`", "")
		}
	}
	return nil
}

// related removes what says the same as the target, deleted entries and copies of its file too, and
// lists what contains it.
func (f *forgetting) related(t *removal) error {
	want, wanted := memfile.Gist(t.value.Plain()), memfile.Gists(t.value.Text)
	if want == "" {
		return nil
	}
	others, lines := 0, 0
	var containing []contents.Entry
	for _, e := range f.entries {
		if t.entry != nil && !t.line && e.Path == t.entry.Path {
			continue
		}
		text := memfile.Gist(e.Text)
		contains := len(want) >= ContainedBytes && ContainsWords(text, want)
		whole := text == want || t.entry != nil && !t.line && e.ID == t.entry.ID && e.Conversation == t.entry.Conversation
		switch {
		case !whole && !contains && !hasLine(&e, wanted):
			continue
		case f.mayErase(e) != nil:
			f.notes = append(f.notes, fault.NewNote("person-only", "not forgotten, because only a person can forget it: "+memory.ShortID(e.ID)))
			continue
		case whole:
			if err := errors.Join(f.draft.Remove(e.Path), f.removeParts(e)); err != nil {
				return err
			}
			others++
			continue
		}
		cut, err := f.cutLines(&e, wanted)
		if err != nil {
			return err
		}
		if lines += cut; cut == 0 && !e.Deleted {
			containing = append(containing, e)
		}
	}
	if others > 0 {
		f.notes = append(f.notes, fault.NewNote("others-forgotten", fmt.Sprintf("other entries forgotten too: %d", others)))
	}
	if lines > 0 {
		f.notes = append(f.notes, fault.NewNote("lines-removed", fmt.Sprintf("lines removed from other entries: %d", lines)))
	}
	f.namesContaining(containing)
	return nil
}

// namesContaining says which entries contain the text and are not forgotten.
func (f *forgetting) namesContaining(list []contents.Entry) {
	if len(list) == 0 || f.All {
		return // with All each of them is a target itself
	}
	f.notes = append(f.notes, fault.NewNote("others-contain", fmt.Sprintf("other entries that contain the text, not forgotten: %d", len(list))))
	for i, e := range list[:min(len(list), 10)] {
		f.notes = append(f.notes, fault.NewNote("entry-text", memory.ShortID(e.ID)+" = "+memory.ShownText(e.Verdict, e.Text)))
		if i < 3 {
			f.hints = append(f.hints, "memctl forget "+memory.ShortID(e.ID))
		}
	}
}

// cutLines removes the lines that say want from an entry that loses lines, and marks a
// summary stale. It returns how many.
func (f *forgetting) cutLines(e *contents.Entry, want []string) (int, error) {
	r, err := f.draft.Find(e.Path)
	if r == nil || !memory.LosesLines(*r.Entry) && !lineByHand(e) {
		return 0, err
	}
	now := r.Entry
	lines, cut, found := linesWith(now.Text, want)
	if found == 0 {
		return 0, nil
	}
	var kept []string
	for i, line := range lines {
		if !cut[i] {
			kept = append(kept, line)
		}
	}
	if now.Text = entry.CleanText(strings.Join(kept, "\n")); now.Text == "" {
		return found, f.draft.Remove(e.Path)
	}
	now.Stale = now.Stale || now.Tier() == entry.Summary
	return found, f.draft.Put(r)
}

// held adds what was forgotten to what the history still has, if it has it.
func (f *forgetting) held(h *upkeep.Holders, t *removal, out txn.Outcome) {
	if out.Commit == "" || t.tomb {
		return
	}
	name := t.name()
	if t.line || f.All {
		name = "-" // the text on stdin: the name would take all of the record
	}
	if h.Add(name, t.value) && !h.Pushed {
		h.Pushed = t.entry != nil && contents.FilePushed(f.ctx, f.st, t.entry.Path) || t.entry == nil && f.pushed(t.key)
	}
}

// pushed reports whether a commit whose memory held the key is on a remote.
func (f *forgetting) pushed(key string) bool {
	pushed := false
	err := contents.History(f.ctx, f.st, func(v contents.Version) bool {
		after, before := v.After(), v.Before()
		if memory.Find(&after, key) >= 0 && memory.Find(&before, key) < 0 {
			pushed = contents.Pushed(f.ctx, f.st, v.Commit)
			return !pushed
		}
		return true
	})
	return err == nil && pushed
}

// removeParts removes the facts that were compacted into an entry, and leaves a tombstone of each.
func (f *forgetting) removeParts(of contents.Entry) error {
	parts := slices.DeleteFunc(upkeep.PartsOf(of.ID, f.entries), func(e contents.Entry) bool { return f.mayErase(e) != nil })
	for _, e := range parts {
		if err := errors.Join(f.bury("", memfile.Str(e.Text), false), f.draft.Remove(e.Path)); err != nil {
			return err
		}
	}
	if len(parts) > 0 {
		f.notes = append(f.notes, fault.NewNote("parts-forgotten", fmt.Sprintf("facts that were compacted into it, forgotten too: %d", len(parts))))
	}
	return nil
}
