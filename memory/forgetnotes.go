package memory

import (
	"context"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/txn"
)

// stillThere says that git has the value, and whether others have it too.
func (f *forgetting) stillThere(ctx context.Context, st *store.Store, d doomed, out txn.Outcome) []string {
	if st.Repo == nil || f.DryRun || out.Commit == "" || policy.OnlyGone(d.value) {
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
	if code, why := whyUnsearchable(policy.NewTrace(d.value)); code != "" {
		return []string{has + "; purge cannot take it out: " + why}
	}
	has += "; if it should never have been stored, `memctl purge " + name + "` takes it out there"
	if d.kept {
		return []string{has, "the tombstone keeps its text, so that it is known again; purge takes it out there too"}
	}
	return []string{has}
}

// below names the lines outside the block that still hold the value: a
// recovery's notes, which nothing is read from, but people and agents see.
func below(st *store.Store, value memfile.Value) []string {
	text := value.Plain()
	if len(text) < containedBytes {
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
	return []string{"the text stands below the block too, in line " + strings.Join(list, ", ") + " of " + st.Name() + "; nothing there is read as memory, and you may delete it: git has it"}
}

// pushed reports whether a commit whose memory held the key is on a remote.
func (f *forgetting) pushed(ctx context.Context, st *store.Store, key string) bool {
	pushed := false
	err := contents.History(ctx, st, func(v contents.Version) bool {
		after, before := v.After(), v.Before()
		if find(&after, key) >= 0 && find(&before, key) < 0 {
			pushed = contents.Pushed(ctx, st, v.Commit)
			return !pushed
		}
		return true
	})
	return err == nil && pushed
}
