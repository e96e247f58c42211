package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/merge"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/policy"
)

// pastChange is one change of one memory.
type pastChange struct {
	Sign, Name, Kind string // Kind is added, changed or removed
	Query            string // finds the history of this memory
	Note             string // the act, and who or what is its source
	Parts            []merge.Part
	Fields           []view.FieldChange
	Withheld         string
	Restore          *earlierValue
}

// earlierValue names a value that can be restored.
type earlierValue struct{ Key, Rev, Base string }

func pastChangeOf(c view.Change, now map[string]string, seen map[string]bool) pastChange {
	p := pastChange{Sign: "~", Name: policy.Inert(c.Key), Kind: c.Change, Query: c.Key, Withheld: policy.Inert(c.Rules())}
	switch {
	case c.Kind == memfile.DeltaTombstone:
		p.Name = cmp.Or(p.Name, "a fact or note")
	case c.Change == "added":
		p.Sign = "+"
	case c.Change == "removed":
		p.Sign = "−"
	}
	if p.Name == "" {
		p.Name = "a memory"
	}
	if c.Kind == view.ChangeEntry {
		_, p.Query, _ = strings.Cut(c.Key, " ")
	}
	note := []string{c.Act, c.Source}
	if c.Act == c.Change {
		note = note[1:]
	}
	p.Note = strings.Join(clean(slices.DeleteFunc(note, func(s string) bool { return s == "" })), " · ")
	for _, f := range c.Fields {
		p.Fields = append(p.Fields, view.FieldChange{Name: f.Name, Before: policy.Inert(f.Before), After: policy.Inert(f.After)})
	}
	if p.Withheld != "" {
		return p
	}
	p.Parts = partsOf(c)
	p.Restore = restoreOf(c, now, seen)
	return p
}

// partsOf is what a change did to the value, word by word.
func partsOf(c view.Change) []merge.Part {
	text := func(v *memfile.Value) string {
		var lines []string
		for line := range strings.Lines(v.Plain()) {
			lines = append(lines, policy.Inert(strings.TrimRight(line, "\r\n")))
		}
		return strings.Join(lines, "\n")
	}
	switch {
	case c.Before == nil && c.After == nil:
		return nil
	case c.Before == nil:
		return []merge.Part{{Text: text(c.After), New: true}}
	case c.After == nil:
		return []merge.Part{{Text: text(c.Before), Gone: true}}
	}
	return merge.TextDiff(text(c.Before), text(c.After))
}

// restoreOf is the value that a change replaced, where a person can bring it back: each earlier
// value is what one change replaced. The journal knows only what its changes wrote.
func restoreOf(c view.Change, now map[string]string, seen map[string]bool) *earlierValue {
	newest := !seen[c.Scope+" "+c.Key]
	seen[c.Scope+" "+c.Key] = true
	was, rev := c.Before, c.Commit+"^"
	if c.Journal {
		was, rev = c.After, c.Commit
	}
	switch {
	case was == nil || memory.NotPurged(*was) != nil || c.Commit == "" && c.Kind != memfile.DeltaItem:
		return nil
	case c.Kind == view.ChangeEntry:
		if _, id, _ := strings.Cut(c.Key, " "); newest && c.Change == "removed" && !c.Journal {
			return &earlierValue{Key: id}
		}
		return nil
	case c.Kind != memfile.DeltaItem || now[c.Scope+" "+c.Key] == was.Canonical():
		return nil
	case !c.Journal && c.After != nil && memfile.Equal(*c.Before, *c.After): // another change replaced the value
		return nil
	case c.Commit == "": // the newest value that is not the present one
		return &earlierValue{Key: c.Key}
	}
	return &earlierValue{Key: c.Key, Rev: rev, Base: digest(was.Canonical())}
}
