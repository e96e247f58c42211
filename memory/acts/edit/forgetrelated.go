package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
)

// minRelated is the length from which a text is looked for in lines and within other texts: shorter ones are part of many.
const minRelated = 8

// withoutLines removes from a text the lines whose gists are want, in this order with only empty gists between them. It
// returns the rest and the number of lines removed.
func withoutLines(text string, want []string) (rest string, found int) {
	lines := strings.Split(text, "\n")
	if len(want) == 0 || len(strings.Join(want, " ")) < minRelated {
		return text, 0
	}
	var said []int // the lines that say something
	gists := make([]string, len(lines))
	for i, line := range lines {
		if gists[i] = memfile.Gist(line); gists[i] != "" {
			said = append(said, i)
		}
	}
	var kept []string
	from := 0 // the first line that is not decided yet
	for at := 0; at+len(want) <= len(said); at++ {
		window := said[at : at+len(want)]
		if window[0] < from || !slices.EqualFunc(window, want, func(i int, w string) bool { return gists[i] == w }) {
			continue
		}
		kept = append(kept, lines[from:window[0]]...)
		from, found = window[len(window)-1]+1, found+len(want)
	}
	return entry.CleanText(strings.Join(append(kept, lines[from:]...), "\n")), found
}

// mayErase is permitted for entries.
func (f *forgetting) mayErase(e contents.Entry) error {
	return f.permitted(&txn.Record{Labels: &e.Labels, Entry: &e.Entry}, false)
}

// statedToo refuses an agent the forgetting of a text that a fact of the person says too:
// its tombstone would withhold the fact, which the agent did not name.
func (f *forgetting) statedToo(t *removal, r *txn.Record) error {
	if r.Entry != nil && r.IsStated() || f.Permit("forget TEXT", memory.StateStated) == nil {
		return nil
	}
	want := memfile.Gist(t.value.Plain())
	for _, e := range f.entries {
		if e.IsStated() && e.Tier() == entry.Fact && !e.Deleted && want != "" && memfile.Gist(e.Text) == want {
			return memory.Refuse(memory.RuleExplicitOnly, "a person stated a fact that says the same, so an agent can forget that fact only by its id: `memctl forget "+memory.ShortID(e.ID)+"`", "")
		}
	}
	return nil
}

// related removes the entries that say the same as the target, deleted ones and copies of its file too, and the equal lines of
// summaries and notes and the equal words of labels. It counts the entries that contain the text.
func (f *forgetting) related(t *removal) error {
	want, wanted := memfile.Gist(t.value.Plain()), memfile.Gists(t.value.Text)
	if want == "" {
		return nil
	}
	removed, lines, containing := 0, 0, 0
	for _, e := range f.entries {
		if t.entry != nil && e.Path == t.entry.Path {
			continue
		}
		text := memfile.Gist(e.Text)
		whole := text == want || t.entry != nil && e.ID == t.entry.ID && e.Conversation == t.entry.Conversation
		contains := len(want) >= minRelated && strings.Contains(" "+text+" ", " "+want+" ")
		cut := 0
		if memory.LosesLines(e.Entry) {
			_, cut = withoutLines(e.Text, wanted)
		}
		switch {
		case !whole && !contains && cut == 0 && !hasWords(e.When, want):
			continue
		case f.mayErase(e) != nil:
			f.notes = append(f.notes, fault.NewNote("person-only", "not forgotten, because only a person can forget it: "+memory.ShortID(e.ID)))
			continue
		case whole:
			if err := errors.Join(f.draft.Remove(e.Path), f.removeParts(e)); err != nil {
				return err
			}
			removed++
			continue
		}
		if err := f.cut(e.Path, want, wanted); err != nil {
			return err
		}
		if lines += cut; cut == 0 && contains && !e.Deleted {
			if containing++; containing <= 3 && !f.All { // with All each of them is a target itself
				f.hints = append(f.hints, "memctl forget "+memory.ShortID(e.ID))
			}
		}
	}
	for _, it := range f.draft.Items {
		if r := txn.NewRecord(it); hasWords(it.When, want) && f.permitted(r, true) == nil {
			dropWords(r.Labels, want)
			if err := f.draft.PutRecord(r); err != nil {
				return err
			}
		}
	}
	if removed > 0 {
		f.notes = append(f.notes, fault.NewNote("others-forgotten", fmt.Sprintf("other entries forgotten too: %d", removed)))
	}
	if lines > 0 {
		f.notes = append(f.notes, fault.NewNote("lines-removed", fmt.Sprintf("lines removed from other entries: %d", lines)))
	}
	if containing > 0 && !f.All {
		f.notes = append(f.notes, fault.NewNote("others-contain", fmt.Sprintf("other entries that contain the text, not forgotten: %d", containing)))
	}
	return nil
}

// hasWords reports whether one of the words of a label says want.
func hasWords(when []string, want string) bool {
	return slices.ContainsFunc(when, func(s string) bool { return memfile.Gist(s) == want })
}

// dropWords removes the words that say want from the label `when`.
func dropWords(l *labels.Labels, want string) {
	l.When = slices.DeleteFunc(slices.Clone(l.When), func(s string) bool { return memfile.Gist(s) == want })
}

// cut removes equal words from the label `when` of an entry, and equal lines from a summary or note, which goes with its last line.
func (f *forgetting) cut(path, want string, wanted []string) error {
	r, err := f.draft.Find(path)
	if r == nil {
		return err
	}
	e, found := r.Entry, 0
	if memory.LosesLines(*e) {
		e.Text, found = withoutLines(e.Text, wanted)
	}
	switch {
	case e.Text == "":
		return f.draft.Remove(path)
	case found == 0 && !hasWords(e.When, want):
		return nil
	}
	dropWords(r.Labels, want)
	e.Stale = e.Stale || found > 0 && e.Tier() == entry.Summary
	return f.draft.PutRecord(r)
}

// held notes the forgotten text in h if the history still has it.
func (f *forgetting) held(h *upkeep.Holders, t *removal, out txn.Outcome) {
	if out.Commit == "" || t.tomb {
		return
	}
	name := t.name()
	if f.All {
		name = "-" // the text on stdin: the name would take all of the record
	}
	h.Add(name, t.value)
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
