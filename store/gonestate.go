package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/entry"
	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
)

// maxGoneNamed is how many keys a note names.
const maxGoneNamed = 3

// goneSorts are the names of what lost writes did, by what has become of it.
type goneSorts struct {
	gone      []string // written, and not there
	forgotten []string // forgotten, and back
	out       []string // taken out without a tombstone, and back
	changed   []string // changed, and as it was before
	switched  []string // the commands that set switches again, which are as they were before
}

// notes are the sentences that say so, of writes on the branch or on none.
func (s goneSorts) notes(detached bool) (notes []string) {
	for _, sort := range []struct {
		names            []string
		did, since, back string
	}{
		{s.gone, "written", "gone from it", "back with: memctl restore %s --from journal; memctl log --all shows items"},
		{s.forgotten, "forgotten", "back since", "out again with: memctl forget %s"},
		{s.out, "taken out", "back since", "out again with: memctl forget %s"},
		{s.changed, "changed", "as before again", "back with: memctl restore %s --from journal; memctl log --all shows it"},
	} {
		if len(sort.names) == 0 {
			continue
		}
		where := sort.did + " on this branch and " + sort.since
		if detached {
			where = sort.did + " on a detached HEAD and not on this branch"
		}
		named := policy.Inert(strings.Join(sort.names[:min(len(sort.names), maxGoneNamed)], ", "))
		if more := len(sort.names) - maxGoneNamed; more > 0 {
			named += fmt.Sprintf(" and %d more", more)
		}
		notes = append(notes, where+": "+named+" ("+fmt.Sprintf(sort.back, shellWord(policy.Inert(sort.names[0])))+")")
	}
	if len(s.switched) > 0 {
		where := "switched on this branch and as before again"
		if detached {
			where = "switched on a detached HEAD and not on this branch"
		}
		notes = append(notes, where+": "+strings.Join(s.switched, ", "))
	}
	return notes
}

// switches are the commands that set what the document says of the two switches.
func switches(doc memfile.Document) [2]string {
	list := [2]string{"memctl disable", "memctl announce off"}
	if doc.Settings.Enabled {
		list[0] = "memctl enable"
	}
	if doc.Settings.AnnounceWrites {
		list[1] = "memctl announce on"
	}
	return list
}

// lostSwitches are the switches that stood in the first document, and that are now as
// they were before it.
func lostSwitches(line, since []memfile.Document, now memfile.Document) (list []string) {
	for i, left := range switches(line[0]) {
		had := func(value string) func(memfile.Document) bool {
			return func(doc memfile.Document) bool { return switches(doc)[i] == value }
		}
		if is := switches(now)[i]; is != left && slices.ContainsFunc(line[1:], had(is)) && !slices.ContainsFunc(since, had(left)) {
			list = append(list, left)
		}
	}
	return list
}

// goneKeys sorts the keys and the forgotten entries of the writes by what the memory
// file says of them now. What it says now and said at no time before the last of the
// writes, somebody has decided since; and so where the branch has had what the writes
// left, by another commit: that one was rewritten, and then taken back.
func (t *transaction) goneKeys(ctx context.Context, now memfile.Document, lost lostWrites) (sorts goneSorts) {
	line := t.lineDocuments(ctx, lost.line)
	if len(line) == 0 {
		return sorts
	}
	since := sync.OnceValue(func() []memfile.Document { return t.documentsSince(ctx, lost) })
	had := func(list []memfile.Document, key string, left memfile.Document) bool {
		return slices.ContainsFunc(list, func(doc memfile.Document) bool { return sameKey(onlyKey(doc, key), left) })
	}
	for _, key := range lost.keys() {
		left, is := onlyKey(line[0], key), onlyKey(now, key)
		if slices.Contains(t.w.Keys, key) || sameKey(left, is) {
			continue
		}
		wasSo := had(line[1:], key, is)
		var names *[]string
		switch {
		case len(left.Items) > 0 && len(is.Items) == 0:
			wasSo, names = wasSo || len(is.Deletions) == 0, &sorts.gone
		case len(left.Items) > 0:
			names = &sorts.changed
		case len(is.Items) > 0 && len(left.Deletions) > 0:
			names = &sorts.forgotten
		case len(is.Items) > 0:
			names = &sorts.out
		}
		if names != nil && wasSo && !had(since(), key, left) {
			*names = append(*names, key)
		}
	}
	if switches(line[0]) != switches(now) && t.w.Act != "enable" && t.w.Act != "disable" && !strings.HasPrefix(t.w.Act, "announce") {
		sorts.switched = lostSwitches(line, since(), now)
	}
	sorts.forgotten = append(sorts.forgotten, t.backEntries(ctx, line[0], now, lost, since)...)
	return sorts
}

