package edit

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
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

// dropLine buries a text that stands as lines of summaries and notes; alike takes it
// out of them.
func (f *forgetting) dropLine(doc *memfile.Document, d *doomed) error {
	if err := f.erased.statedToo(nil, d.value); err != nil {
		return err
	}
	want := memfile.Gists(d.value.Text)
	var refused error
	for _, e := range f.erased.all {
		if e.Deleted || !hasLine(&e, want) {
			continue
		}
		err := f.mayErase(e)
		if err == nil {
			d.gone = true
			return f.bury(doc, d)
		}
		refused = err
	}
	if refused == nil {
		return f.textWent(doc, d.value.Text)
	}
	return refused
}

// cutLines takes the lines that say want out of an entry that loses lines, and marks a
// summary stale. It returns how many.
func (x *erasing) cutLines(e *contents.Entry, want []string) (int, error) {
	r, err := x.Find(e.Path)
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
		return found, x.Remove(e.Path)
	}
	now.Stale = now.Stale || now.Tier() == entry.Summary
	return found, x.Put(r)
}

// stillThere says that git has the value, and whether others have it too. Nothing is said of
// a value that purge would not remove.
func (f *forgetting) stillThere(ctx context.Context, st *store.Store, d doomed, out txn.Outcome) []string {
	if st.Repo == nil || out.Commit == "" || policy.OnlyGone(d.value) {
		return nil
	}
	reached := "was not pushed"
	if d.entry != nil && contents.FilePushed(ctx, st, d.entry.Path) || d.entry == nil && f.pushed(ctx, st, d.key) {
		reached = "was pushed, so others may have it"
		if st.Scope == store.Private || st.Scope == store.User {
			reached = "was sent to its remote, so your other machines may have it"
		}
	}
	name := policy.Inert(d.name())
	if d.line {
		name = "-" // the text on stdin: the id would take all of the entry
	}
	has := "git still has the value in its history, which " + reached
	if code, _ := upkeep.WhyUnsearchable(policy.NewTrace(d.value)); code != "" {
		return nil
	}
	has += "; if it should never have been stored, remove it with `memctl purge " + name + "`"
	if d.kept {
		return []string{has, "the tombstone keeps the text in order to recognise it; purge removes that copy too"}
	}
	return []string{has}
}

// below names the lines outside the block that still hold the value: a
// recovery's notes, which nothing is read from, but people and agents see.
func below(st *store.Store, value memfile.Value) []string {
	text := value.Plain()
	if len(text) < ContainedBytes {
		return nil
	}
	lines := contents.LinesBelow(st, text)
	if len(lines) == 0 {
		return nil
	}
	var list []string
	for _, n := range lines {
		list = append(list, strconv.Itoa(n))
	}
	return []string{"the text is also below the YAML block, in line " + strings.Join(list, ", ") + " of " + st.Name() + "; memctl does not read that part, and you can delete the text there (git has it)"}
}

// pushed reports whether a commit whose memory held the key is on a remote.
func (f *forgetting) pushed(ctx context.Context, st *store.Store, key string) bool {
	pushed := false
	err := contents.History(ctx, st, func(v contents.Version) bool {
		after, before := v.After(), v.Before()
		if memory.Find(&after, key) >= 0 && memory.Find(&before, key) < 0 {
			pushed = contents.Pushed(ctx, st, v.Commit)
			return !pushed
		}
		return true
	})
	return err == nil && pushed
}
