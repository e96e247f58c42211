package contents

import (
	"context"
	"strings"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	recovery "github.com/memctl/memctl/recover"
)

// mostEarlier bounds the versions in which a sound one is looked for.
const mostEarlier = 50

// RecoveryOptions are the options for what recovers the store's file.
func RecoveryOptions(st *store.Store) recovery.Options {
	return recovery.Options{Today: st.Stores.Today(), Scope: st.Scope, Team: st.Stores.TeamRules(st.Scope)}
}

// LastChange is the newest commit of HEAD's history that changed the memory file; "" for none.
func LastChange(ctx context.Context, st *store.Store) (commit string) {
	_ = object.History(ctx, st.Repo, "HEAD", st.GitPath(), 1, func(v object.Version) bool {
		commit = v.Commit
		return false
	})
	return commit
}

// Named returns a function for recovery.Options.Named: it looks into the file at these revisions.
func Named(ctx context.Context, repo *gitops.Repo, path string, revs ...string) func(src []byte) string {
	text := func(src []byte) string { return strings.ReplaceAll(string(src), "\r\n", "\n") }
	return func(src []byte) string {
		for _, rev := range revs {
			id, err := object.Resolve(ctx, repo, rev)
			if err != nil {
				continue
			}
			if was, ok, err := AsWritten(ctx, repo, id, path); ok && err == nil && text(was) == text(src) {
				return "git show " + shell.Quote(id[:8]+":"+path)
			}
		}
		return ""
	}
}

// salvaged is what a damaged memory file says now, with what was forgotten and switched
// off before it was damaged.
func salvaged(ctx context.Context, st *store.Store, src []byte) memfile.Document {
	opt := RecoveryOptions(st)
	opt.Base = ForgottenEarlier(ctx, st)
	return recovery.Salvage(st.Name(), src, opt)
}

// IsPage reports whether the bytes of the memory file are somebody's own document. If HEAD has the same bytes
// and an earlier version had a block, they are not: the memory file has lost its block.
func IsPage(ctx context.Context, st *store.Store, src []byte) bool {
	if !memfile.IsPage(src) || st.Repo == nil {
		return memfile.IsPage(src)
	}
	head, ok, err := StoredAt(ctx, st, "HEAD")
	return err != nil || !ok || DigestOf(head) != DigestOf(src) || beforeBlockWasLost(ctx, st) == nil
}

// beforeBlockWasLost is the newest sound version of a memory file in whose place is a text without a block, as far back as
// the file was never deleted; nil: it never was a memory file.
func beforeBlockWasLost(ctx context.Context, st *store.Store) *memfile.Document {
	return soundVersion(ctx, st, false)
}

// LastSound is the newest sound version of the memory file in HEAD's history;
// nil where there is none, or none can be read. What a damaged file merely lacks
// of it, nobody took out.
func LastSound(ctx context.Context, st *store.Store) *memfile.Document {
	return soundVersion(ctx, st, true)
}

// soundVersion is the newest sound version of the memory file in HEAD's history, before a deletion only where that is asked for.
func soundVersion(ctx context.Context, st *store.Store, beforeDeletion bool) (found *memfile.Document) {
	if st.Repo == nil {
		return nil
	}
	_ = object.History(ctx, st.Repo, "HEAD", st.GitPath(), mostEarlier, func(v object.Version) bool {
		if v.After == "" {
			return beforeDeletion
		}
		found = soundIn(ctx, st, v.After)
		return found == nil
	})
	return found
}

// soundIn is the memory file that a blob has; nil where it is not sound, or cannot be read.
func soundIn(ctx context.Context, st *store.Store, blob string) *memfile.Document {
	src, err := MemoryFromBlob(ctx, st, blob)
	if err != nil {
		return nil
	}
	f, _ := memfile.Parse(st.Name(), src)
	if f == nil {
		return nil
	}
	doc := f.Document()
	return &doc
}

// ForgottenEarlier is what of an earlier version holds for whoever reads a
// damaged file: what was forgotten, and what was switched off.
func ForgottenEarlier(ctx context.Context, st *store.Store) *memfile.Document {
	was := LastSound(ctx, st)
	if was != nil {
		was.Items = nil
	}
	return was
}