// backEntries are the short ids of entries that the writes forgot, and whose files
// stand with no tombstone.
func (t *transaction) backEntries(ctx context.Context, left, now memfile.Document, lost lostWrites, since func() []memfile.Document) (ids []string) {
	names := slices.DeleteFunc(lost.keys(), memfile.KeyForm)
	if len(names) == 0 {
		return nil
	}
	files, _, err := t.st.EntryFiles(ctx)
	was, err1 := t.st.forgotten(left)
	is, err2 := t.st.forgotten(now)
	if err != nil || err1 != nil || err2 != nil {
		return nil
	}
	for _, f := range files {
		p, _ := entry.ParsePath(f.Path)
		id := entry.ShortID(p.ID)
		if f.Deleted || !slices.Contains(names, id) && !slices.Contains(names, p.ID) || slices.Contains(t.w.Keys, id) || slices.Contains(t.w.Keys, p.ID) {
			continue
		}
		src, err := t.st.EntryBytes(f.Path)
		e, _ := entry.Parse(f.Path, src)
		if err != nil || e == nil || !was.Text(e.Entry().Text) || is.Text(e.Entry().Text) {
			continue
		}
		if !slices.ContainsFunc(since(), func(doc memfile.Document) bool {
			f, err := t.st.forgotten(doc)
			return err == nil && f.Text(e.Entry().Text)
		}) {
			ids = append(ids, id)
		}
	}
	return ids
}

// keys are the keys that the writes name, the newest write's first.
func (l lostWrites) keys() (keys []string) {
	for _, e := range l.list {
		for _, tr := range e.Trailers {
			if tr.Name == "Memory-Key" && !slices.Contains(keys, tr.Value) {
				keys = append(keys, tr.Value)
			}
		}
	}
	return keys
}

// lineDocuments are the memories that the entries hold, in their order.
func (t *transaction) lineDocuments(ctx context.Context, line []gitops.JournalEntry) (list []memfile.Document) {
	last := ""
	for _, e := range line {
		files, err := t.st.Repo.JournalFiles(ctx, e)
		blob := files[t.st.gitPath()]
		if err != nil || blob == "" || blob == last {
			continue
		}
		src, err := t.st.stored(ctx, blob)
		if err != nil {
			continue
		}
		list, last = append(list, t.st.historic(src)), blob
	}
	return list
}

// documentsSince are the memories of the branch's commits that do not come before the
// lost writes, newest first: those of rewritten ones among them.
func (t *transaction) documentsSince(ctx context.Context, lost lostWrites) (list []memfile.Document) {
	if t.quick {
		return nil
	}
	without := lost.has
	for _, e := range lost.list {
		if e.Commit != "" && t.st.Repo.CommitHas(ctx, e.Commit, t.st.gitPath()) {
			without = e.Commit
			break
		}
	}
	rev := "HEAD"
	if without != "" {
		rev = without + ".." + t.head
	}
	_ = t.st.Repo.History(ctx, rev, t.st.gitPath(), mostEarlier, func(v gitops.Version) bool {
		if src, err := t.st.stored(ctx, v.After); v.After != "" && err == nil {
			list = append(list, t.st.historic(src))
		}
		return ctx.Err() == nil
	})
	return list
}

// onlyKey is what the document says of one key, signals aside.
func onlyKey(doc memfile.Document, key string) (of memfile.Document) {
	for _, it := range doc.Items {
		if it.Key == key {
			it.Signals, it.Seen = 0, ""
			of.Items = append(of.Items, it)
		}
	}
	for _, tomb := range doc.Deletions {
		if tomb.Key == key {
			of.Deletions = append(of.Deletions, tomb)
		}
	}
	return of
}

// SaySame reports whether two documents say the same of a key, signals aside.
func SaySame(a, b memfile.Document, key string) bool {
	return sameKey(onlyKey(a, key), onlyKey(b, key))
}

func sameKey(a, b memfile.Document) bool { return len(memfile.Diff(a, b)) == 0 }
