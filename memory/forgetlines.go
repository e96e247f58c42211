package memory

import (
	"slices"
	"strings"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/store/contents"
)

// lineBytes is the length from which a text may name a line: shorter ones are said of
// many things.
const lineBytes = containedBytes

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

// losesLines reports whether an entry is of the kind that loses lines: a summary or a
// note.
func losesLines(e entry.Entry) bool { return e.Tier() == entry.Summary || e.Tier() == entry.Note }

// lineByHand reports whether an entry is a fact that is withheld for a line of it, which
// a person wrote there after it was forgotten: the rest of it was not.
func lineByHand(e *contents.Entry) bool {
	return e.Tier() == entry.Fact && strings.Contains(e.Text, "\n") && slices.Contains(e.Withheld, contents.RuleForgotten)
}

// hasLine reports whether an entry would lose lines that say want.
func hasLine(e *contents.Entry, want []string) bool {
	if !losesLines(e.Entry) && !lineByHand(e) {
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
	file, err := x.file(e.Path)
	if err != nil || file.after == nil {
		return 0, err
	}
	f, problems := entry.Parse(e.Path, file.after)
	if f == nil {
		return 0, refuse(problems[0].Rule, "its file cannot be read: "+problems[0].Message)
	}
	now := f.Entry()
	if !losesLines(now) && !lineByHand(e) {
		return 0, nil
	}
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
		file.after = nil
		return found, nil
	}
	now.Stale = now.Stale || now.Tier() == entry.Summary
	file.after, err = f.Rewrite(now)
	return found, err
}
