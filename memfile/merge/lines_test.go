package merge

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/linemerge"
	"github.com/memctl/memctl/internal/yamltext"
	"github.com/memctl/memctl/memfile"
)

// regions cuts a file into the lines of its items, of its tombstones, of the
// rest of the block, and of the text before and after it; nil where a key stands
// twice, or several entries in one line.
func regions(src []byte) map[string][]string {
	f, _ := memfile.Parse("m", src)
	if f == nil {
		return nil
	}
	text, doc := f.Source(), f.Document()
	isComment := func(pos int) bool {
		_, ok := text.CommentAt(text.LineStart(pos))
		return ok
	}
	label := map[int]string{} // by the offset of the line
	once := map[string]bool{}
	sound := true
	mark := func(list *yamltext.Node, name func(i int) string) {
		if list == nil {
			return
		}
		floor := 0
		for i, e := range list.Entries {
			to := name(i)
			lead, end := text.LineStart(e.Start), text.EntryEnd(e)
			for lead > max(floor, text.From) && isComment(lead-1) {
				lead = text.LineStart(lead - 1)
			}
			for lead > floor && floor > 0 && strings.TrimSpace(text.Text[text.LineStart(lead-1):lead]) == "" {
				lead = text.LineStart(lead - 1)
			}
			sound = sound && !once[to] && label[lead] == ""
			once[to], floor = true, end
			for at := lead; at < end; at = text.NextLineStart(at) {
				label[at] = to
			}
		}
	}
	memory := f.Root().Field("saved_memory")
	mark(memory.Field("items"), func(i int) string { return "item " + doc.Items[i].Key })
	if d := f.Root().Field("deletions"); d != nil && memory.Field("deletions") == nil {
		mark(d, func(i int) string { return "tombstone " + memfile.TombstoneKey(doc.Deletions[i]) })
	} else {
		sound = false
	}
	if !sound {
		return nil
	}
	list := map[string][]string{}
	start, end := f.Block()
	for at := 0; at < len(src); at = text.NextLineStart(at) {
		to := label[at]
		switch {
		case at < start:
			to = "before"
		case at >= end:
			to = "after"
		case to == "":
			to = "frame"
		}
		list[to] = append(list[to], strings.TrimRight(text.Text[at:text.NextLineStart(at)], "\r\n")) // a merge may turn the ending of a line
	}
	return list
}

// checkLines: a line of the base that both sides left as it is, in the same
// item, tombstone or text around them, is in the result, in the same order and the
// same bytes before its ending, unless the result has not that item.
func checkLines(t *testing.T, seed uint64, tr triple, merged []byte) {
	t.Helper()
	base, one, two, got := regions(tr.base), regions(tr.ours), regions(tr.theirs), regions(merged)
	if base == nil || one == nil || two == nil || got == nil {
		return
	}
	doc, was := docOf(merged), docOf(tr.base)
	others := gone(was.Items, doc.Items, func(it memfile.Item) string { return it.Key }) || gone(was.Deletions, doc.Deletions, memfile.TombstoneKey) ||
		gone(doc.Items, was.Items, func(it memfile.Item) string { return it.Key }) || gone(doc.Deletions, was.Deletions, memfile.TombstoneKey)
	for to, lines := range base {
		ours, theirs := linemerge.MatchLines(lines, one[to]), linemerge.MatchLines(lines, two[to])
		var kept []string
		for i, line := range lines {
			if ours[i] >= 0 && theirs[i] >= 0 {
				kept = append(kept, line)
			}
		}
		if _, stands := got[to]; !stands && strings.Contains(to, " ") {
			continue
		}
		if key, ok := strings.CutPrefix(to, "tombstone "); ok && newTombstone(key, tr, merged) {
			continue // it was given what is set aside
		}
		both := one[to] != nil && !slices.Equal(lines, one[to]) && !slices.Equal(lines, two[to])
		if i := slices.IndexFunc(kept, isConflict); i >= 0 && (!slices.Equal(lines, one[to]) || !slices.Equal(lines, two[to])) {
			kept = kept[:i] // the field comes last, and is merged by entry
		}
		kept = slices.DeleteFunc(kept, func(line string) bool {
			text := strings.TrimSpace(line)
			switch {
			case text == "":
				return others // a blank line between entries goes and moves with them
			case to == "frame" && emptied(text, doc):
				return true
			case strings.HasSuffix(text, ":") && bytes.Contains(merged, []byte(strings.TrimRight(line, "\r\n")+" #")):
				return true // a comment inside a part that was removed
			case text[0] == '#': // whose entry it is said of can change, where one is put beside it
				return bytes.Contains(merged, []byte(line))
			}
			// A tag may be added by rule, and the entries of a flow list share their brackets.
			return both && strings.HasPrefix(text, "tags:") || strings.HasPrefix(text, "{") || strings.Contains(text, ": [{")
		})
		if i := missing(kept, got[to]); i >= 0 {
			t.Errorf("seed %d: %s: nobody changed %q, and it changed", seed, to, kept[i])
		}
	}
}

func isConflict(line string) bool { return strings.TrimSpace(line) == "conflict:" }

// newTombstone reports whether the result's tombstone is that of neither side.
func newTombstone(key string, tr triple, merged []byte) bool {
	tomb := itemsOf(docOf(merged)).tombs[key]
	return tomb != nil && !sameOrNone(tomb, itemsOf(docOf(tr.ours)).tombs[key], memfile.SameTombstone) &&
		!sameOrNone(tomb, itemsOf(docOf(tr.theirs)).tombs[key], memfile.SameTombstone)
}

// emptied reports whether a line is the head of a list that has become empty,
// which is written "[]" then, or is no more.
func emptied(line string, doc memfile.Document) bool {
	return strings.HasPrefix(line, "items:") && len(doc.Items) == 0 || strings.HasPrefix(line, "deletions:") && len(doc.Deletions) == 0
}

// gone reports whether an entry is no more.
func gone[T any](was, now []T, key func(T) string) bool {
	return slices.ContainsFunc(was, func(x T) bool {
		return !slices.ContainsFunc(now, func(y T) bool { return key(x) == key(y) })
	})
}

// missing is the first line of a list that does not stand in the other after
// those before it; -1 where all do.
func missing(list, in []string) int {
	for i, line := range list {
		at := slices.Index(in, line)
		if at < 0 {
			return i
		}
		in = in[at+1:]
	}
	return -1
}
